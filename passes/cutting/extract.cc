#include "passes/cutting/extract.h"

#include <limits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The instruction that the request names.
absl::StatusOr<const HloInstruction*> FindInstruction(const HloModule& module, const ExtractRequest& request) {
  const HloInstruction* found = nullptr;
  std::vector<std::string> places;
  std::vector<absl::string_view> names;
  bool computation_exists = false;
  for (const auto& computation : module.computations()) {
    if (!request.computation.empty() && computation->name() != request.computation) continue;
    computation_exists = true;
    for (const auto& instruction : computation->instructions()) {
      names.push_back(instruction->name());
      if (instruction->name() != request.instruction) continue;
      if (found == nullptr) found = instruction.get();
      places.push_back(absl::StrCat(computation->name(), "/", instruction->name()));
    }
  }
  if (!computation_exists) {
    std::vector<absl::string_view> computations;
    for (const auto& computation : module.computations()) computations.push_back(computation->name());
    return absl::NotFoundError(absl::StrCat("there is no computation '", request.computation, "'",
                                            DidYouMean(request.computation, computations)));
  }
  if (found == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("there is no instruction '", request.instruction, "'", DidYouMean(request.instruction, names)));
  }
  if (places.size() == 1) return found;
  // The entry's own is what people mean.
  if (request.computation.empty()) {
    for (const auto& instruction : module.entry()->instructions()) {
      if (instruction->name() == request.instruction) return instruction.get();
    }
  }
  if (places.size() > 5) places.resize(5);
  return absl::InvalidArgumentError(absl::StrCat("several computations have an instruction '", request.instruction,
                                                 "'; say which: ", absl::StrJoin(places, ", ")));
}

// The operation's operand is not a value that a caller could pass in.
bool NeedsItsStart(const HloInstruction& instruction) { return HasTrait(instruction.opcode(), opcode_trait::kEnds); }

// What `instruction` starts is part of it: the instruction that ends it, some steps further.
const HloInstruction* EndOf(const HloInstruction* instruction, int64_t* steps) {
  for (;;) {
    const HloInstruction* next = nullptr;
    for (const HloInstruction* user : instruction->users()) {
      if (NeedsItsStart(*user) && user->operand(0) == instruction) next = user;
    }
    if (next == nullptr) return instruction;
    instruction = next;
    ++*steps;
  }
}

// What the new entry computes: `root` and its operands within `depth`. Breadth first, so that each is met at its least
// distance.
absl::flat_hash_set<const HloInstruction*> Reach(const HloInstruction* root, int64_t depth) {
  absl::flat_hash_set<const HloInstruction*> inside = {root};
  std::vector<const HloInstruction*> layer = {root};
  for (int64_t distance = 0; !layer.empty(); ++distance) {
    std::vector<const HloInstruction*> next;
    for (const HloInstruction* instruction : layer) {
      for (const HloInstruction* operand : instruction->operands()) {
        const bool wanted =
            distance < depth || operand->opcode() == HloOpcode::kConstant || NeedsItsStart(*instruction);
        if (wanted && inside.insert(operand).second) next.push_back(operand);
      }
    }
    layer = std::move(next);
  }
  return inside;
}

std::unique_ptr<HloInstruction> MakeParameter(const HloInstruction& original, int64_t number) {
  auto parameter = std::make_unique<HloInstruction>(HloOpcode::kParameter, original.name(), original.shape());
  auto attributes = std::make_unique<ParameterAttributes>();
  attributes->number = number;
  parameter->set_attributes(std::move(attributes));
  return parameter;
}

// What stands in the new entry for an operand that is left out, or for a parameter.
std::unique_ptr<HloInstruction> MakeStandIn(const HloInstruction& original, int64_t* parameters) {
  if (original.shape().IsToken()) {
    return std::make_unique<HloInstruction>(HloOpcode::kAfterAll, original.name(), original.shape());
  }
  return MakeParameter(original, (*parameters)++);
}

// Where to cut in a copy of the module: computation and instruction by their places.
struct Place {
  size_t computation;
  size_t instruction;
};

