#include "xla_core/ops/reducer_checks.h"

#include "absl/strings/str_cat.h"
#include "xla_core/ops/callee_signature.h"
#include "xla_core/ops/operand_checks.h"

namespace xla {
namespace {

// The type of result `i` of the reducer; invalid if it has no such scalar.
PrimitiveType ReducerResultType(const HloInstruction& instruction, int i) {
  if (instruction.called_computations().empty() || instruction.called_computation(0)->root() == nullptr) {
    return PRIMITIVE_TYPE_INVALID;
  }
  const Shape& result = instruction.called_computation(0)->root()->shape();
  if (!result.IsTuple()) return result.IsScalar() && i == 0 ? result.element_type() : PRIMITIVE_TYPE_INVALID;
  return i < result.tuple_size() && result.tuple_shape(i).IsScalar() ? result.tuple_shape(i).element_type()
                                                                     : PRIMITIVE_TYPE_INVALID;
}

bool IsSuitableInit(const Shape& init, PrimitiveType accumulator, bool mixed_precision) {
  if (init.IsScalarOf(accumulator)) return true;
  return mixed_precision && init.IsScalar() && IsFloat(init.element_type()) && IsFloat(accumulator);
}

}  // namespace

absl::Status CheckReducedArrays(const HloInstruction& instruction) {
  if (instruction.operand_count() % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected arrays followed by as many initial values, so an even number of operands, got ",
                     instruction.operand_count()));
  }
  return CheckEqualDimensions(instruction, ReducedArrayCount(instruction));
}

bool GivesTuple(const HloInstruction& instruction) {
  if (ReducedArrayCount(instruction) != 1) return true;
  const auto callees = instruction.called_computations();
  return !callees.empty() && callees[0]->root() != nullptr && callees[0]->root()->shape().IsTuple();
}

std::vector<PrimitiveType> AccumulatorTypes(const HloInstruction& instruction, bool mixed_precision) {
  std::vector<PrimitiveType> types;
  for (int i = 0; i < ReducedArrayCount(instruction); ++i) {
    const PrimitiveType operand = instruction.operand(i)->shape().element_type();
    const PrimitiveType result = ReducerResultType(instruction, i);
    types.push_back(mixed_precision && IsFloat(operand) && IsFloat(result) ? result : operand);
  }
  return types;
}

void CheckReducer(const HloInstruction& instruction, bool mixed_precision, Violations& violations) {
  const int n = ReducedArrayCount(instruction);
  const std::vector<PrimitiveType> types = AccumulatorTypes(instruction, mixed_precision);
  for (int i = 0; i < n; ++i) {
    const Shape& init = instruction.operand(n + i)->shape();
    if (IsSuitableInit(init, types[i], mixed_precision)) continue;
    violations.Add(absl::StrCat("the initial value (operand ", n + i, ") of operand ", i, " must be ",
                                Shape::Scalar(types[i]).ToString(), ", got ", init.ToString()));
  }
  if (instruction.called_computations().empty()) return;
  std::vector<PrimitiveType> parameters = types;
  parameters.insert(parameters.end(), types.begin(), types.end());
  CheckScalarCallee("to_apply", *instruction.called_computation(0), parameters, types, violations,
                    GivesTuple(instruction));
}

}  // namespace xla
