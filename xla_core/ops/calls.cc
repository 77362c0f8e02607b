// call, fusion, while, conditional: running other computations.
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ops/callee_rules.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

std::vector<Literal> TakeAll(OperandValues& operands) {
  std::vector<Literal> values;
  values.reserve(operands.size());
  for (int i = 0; i < operands.size(); ++i) values.push_back(operands.Take(i));
  return values;
}

// ---- call(arguments...), to_apply=f and fusion(arguments...), kind=..., calls=f: the value of f. The kind is a hint
// to code generators.

absl::StatusOr<Shape> InferCall(const HloInstruction& call) {
  const HloComputation& callee = *call.called_computation(0);
  RETURN_IF_ERROR(CheckCalleeParameters(call.opcode() == HloOpcode::kFusion ? "fused computation" : "to_apply", callee,
                                        OperandShapes(call)));
  return callee.root()->shape();
}

// A composite call stands for an operation of a higher level that it names in its frontend attributes. One that does
// not say which is a call of what it is composed of.
void VerifyCall(const HloInstruction& call, Violations& violations) {
  if (!call.attributes<CallAttributes>().is_composite) return;
  const FrontendAttributes& attributes = call.annotations().frontend_attributes;
  const auto name = attributes.find("composite.name");
  const auto version = attributes.find("composite.version");
  int64_t number = 0;
  if (name != attributes.end() && name->second.empty()) {
    violations.Add("the frontend attribute composite.name of a composite call must not be empty");
  }
  if (version != attributes.end() && (!absl::SimpleAtoi(version->second, &number) || number < 0)) {
    violations.Add(
        absl::StrCat("the frontend attribute composite.version of a composite call must be an integer of at "
                     "least 0, got ",
                     version->second));
  }
  for (const absl::string_view key : {"composite.name", "composite.attributes", "composite.version"}) {
    if (attributes.find(std::string(key)) != attributes.end()) continue;
    violations.Warn(
        absl::StrCat("a composite call without the frontend attribute ", key, " is only a call of its computation"));
  }
}

absl::StatusOr<Literal> EvaluateCall(const HloInstruction& call, OperandValues& operands, EvalContext& context) {
  return context.Call(*call.called_computation(0), TakeAll(operands));
}

// ---- while(state), condition=c, body=b: state = b(state) as long as c(state)

absl::StatusOr<Shape> InferWhile(const HloInstruction& loop) {
  const Shape& state = loop.operand(0)->shape();
  const std::vector<Shape> arguments = {state};
  RETURN_IF_ERROR(CheckCalleeParameters("condition", *loop.called_computation(0), arguments));
  RETURN_IF_ERROR(CheckCalleeResult("condition", *loop.called_computation(0), Shape::Scalar(PRED)));
  RETURN_IF_ERROR(CheckCalleeParameters("body", *loop.called_computation(1), arguments));
  RETURN_IF_ERROR(CheckCalleeResult("body", *loop.called_computation(1), state));
  return state;
}

absl::StatusOr<Literal> EvaluateWhile(const HloInstruction& loop, OperandValues& operands, EvalContext& context) {
  return context.RunWhile(loop, operands.Take(0));
}

// ---- conditional(selector, operands...): a pred selects branch 0 (true) or 1, an s32 its branch; out of range is the
// last one.

// A selector, then one operand for each branch; pred needs two branches, of which the first is for true.
absl::Status CheckConditionalOperands(const HloInstruction& conditional) {
  const Shape& selector = conditional.operand(0)->shape();
  const size_t branches = conditional.called_computations().size();
  if (!selector.IsScalarOf(PRED) && !selector.IsScalarOf(S32)) {
    return absl::InvalidArgumentError(absl::StrCat("the selector must be pred[] or s32[], but ",
                                                   conditional.operand(0)->name(), " is ", selector.ToString()));
  }
  if (branches == 0) return absl::InvalidArgumentError("expected at least one branch");
  if (selector.element_type() == PRED && branches != 2) {
    return absl::InvalidArgumentError(absl::StrCat("a pred selector needs 2 branches, found ", branches));
  }
  if (conditional.operand_count() != static_cast<int>(branches) + 1) {
    return absl::InvalidArgumentError(absl::StrCat("expected one operand for each of the ", branches,
                                                   " branches after the selector, found ",
                                                   conditional.operand_count() - 1));
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> InferConditional(const HloInstruction& conditional) {
  RETURN_IF_ERROR(CheckConditionalOperands(conditional));
  const Shape result = conditional.called_computation(0)->root()->shape();
  for (size_t i = 0; i < conditional.called_computations().size(); ++i) {
    const HloComputation& branch = *conditional.called_computation(static_cast<int>(i));
    const std::string role = absl::StrCat("branch ", i);
    RETURN_IF_ERROR(CheckCalleeParameters(role, branch, {conditional.operand(static_cast<int>(i) + 1)->shape()}));
    RETURN_IF_ERROR(CheckCalleeResult(role, branch, result));
  }
  return result;
}

absl::StatusOr<Literal> EvaluateConditional(const HloInstruction& conditional, OperandValues& operands,
                                            EvalContext& context) {
  const int branches = static_cast<int>(conditional.called_computations().size());
  int branch = branches - 1;
  if (operands[0].shape().element_type() == PRED) {
    branch = *operands[0].data<bool>() ? 0 : 1;
  } else {
    const int32_t selected = *operands[0].data<int32_t>();
    if (selected >= 0 && selected < branches) branch = selected;
  }
  std::vector<Literal> arguments;
  arguments.push_back(operands.Take(branch + 1));
  return context.Call(*conditional.called_computation(branch), std::move(arguments));
}

}  // namespace

OpDefinition Define_kCall() {
  OpDefinition op;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<CallAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferCall;
  op.verify = &VerifyCall;
  op.evaluate = &EvaluateCall;
  return op;
}

OpDefinition Define_kFusion() {
  OpDefinition op;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<FusionAttributes>;
  op.called_computations = {"calls"};
  op.infer_shape = &InferCall;
  op.evaluate = &EvaluateCall;
  return op;
}

OpDefinition Define_kWhile() {
  OpDefinition op;
  op.min_operands = op.max_operands = 1;
  op.called_computations = {"condition", "body"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferWhile;
  op.evaluate = &EvaluateWhile;
  return op;
}

OpDefinition Define_kConditional() {
  OpDefinition op;
  op.min_operands = 1;
  op.max_operands = -1;
  op.called_computations = {"branch_computations*"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferConditional;
  op.evaluate = &EvaluateConditional;
  return op;
}

}  // namespace xla