Place PlaceOf(const HloModule& module, const HloInstruction* wanted) {
  for (size_t c = 0; c < module.computations().size(); ++c) {
    if (module.computations()[c].get() != wanted->parent()) continue;
    for (size_t i = 0; i < module.computations()[c]->instructions().size(); ++i) {
      if (module.computations()[c]->instructions()[i].get() == wanted) return {c, i};
    }
  }
  return {0, 0};
}

// A new entry, in the module that also has the computation the instructions come from, and what stands in it for them
// and their operands.
struct NewEntry {
  std::unique_ptr<HloComputation> computation;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> made;
};

// It has no root yet.
NewEntry MakeEntry(const HloComputation& origin, const absl::flat_hash_set<const HloInstruction*>& inside) {
  NewEntry result;
  result.computation = std::make_unique<HloComputation>(origin.name());
  HloComputation* const entry = result.computation.get();
  absl::flat_hash_map<const HloInstruction*, HloInstruction*>& made = result.made;
  int64_t parameters = 0;
  // In the order of the original, so that operands come first and a schedule stays one.
  absl::flat_hash_set<const HloInstruction*> used(inside.begin(), inside.end());
  for (const HloInstruction* instruction : inside)
    used.insert(instruction->operands().begin(), instruction->operands().end());
  for (const auto& instruction : origin.instructions()) {
    if (!used.contains(instruction.get())) continue;
    const bool is_inside = inside.contains(instruction.get()) && instruction->opcode() != HloOpcode::kParameter;
    if (!is_inside) {
      made[instruction.get()] = entry->AddInstruction(MakeStandIn(*instruction, &parameters));
      continue;
    }
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : instruction->operands()) operands.push_back(made.at(operand));
    HloInstruction* const copy = AddClone(*instruction, operands, entry);
    made[instruction.get()] = copy;
  }
  for (const auto& instruction : origin.instructions()) {
    if (!inside.contains(instruction.get())) continue;
    for (const HloInstruction* predecessor : instruction->control_predecessors()) {
      if (inside.contains(predecessor)) made.at(instruction.get())->AddControlPredecessor(made.at(predecessor));
    }
  }
  return result;
}

// Constants with no more elements than this stand in the text of a small module.
constexpr int64_t kSmallConstant = 64;

bool IsSmallConstant(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kConstant && instruction.shape().IsArray() &&
         instruction.shape().ElementCount() <= kSmallConstant;
}

HloInstruction* AddElement(HloInstruction* tuple, const ShapeIndex& index, HloComputation& computation) {
  HloInstruction* element = tuple;
  for (const int64_t i : index) {
    auto attributes = std::make_unique<GetTupleElementAttributes>();
    attributes->index = i;
    HloInstruction* const next = computation.AddInstruction(std::make_unique<HloInstruction>(
        HloOpcode::kGetTupleElement, "", element->shape().tuple_shape(static_cast<int>(i))));
    next->AddOperand(element);
    next->set_attributes(std::move(attributes));
    element = next;
  }
  return element;
}

// The header refers to the old entry; the interface of the new one follows from its shapes.
void SetEntry(std::unique_ptr<HloComputation> computation, HloModule& module) {
  HloComputation* const entry = module.AddComputation(std::move(computation));
  module.set_entry(entry);
  HloModuleConfig& config = module.mutable_config();
  config.input_output_alias.clear();
  config.buffer_donors.clear();
  config.allow_spmd_sharding_propagation_to_parameters.clear();
  config.allow_spmd_sharding_propagation_to_output.clear();
  ProgramShape layout;
  for (const HloInstruction* parameter : entry->parameters()) layout.parameters.push_back(parameter->shape());
  layout.result = entry->root()->shape();
  config.entry_computation_layout = std::move(layout);
  module.RemoveUnreachableComputations();
}

}  // namespace

