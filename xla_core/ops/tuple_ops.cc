// parameter, constant, tuple, get-tuple-element, opt-barrier, domain: where values come from and how they are bundled.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/callee_rules.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// ---- parameter(number): the number is checked for the whole computation by the verifier, the value comes from the
// caller.

absl::StatusOr<Literal> EvaluateParameter(const HloInstruction& instruction, OperandValues&, EvalContext&) {
  return absl::InternalError(absl::StrCat(instruction.name(), ": a parameter has no value of its own"));
}

// ---- constant(literal)

void VerifyConstant(const HloInstruction& constant, Violations& violations) {
  const auto& literal = constant.attributes<ConstantAttributes>().literal;
  if (literal != nullptr && !literal->shape().Compatible(constant.shape())) {
    violations.Add(absl::StrCat("the literal of a constant must have its shape: shape is ", constant.shape().ToString(),
                                ", literal is ", literal->shape().ToString()));
  }
}

absl::StatusOr<Literal> EvaluateConstant(const HloInstruction& constant, OperandValues&, EvalContext&) {
  const auto& literal = constant.attributes<ConstantAttributes>().literal;
  if (literal == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(constant.name(),
                     ": the value of this constant was left out when the module was printed ({...}), so it can be "
                     "read and printed but not run; print the module with large constants"));
  }
  return *literal;
}

// ---- tuple(elements...) and get-tuple-element(tuple), index=i

absl::StatusOr<Shape> InferTuple(const HloInstruction& tuple) { return Shape::Tuple(OperandShapes(tuple)); }

absl::StatusOr<Literal> EvaluateTuple(const HloInstruction&, OperandValues& operands, EvalContext&) {
  std::vector<Literal> elements;
  elements.reserve(operands.size());
  for (int i = 0; i < operands.size(); ++i) elements.push_back(operands.Take(i));
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Shape> InferGetTupleElement(const HloInstruction& gte) {
  const Shape& tuple = gte.operand(0)->shape();
  const int64_t index = gte.attributes<GetTupleElementAttributes>().index;
  if (!tuple.IsTuple()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the operand must be a tuple, but ", gte.operand(0)->name(), " has shape ", tuple.ToString()));
  }
  if (index < 0 || index >= tuple.tuple_size()) {
    return absl::InvalidArgumentError(absl::StrCat("index ", index, " is out of range: ", gte.operand(0)->name(),
                                                   " has ", tuple.tuple_size(), " elements, expected 0 <= index < ",
                                                   tuple.tuple_size()));
  }
  return tuple.tuple_shape(static_cast<int>(index));
}

absl::StatusOr<Literal> EvaluateGetTupleElement(const HloInstruction& gte, OperandValues& operands, EvalContext&) {
  return operands[0].element(static_cast<int>(gte.attributes<GetTupleElementAttributes>().index));
}

// ---- opt-barrier(x) and domain(x): the identity

absl::StatusOr<Shape> InferIdentity(const HloInstruction& instruction) { return instruction.operand(0)->shape(); }

absl::StatusOr<Literal> EvaluateIdentity(const HloInstruction&, OperandValues& operands, EvalContext&) {
  return operands.Take(0);
}

}  // namespace

OpDefinition Define_kParameter() {
  OpDefinition op;
  op.make_attributes = &MakeAttributes<ParameterAttributes>;
  op.evaluate = &EvaluateParameter;
  return op;
}

OpDefinition Define_kConstant() {
  OpDefinition op;
  op.make_attributes = &MakeAttributes<ConstantAttributes>;
  op.verify = &VerifyConstant;
  op.evaluate = &EvaluateConstant;
  return op;
}

OpDefinition Define_kTuple() {
  OpDefinition op;
  op.max_operands = -1;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferTuple;
  op.evaluate = &EvaluateTuple;
  return op;
}

OpDefinition Define_kGetTupleElement() {
  OpDefinition op;
  op.min_operands = op.max_operands = 1;
  op.make_attributes = &MakeAttributes<GetTupleElementAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferGetTupleElement;
  op.evaluate = &EvaluateGetTupleElement;
  return op;
}

OpDefinition Define_kOptBarrier() {
  OpDefinition op;
  op.min_operands = op.max_operands = 1;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferIdentity;
  op.evaluate = &EvaluateIdentity;
  return op;
}

OpDefinition Define_kDomain() {
  OpDefinition op;
  op.min_operands = op.max_operands = 1;
  op.make_attributes = &MakeAttributes<DomainAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferIdentity;
  op.evaluate = &EvaluateIdentity;
  return op;
}

}  // namespace xla
