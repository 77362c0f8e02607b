// async-start, async-update, async-done: an operation cut in two so that others can run meanwhile; and copy-start,
// copy-done.
//
// The start wraps a computation and has the shape ((operands), result, context...); updates pass that on and may bind
// further operands; the done gives the result. One thread of execution needs no overlap: the wrapped computation runs
// as soon as all its operands are bound, at the start or at an update.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/callee_rules.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/start_context.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool IsChainStart(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kAsyncStart || instruction.opcode() == HloOpcode::kAsyncUpdate;
}

// The start that an update or done belongs to; nullptr if the chain is broken.
const HloInstruction* FindStart(const HloInstruction& instruction) {
  const HloInstruction* at = &instruction;
  while (at->opcode() != HloOpcode::kAsyncStart) {
    if (at->operand_count() == 0 || !IsChainStart(*at->operand(0))) return nullptr;
    at = at->operand(0);
  }
  return at;
}

bool HasAsyncShape(const Shape& shape) {
  return shape.IsTuple() && shape.tuple_size() >= 2 && shape.tuple_shape(0).IsTuple();
}

void VerifyAsyncShape(const HloInstruction& instruction, Violations& violations) {
  if (!HasAsyncShape(instruction.shape())) {
    violations.Add(absl::StrCat("expected a shape of the form ((operands), result, context...), found ",
                                instruction.shape().ToString()));
  }
}

// The wrapped computation may have more parameters than are bound here; async-update binds further ones.
void VerifyAsyncStart(const HloInstruction& start, Violations& violations) {
  VerifyAsyncShape(start, violations);
  if (!HasAsyncShape(start.shape())) return;
  const HloComputation& wrapped = *start.called_computation(0);
  const std::vector<HloInstruction*> parameters = wrapped.parameters();
  if (start.operand_count() > static_cast<int>(parameters.size())) {
    violations.Add(absl::StrCat("the wrapped computation ", wrapped.name(), " has ", parameters.size(),
                                " parameters, but the start binds ", start.operand_count(), " operands"));
    return;
  }
  for (int i = 0; i < start.operand_count(); ++i) {
    if (parameters[i] == nullptr || !parameters[i]->shape().Compatible(start.operand(i)->shape())) {
      violations.Add(absl::StrCat("operand ", i, " has shape ", start.operand(i)->shape().ToString(),
                                  ", which is not that of parameter ", i, " of the wrapped computation ",
                                  wrapped.name()));
    }
  }
  violations.Add(CheckCalleeResult("the wrapped computation", wrapped, start.shape().tuple_shape(1)));
  const Shape& bound = start.shape().tuple_shape(0);
  if (start.operand_count() == static_cast<int>(parameters.size()) &&
      !bound.Compatible(Shape::Tuple(OperandShapes(start)))) {
    violations.Add(absl::StrCat("element 0 of the shape must list the operands' shapes: expected ",
                                Shape::Tuple(OperandShapes(start)).ToString(), ", found ", bound.ToString()));
  }
}

// What async-update and async-done have in common: operand 0 is the step before, of the same thread, and used only
// here.
void VerifyChained(const HloInstruction& instruction, Violations& violations) {
  if (!IsChainStart(*instruction.operand(0))) {
    violations.Add(absl::StrCat("operand 0 must be an async-start or async-update, but ",
                                instruction.operand(0)->name(), " is a ", instruction.operand(0)->opcode_name()));
    return;
  }
  if (instruction.operand(0)->users().size() > 1) {
    violations.Add(absl::StrCat(instruction.operand(0)->name(), " has ", instruction.operand(0)->users().size(),
                                " users; an async operation is a chain in which each step is used once"));
  }
  // Most chains have one thread, and a chain may be long: its start is looked for only if it matters.
  const std::string& thread = instruction.attributes<AsyncAttributes>().async_execution_thread;
  if (instruction.operand(0)->attributes<AsyncAttributes>().async_execution_thread == thread) return;
  const HloInstruction* start = FindStart(instruction);
  if (start != nullptr && start->attributes<AsyncAttributes>().async_execution_thread != thread) {
    violations.Add(absl::StrCat("async_execution_thread must be that of ", start->name(), ", \"",
                                start->attributes<AsyncAttributes>().async_execution_thread, "\", found \"", thread,
                                "\""));
  }
}

void VerifyAsyncUpdate(const HloInstruction& update, Violations& violations) {
  VerifyChained(update, violations);
  VerifyAsyncShape(update, violations);
  if (update.operand_count() == 1 && !update.shape().Compatible(update.operand(0)->shape())) {
    violations.Add(absl::StrCat("an update has the shape of its operand: expected ",
                                update.operand(0)->shape().ToString(), ", found ", update.shape().ToString()));
  }
}

void VerifyAsyncDone(const HloInstruction& done, Violations& violations) {
  VerifyChained(done, violations);
  const Shape& chain = done.operand(0)->shape();
  if (HasAsyncShape(chain) && !chain.tuple_shape(1).Compatible(done.shape())) {
    violations.Add(absl::StrCat("the result of the operation is ", chain.tuple_shape(1).ToString(),
                                ", but the done has shape ", done.shape().ToString()));
  }
}

