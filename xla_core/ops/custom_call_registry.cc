#include "xla_core/ops/custom_call_registry.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/builtin_custom_calls.h"
#include "xla_core/support/check.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

void AddBuffers(Literal& value, std::vector<void*>& buffers) {
  if (!value.IsTuple()) return buffers.push_back(value.untyped_mutable_data());
  for (int i = 0; i < value.tuple_size(); ++i) AddBuffers(value.mutable_element(i), buffers);
}

void Invoke(OriginalCustomCallFunction function, void* out, const void** in) { function(out, in); }
void Invoke(CustomCallFunctionOf2017 function, void* out, const void** in) { function(out, const_cast<void**>(in)); }

// The original interface, void f(void* out, const void** in): results are zeroed first, so that a function which
// writes only a part of them is deterministic.
template <typename Function>
absl::StatusOr<Literal> CallOriginal(Function function, const CustomCall& call) {
  ASSIGN_OR_RETURN(Literal result, call.context.AllocateZeros(call.instruction.shape()));
  std::vector<const void*> in;
  for (int i = 0; i < call.operands.size(); ++i) {
    if (call.operands[i].IsTuple()) {
      return absl::UnimplementedError("the original interface of custom calls takes arrays, not tuples");
    }
    in.push_back(call.operands[i].untyped_data());
  }
  std::vector<void*> out;
  AddBuffers(result, out);
  Invoke(function, result.IsTuple() ? static_cast<void*>(out.data()) : out[0], in.data());
  return result;
}

}  // namespace

CustomCallRegistry& CustomCallRegistry::Global() {
  static auto* const registry = [] {
    auto* const made = new CustomCallRegistry();
    for (const BufferCallTarget& target : BufferCallTargets()) {
      const auto evaluate = [make = target.make](const CustomCall& call) { return EvaluateBufferCall(make, call); };
      CHECK(made->Register(target.name, evaluate).ok());
    }
    for (const BuiltinCustomCall& target : XlaCustomCalls()) CHECK(made->Register(target.name, target.function).ok());
    return made;
  }();
  return *registry;
}

absl::Status CustomCallRegistry::Register(absl::string_view target, CustomCallFunction function) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (functions_.emplace(std::string(target), std::move(function)).second) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat("custom-call target '", target, "' is registered already"));
}

absl::Status CustomCallRegistry::RegisterOriginal(absl::string_view target, OriginalCustomCallFunction function) {
  return Register(target, [function](const CustomCall& call) { return CallOriginal(function, call); });
}

absl::Status CustomCallRegistry::RegisterOriginal(absl::string_view target, CustomCallFunctionOf2017 function) {
  return Register(target, [function](const CustomCall& call) { return CallOriginal(function, call); });
}

absl::StatusOr<const CustomCallFunction*> CustomCallRegistry::Find(absl::string_view target) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = functions_.find(target);
  if (found != functions_.end()) return &found->second;
  std::vector<absl::string_view> known;
  for (const auto& entry : functions_) known.push_back(entry.first);
  return absl::NotFoundError(
      absl::StrCat("the interpreter has no custom-call target '", target, "'", DidYouMean(target, known)));
}

std::vector<std::string> CustomCallRegistry::Names() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  for (const auto& entry : functions_) names.push_back(entry.first);
  return names;
}

}  // namespace xla
