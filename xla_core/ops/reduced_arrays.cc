#include "xla_core/ops/reduced_arrays.h"

#include <utility>

#include "xla_core/ops/float_convert.h"
#include "xla_core/ops/reducer_checks.h"
#include "xla_core/ops/variadic_result.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Literal> ConvertIfFloat(const Literal& array, PrimitiveType type, EvalContext& context) {
  return IsFloat(type) ? ConvertFloats(array, type, context) : array;
}

// The shape of array k of the result.
const Shape& ResultShape(const HloInstruction& instruction, size_t k) {
  return instruction.shape().IsTuple() ? instruction.shape().tuple_shape(static_cast<int>(k)) : instruction.shape();
}

}  // namespace

absl::StatusOr<ReducedArrays> ReducedArrays::Make(const HloInstruction& instruction, const OperandValues& operands,
                                                  EvalContext& context) {
  ReducedArrays arrays(instruction);
  const std::vector<PrimitiveType> types = AccumulatorTypes(instruction);
  const int count = ReducedArrayCount(instruction);
  for (int i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Literal elements, ConvertIfFloat(operands[i], types[i], context));
    ASSIGN_OR_RETURN(Literal init, ConvertIfFloat(operands[count + i], types[i], context));
    Shape shape = ResultShape(instruction, i);
    shape.set_element_type(types[i]);
    ASSIGN_OR_RETURN(Literal result, context.AllocateZeros(shape));
    arrays.elements_.push_back(std::move(elements));
    arrays.inits_.push_back(std::move(init));
    arrays.results_.push_back(std::move(result));
  }
  return arrays;
}

std::vector<FoldedArray> ReducedArrays::Folded() {
  std::vector<FoldedArray> folded;
  for (size_t i = 0; i < results_.size(); ++i) {
    folded.push_back({results_[i].shape().element_type(), elements_[i].untyped_data(), inits_[i].untyped_data(),
                      results_[i].untyped_mutable_data()});
  }
  return folded;
}

absl::StatusOr<Literal> ReducedArrays::TakeResult(EvalContext& context) {
  for (size_t i = 0; i < results_.size(); ++i) {
    const Shape& shape = ResultShape(instruction_, i);
    ASSIGN_OR_RETURN(results_[i], ConvertIfFloat(results_[i], shape.element_type(), context));
  }
  return ArrayOrTuple(std::move(results_), GivesTuple(instruction_));
}

}  // namespace xla