// The value of a chain whose operands so far are `bound`: ((operands), result, context...); the result is set once all
// are bound.
absl::StatusOr<Literal> AdvanceChain(const HloInstruction& step, std::vector<Literal> bound, EvalContext& context) {
  const HloInstruction* start = FindStart(step);
  if (start == nullptr) return absl::InvalidArgumentError(absl::StrCat(step.name(), ": belongs to no async-start"));
  const HloComputation& wrapped = *start->called_computation(0);
  std::vector<Literal> elements(2);
  if (static_cast<int>(bound.size()) == wrapped.parameter_count()) {
    ASSIGN_OR_RETURN(elements[1], context.Call(wrapped, bound));
  }
  elements[0] = Literal::Tuple(std::move(bound));
  RETURN_IF_ERROR(AppendContext(step.shape(), context, &elements));
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Literal> EvaluateAsyncStart(const HloInstruction& start, OperandValues& operands, EvalContext& context) {
  std::vector<Literal> bound;
  for (int i = 0; i < operands.size(); ++i) bound.push_back(operands.Take(i));
  return AdvanceChain(start, std::move(bound), context);
}

absl::StatusOr<Literal> EvaluateAsyncUpdate(const HloInstruction& update, OperandValues& operands,
                                            EvalContext& context) {
  if (operands.size() == 1) return operands.Take(0);
  Literal chain = operands.Take(0);
  std::vector<Literal> bound = chain.mutable_element(0).TakeElements();
  for (int i = 1; i < operands.size(); ++i) bound.push_back(operands.Take(i));
  return AdvanceChain(update, std::move(bound), context);
}

absl::StatusOr<Literal> EvaluateAsyncDone(const HloInstruction& done, OperandValues& operands, EvalContext&) {
  const Literal& result = operands[0].element(1);
  if (result.shape().element_type() == PRIMITIVE_TYPE_INVALID) {
    return absl::InvalidArgumentError(
        absl::StrCat(done.name(), ": the async operation is finished before all its operands are bound"));
  }
  return result;
}

// ---- copy-start(x): (destination, source, context...) with a u32[] as first context; copy-done gives the destination.

void VerifyCopyStart(const HloInstruction& start, Violations& violations) {
  const Shape& operand = start.operand(0)->shape();
  const Shape& shape = start.shape();
  if (!shape.IsTuple() || shape.tuple_size() < 3 || !shape.tuple_shape(0).Compatible(operand) ||
      !shape.tuple_shape(1).Compatible(operand) || !shape.tuple_shape(2).IsScalarOf(U32)) {
    violations.Add(absl::StrCat("expected the shape ", Shape::Tuple({operand, operand, Shape::Scalar(U32)}).ToString(),
                                ", perhaps with further context, found ", shape.ToString()));
  }
}

absl::StatusOr<Literal> EvaluateCopyStart(const HloInstruction& start, OperandValues& operands, EvalContext& context) {
  std::vector<Literal> elements;
  elements.push_back(operands[0]);
  elements.push_back(operands[0]);
  RETURN_IF_ERROR(AppendContext(start.shape(), context, &elements));
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Shape> InferCopyDone(const HloInstruction& done) {
  if (done.operand(0)->opcode() != HloOpcode::kCopyStart || !done.operand(0)->shape().IsTuple() ||
      done.operand(0)->shape().tuple_size() < 1) {
    return absl::InvalidArgumentError(absl::StrCat("the operand must be a copy-start, but ", done.operand(0)->name(),
                                                   " is a ", done.operand(0)->opcode_name()));
  }
  return done.operand(0)->shape().tuple_shape(0);
}

absl::StatusOr<Literal> EvaluateCopyDone(const HloInstruction&, OperandValues& operands, EvalContext&) {
  return operands[0].element(0);
}

}  // namespace

OpDefinition Define_kAsyncStart() {
  OpDefinition op;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<AsyncAttributes>;
  op.called_computations = {"calls"};
  op.verify = &VerifyAsyncStart;
  op.evaluate = &EvaluateAsyncStart;
  return op;
}

OpDefinition Define_kAsyncUpdate() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<AsyncAttributes>;
  op.called_computations = {"calls?"};
  op.verify = &VerifyAsyncUpdate;
  op.evaluate = &EvaluateAsyncUpdate;
  return op;
}

OpDefinition Define_kAsyncDone() {
  OpDefinition op;
  op.min_operands = op.max_operands = 1;
  op.make_attributes = &MakeAttributes<AsyncAttributes>;
  op.called_computations = {"calls?"};
  op.verify = &VerifyAsyncDone;
  op.evaluate = &EvaluateAsyncDone;
  return op;
}

OpDefinition Define_kCopyStart() {
  OpDefinition op;
  op.min_operands = op.max_operands = 1;
  op.make_attributes = &MakeAttributes<CopyStartAttributes>;
  op.verify = &VerifyCopyStart;
  op.evaluate = &EvaluateCopyStart;
  return op;
}

OpDefinition Define_kCopyDone() {
  OpDefinition op;
  op.min_operands = op.max_operands = 1;
  op.infer_shape = &InferCopyDone;
  op.evaluate = &EvaluateCopyDone;
  return op;
}

}  // namespace xla
