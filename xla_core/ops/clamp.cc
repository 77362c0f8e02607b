// clamp: result[i] = min(max(x[i], low[i]), high[i]), so high where low > high.
//
//   low, high: T[] or the shape of x; x, result: T[d0..dn], T not complex. NaN in any operand gives NaN: the first of
//   low, x and high that is one.
// Source: StableHLO spec, section `clamp`.
#include "absl/strings/str_cat.h"
#include "xla_core/ops/element_value.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/ops/elementwise_op.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

template <typename T>
void ClampLoop(const LoopParameters&, int64_t n, const void* const* inputs, void* result) {
  const T* const low = static_cast<const T*>(inputs[0]);
  const T* const x = static_cast<const T*>(inputs[1]);
  const T* const high = static_cast<const T*>(inputs[2]);
  T* const r = static_cast<T*>(result);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) r[i] = element_value::Minimum(element_value::Maximum(low[i], x[i]), high[i]);
}

absl::StatusOr<Shape> InferShapeOfClamp(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckOperandClasses(instruction, element_class::kPred | element_class::kInt | element_class::kFloat));
  Shape shape = instruction.operand(1)->shape().WithoutLayout();
  for (const int bound : {0, 2}) {
    RETURN_IF_ERROR(CheckSameElementType(instruction, 1, bound));
    if (instruction.operand(bound)->shape().IsScalar()) continue;
    ASSIGN_OR_RETURN(shape, MergeDimensions(shape, instruction.operand(bound)->shape(),
                                            absl::StrCat("operand 1 and an operand ", bound, " that is not a scalar")));
  }
  return shape;
}

}  // namespace

ElementwiseLoop FindClampLoop(PrimitiveType type) {
  return DispatchNative(type, [](auto tag) -> ElementwiseLoop {
    using T = TagType<decltype(tag)>;
    if constexpr (std::is_arithmetic_v<T>) {
      return &ClampLoop<T>;
    } else {
      return nullptr;
    }
  });
}

OpDefinition Define_kClamp() {
  OpDefinition op;
  op.min_operands = 3;
  op.max_operands = 3;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfClamp;
  op.evaluate = &EvaluateElementwise;
  return op;
}

}  // namespace xla
