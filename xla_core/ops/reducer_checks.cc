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

bool IsSuitableInit(const Shape& init, PrimitiveType accumulator) {
  if (init.IsScalarOf(accumulator)) return true;
  return init.IsScalar() && IsFloat(init.element_type()) && IsFloat(accumulator);
}

// The type that is written for result `i`; invalid if there is none.
PrimitiveType WrittenType(const HloInstruction& instruction, int i) {
  const Shape& shape = instruction.shape();
  if (!shape.IsTuple()) return shape.IsArray() && i == 0 ? shape.element_type() : PRIMITIVE_TYPE_INVALID;
  return i < shape.tuple_size() ? shape.tuple_shape(i).element_type() : PRIMITIVE_TYPE_INVALID;
}

// XLA lets a reducer work in another float type than the arrays; that has a meaning here, and a warning.
void WarnOfConversions(const HloInstruction& instruction, const std::vector<PrimitiveType>& types,
                       Violations& violations) {
  const std::vector<PrimitiveType> results = ReducedTypes(instruction);
  for (size_t i = 0; i < types.size(); ++i) {
    const HloInstruction& array = *instruction.operand(static_cast<int>(i));
    const HloInstruction& init = *instruction.operand(static_cast<int>(types.size() + i));
    const bool converts =
        array.shape().element_type() != types[i] || !init.shape().IsScalarOf(types[i]) || results[i] != types[i];
    if (!converts || !IsSuitableInit(init.shape(), types[i])) continue;
    violations.Warn(absl::StrCat("to_apply ", instruction.called_computation(0)->name(), " works in ",
                                 PrimitiveTypeName(types[i]), ", but ", array.name(), " is ", array.shape().ToString(),
                                 ", ", init.name(), " is ", init.shape().ToString(), " and the result is of ",
                                 PrimitiveTypeName(results[i]),
                                 "; they are converted, and the result is rounded once"));
  }
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

std::vector<PrimitiveType> AccumulatorTypes(const HloInstruction& instruction) {
  std::vector<PrimitiveType> types;
  for (int i = 0; i < ReducedArrayCount(instruction); ++i) {
    const PrimitiveType operand = instruction.operand(i)->shape().element_type();
    const PrimitiveType result = ReducerResultType(instruction, i);
    types.push_back(IsFloat(operand) && IsFloat(result) ? result : operand);
  }
  return types;
}

std::vector<PrimitiveType> ReducedTypes(const HloInstruction& instruction) {
  std::vector<PrimitiveType> types = AccumulatorTypes(instruction);
  for (size_t i = 0; i < types.size(); ++i) {
    const PrimitiveType written = WrittenType(instruction, static_cast<int>(i));
    if (IsFloat(types[i]) && IsFloat(written)) types[i] = written;
  }
  return types;
}

// Initial values, parameters and results of the function have the types that it accumulates in.
void CheckReducer(const HloInstruction& instruction, Violations& violations) {
  const int n = ReducedArrayCount(instruction);
  const std::vector<PrimitiveType> types = AccumulatorTypes(instruction);
  for (int i = 0; i < n; ++i) {
    const Shape& init = instruction.operand(n + i)->shape();
    if (IsSuitableInit(init, types[i])) continue;
    violations.Add(absl::StrCat("the initial value (operand ", n + i, ") of operand ", i, " must be ",
                                Shape::Scalar(types[i]).ToString(), ", got ", init.ToString()));
  }
  if (instruction.called_computations().empty()) return;
  WarnOfConversions(instruction, types, violations);
  std::vector<PrimitiveType> parameters = types;
  parameters.insert(parameters.end(), types.begin(), types.end());
  CheckScalarCallee("to_apply", *instruction.called_computation(0), parameters, types, violations,
                    GivesTuple(instruction));
}

}  // namespace xla
