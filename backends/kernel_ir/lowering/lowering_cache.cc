#include "backends/kernel_ir/lowering/lowering_cache.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

// Larger ones take long to print, and are rarely equal.
constexpr int64_t kLargestConstant = 64;

// Places of instructions in the order in which a computation prints them.
using Places = absl::flat_hash_map<const HloInstruction*, int>;

Places PlacesIn(const HloComputation& computation) {
  Places places;
  for (const HloInstruction* instruction : computation.LiveInstructions()) {
    const int place = static_cast<int>(places.size());
    places.emplace(instruction, place);
  }
  return places;
}

bool HasLargeConstant(const HloComputation& computation) {
  for (const HloInstruction* instruction : computation.LiveInstructions()) {
    if (instruction->opcode() != HloOpcode::kConstant) continue;
    const auto& literal = instruction->attributes<ConstantAttributes>().literal;
    if (literal == nullptr || !literal->shape().IsArray() || literal->element_count() > kLargestConstant) return true;
  }
  return false;
}

// Whether lowering sees of a request only what can be its key: a fusion's computation that is not too much.
bool MayHaveKey(const HloComputation& computation) {
  return computation.is_fusion_computation() && !HasLargeConstant(computation);
}

// All that lowering sees of the request, names aside; nullopt if that is more than the computation.
absl::optional<std::string> KeyOf(const LoweringRequest& request, const HloComputation& computation,
                                  const Places& places) {
  PrintOptions options = PrintOptions::Canonical();
  options.operand_shapes = false;
  options.result_layouts = true;
  std::string key = ComputationToString(computation, options);
  key.erase(0, key.find('{'));  // its name
  const auto add = [&](const HloInstruction* instruction) {
    const auto it = places.find(instruction);
    if (it == places.end()) return false;
    absl::StrAppend(&key, it->second, " ");
    return true;
  };
  absl::StrAppend(&key, "\ninputs ");
  for (const HloInstruction* input : request.inputs) {
    if (!add(input)) return absl::nullopt;
  }
  for (const LoweredOutput& output : request.outputs) {
    absl::StrAppend(&key, "\noutput ");
    if (!add(output.instruction)) return absl::nullopt;
    for (const int64_t i : output.leaf) absl::StrAppend(&key, i, ",");
    absl::StrAppend(&key, " in place of ", output.in_place_of);
  }
  return key;
}

// nullopt: something is not in the computation.
absl::optional<std::vector<int>> PlacesOf(absl::Span<const HloInstruction* const> extras, const Places& places) {
  std::vector<int> result;
  for (const HloInstruction* extra : extras) {
    const auto it = places.find(extra);
    if (extra != nullptr && it == places.end()) return absl::nullopt;
    result.push_back(extra == nullptr ? -1 : it->second);
  }
  return result;
}

}  // namespace

// Looks for a request that was lowered before and differs in names only; instructions are identified by their place
// in the computation. Requests that have no key are lowered without the cache.
absl::StatusOr<LoweredKernel> LoweringCache::Lower(const LoweringRequest& request) {
  if (request.outputs.empty()) return LowerToKernel(request, target_, order_);
  const HloComputation& computation = *request.outputs[0].instruction->parent();
  if (!MayHaveKey(computation)) return LowerToKernel(request, target_, order_);
  const Places places = PlacesIn(computation);
  absl::optional<std::string> key = KeyOf(request, computation, places);
  if (!key.has_value()) return LowerToKernel(request, target_, order_);
  const auto found = entries_.find(*key);
  if (found != entries_.end()) {
    ++hits_;
    const std::vector<HloInstruction*> instructions = computation.LiveInstructions();
    LoweredKernel lowered;
    lowered.kernel = found->second.kernel;
    lowered.kernel.name = request.name;
    for (const int place : found->second.extras) lowered.extras.push_back(place < 0 ? nullptr : instructions[place]);
    return lowered;
  }
  ASSIGN_OR_RETURN(LoweredKernel lowered, LowerToKernel(request, target_, order_));
  absl::optional<std::vector<int>> extras = PlacesOf(lowered.extras, places);
  if (extras.has_value()) entries_.emplace(*std::move(key), Entry{lowered.kernel, *std::move(extras)});
  return lowered;
}

absl::StatusOr<LoweredKernel> LoweringCache::LowerInstruction(const HloInstruction& instruction,
                                                              absl::Span<const int> in_place_of) {
  ASSIGN_OR_RETURN(const LoweringRequest request, RequestOf(instruction, in_place_of));
  return Lower(request);
}

}  // namespace xla
