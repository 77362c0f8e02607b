// What one row of the op table says about an opcode: everything that is not about one particular instruction.
//
// A structured op is one file (slice.cc): its documentation, shape rule, further checks, evaluator, and one function
// `OpDefinition Define_kSlice()` that the table names, so that an op without one does not link.
#ifndef XLA_CORE_OPS_OP_DEFINITION_H_
#define XLA_CORE_OPS_OP_DEFINITION_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// Collects the violations of one instruction. Messages say which rule, what was expected and what came; the verifier
// puts the computation's and the instruction's names in front.
class Violations {
 public:
  void Add(std::string message) { messages_.push_back(std::move(message)); }
  void Add(const absl::Status& status) {
    if (!status.ok()) messages_.emplace_back(status.message());
  }
  // What is odd, perhaps a mistake, but has a meaning, which the message states: no violation unless the verifier is
  // strict.
  void Warn(std::string message) { warnings_.push_back(std::move(message)); }
  const std::vector<std::string>& messages() const { return messages_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<std::string> messages_;
  std::vector<std::string> warnings_;
};

// Made once for each opcode by its file's Define function, and read from any thread. Function pointers that may be
// null say so.
struct OpDefinition {
  // Number of operands; max_operands of -1: any.
  int min_operands = 0;
  int max_operands = 0;
  // A default-constructed attribute struct; nullptr: no attributes.
  std::unique_ptr<Attributes> (*make_attributes)() = nullptr;
  // Text names of the computations it calls, in order: {"condition", "body"}. A name ending in `*` stands for a list of
  // any length
  // ("branch_computations*", "called_computations*"); one ending in `?` may be missing.
  std::vector<const char*> called_computations;
  // True if text may leave the result shape out, because infer_shape can tell it.
  bool shape_may_be_omitted = false;

  // The result shape that operands, attributes and called computations imply, without layouts; an error names the
  // violated rule. nullptr: the written shape decides (parameter, custom-call, rng ...); then `verify` checks what can
  // be checked. Called with the number of operands already checked; the instruction's own shape is missing where text
  // leaves it out.
  absl::StatusOr<Shape> (*infer_shape)(const HloInstruction& instruction) = nullptr;
  // Rules beyond "the written shape is compatible with the inferred one". nullptr: none.
  void (*verify)(const HloInstruction& instruction, Violations& violations) = nullptr;
  // The value of a verified instruction. Its result has the instruction's shape (layout included).
  absl::StatusOr<Literal> (*evaluate)(const HloInstruction& instruction, OperandValues& operands,
                                      EvalContext& context) = nullptr;
};

template <typename T>
std::unique_ptr<Attributes> MakeAttributes() {
  return std::make_unique<T>();
}

// The row of an opcode.
const OpDefinition& GetOp(HloOpcode opcode);

}  // namespace xla

#endif  // XLA_CORE_OPS_OP_DEFINITION_H_