absl::StatusOr<ExtractRequest> ParseExtractRequest(absl::string_view text) {
  ExtractRequest request;
  const size_t comma = text.rfind(',');
  if (comma != absl::string_view::npos) {
    int64_t depth;
    if (!absl::SimpleAtoi(text.substr(comma + 1), &depth) || depth < 0) {
      return absl::InvalidArgumentError(absl::StrCat("'", text.substr(comma + 1), "' is not a depth: expected ",
                                                     "NAME,DEPTH with a whole number of at least 0"));
    }
    request.depth = depth;
    text = text.substr(0, comma);
  }
  const size_t slash = text.find('/');
  if (slash != absl::string_view::npos) {
    request.computation = std::string(text.substr(0, slash));
    text = text.substr(slash + 1);
  }
  absl::ConsumePrefix(&text, "%");
  request.instruction = std::string(text);
  if (request.instruction.empty()) {
    return absl::InvalidArgumentError("expected the name of an instruction: NAME, NAME,DEPTH or COMPUTATION/NAME");
  }
  return request;
}

absl::StatusOr<std::unique_ptr<HloModule>> ExtractModule(const HloModule& module, const ExtractRequest& request) {
  ASSIGN_OR_RETURN(const HloInstruction* wanted, FindInstruction(module, request));
  int64_t steps = 0;
  wanted = EndOf(wanted, &steps);
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  const int64_t depth = request.depth.has_value() && *request.depth < kAll - steps ? *request.depth + steps : kAll;
  const Place place = PlaceOf(module, wanted);
  std::unique_ptr<HloModule> result = CloneModule(module);
  const HloComputation& origin = *result->computations()[place.computation];
  const HloInstruction& root = *origin.instructions()[place.instruction];
  NewEntry entry = MakeEntry(origin, Reach(&root, depth));
  entry.computation->set_root(entry.made.at(&root));
  SetEntry(std::move(entry.computation), *result);
  return result;
}

std::unique_ptr<HloModule> ExtractInstructions(const HloModule& module,
                                               absl::Span<const HloInstruction* const> instructions,
                                               absl::Span<const ExtractedResult> results,
                                               std::vector<const HloInstruction*>* operands) {
  std::unique_ptr<HloModule> copy = CloneModule(module);
  const HloComputation& from = *instructions[0]->parent();
  const HloComputation& origin = *copy->computations()[PlaceOf(module, instructions[0]).computation];
  absl::flat_hash_map<const HloInstruction*, const HloInstruction*> copies, originals;
  for (size_t i = 0; i < from.instructions().size(); ++i) {
    copies[from.instructions()[i].get()] = origin.instructions()[i].get();
    originals[origin.instructions()[i].get()] = from.instructions()[i].get();
  }
  absl::flat_hash_set<const HloInstruction*> inside;
  for (const HloInstruction* instruction : instructions) {
    inside.insert(copies.at(instruction));
    for (const HloInstruction* operand : instruction->operands()) {
      if (IsSmallConstant(*operand)) inside.insert(copies.at(operand));
    }
  }
  NewEntry entry = MakeEntry(origin, inside);
  for (const auto& instruction : origin.instructions()) {
    const auto made = entry.made.find(instruction.get());
    if (made != entry.made.end() && made->second->opcode() == HloOpcode::kParameter) {
      operands->push_back(originals.at(instruction.get()));
    }
  }
  std::vector<HloInstruction*> roots;
  for (const ExtractedResult& result : results) {
    roots.push_back(AddElement(entry.made.at(copies.at(result.instruction)), result.element, *entry.computation));
  }
  HloInstruction* root = roots[0];
  if (roots.size() > 1) {
    std::vector<Shape> shapes;
    for (const HloInstruction* element : roots) shapes.push_back(element->shape());
    root = entry.computation->AddInstruction(
        std::make_unique<HloInstruction>(HloOpcode::kTuple, "results", Shape::Tuple(std::move(shapes))));
    for (HloInstruction* element : roots) root->AddOperand(element);
  }
  entry.computation->set_root(root);
  SetEntry(std::move(entry.computation), *copy);
  return copy;
}

}  // namespace xla
