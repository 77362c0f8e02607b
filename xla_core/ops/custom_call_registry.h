// The targets that `custom-call` can reach: functions by name.
//
// A program that embeds Halo may add its own before it runs a module:
//
//   CustomCallRegistry::Global().Register("my_twice", [](const CustomCall& call) -> absl::StatusOr<Literal> {
//     ASSIGN_OR_RETURN(Literal result, call.context.Allocate(call.instruction.shape()));
//     ...                                  // operand i is call.operands[i]
//     return result;                       // of the instruction's shape
//   });
//
// or, in the form that XLA had in 2017, a function over raw buffers:
//
//   void Twice(void* out, const void** in);  // out: the result's buffer; of a tuple, an array of its buffers
//   CustomCallRegistry::Global().RegisterOriginal("my_twice", &Twice);
//
// `in` may also be a `void**`, as the operation semantics of 2017 write it; its buffers are not to be written to.
//
// Buffers are dense and row-major by logical index, whatever layout the shapes carry; sub-byte types take a byte each.
#ifndef XLA_CORE_OPS_CUSTOM_CALL_REGISTRY_H_
#define XLA_CORE_OPS_CUSTOM_CALL_REGISTRY_H_

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/eval_context.h"

namespace xla {

// One call. The target's parameters are the instruction's attributes and its annotation `backend_config`
// (ffi_attributes.h reads the dictionary that is usual there).
struct CustomCall {
  const HloInstruction& instruction;
  OperandValues& operands;
  EvalContext& context;
};

// Returns a value of the instruction's shape. Errors are reported with the names of instruction and target in front.
// Called on several threads at once if several devices run.
using CustomCallFunction = std::function<absl::StatusOr<Literal>(const CustomCall&)>;
using OriginalCustomCallFunction = void (*)(void* out, const void** in);
using CustomCallFunctionOf2017 = void (*)(void* out, void** in);

// Thread-safe.
class CustomCallRegistry {
 public:
  // The registry that `custom-call` looks into. It has LAPACK's targets and XLA's own from the start.
  static CustomCallRegistry& Global();

  // AlreadyExists if the name is taken.
  absl::Status Register(absl::string_view target, CustomCallFunction function);
  absl::Status RegisterOriginal(absl::string_view target, OriginalCustomCallFunction function);
  absl::Status RegisterOriginal(absl::string_view target, CustomCallFunctionOf2017 function);
  // NotFound, with the nearest known name, if there is none. The pointer stays valid.
  absl::StatusOr<const CustomCallFunction*> Find(absl::string_view target) const;
  // Sorted.
  std::vector<std::string> Names() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, CustomCallFunction, std::less<>> functions_;
};

}  // namespace xla

#endif  // XLA_CORE_OPS_CUSTOM_CALL_REGISTRY_H_
