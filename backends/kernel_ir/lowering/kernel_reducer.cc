#include "backends/kernel_ir/lowering/kernel_reducer.h"

#include <memory>
#include <utility>

#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/known_reducer.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/ops/scalar_function.h"

namespace xla {
namespace {

// The reducer of an operation that has a neutral element. Narrow floats accumulate in f32; extrema of less than a
// byte have bounds other than those of the byte that they are stored in.
KernelReducer KnownReducerOf(HloOpcode op, PrimitiveType type) {
  KernelReducer reducer;
  DispatchKnownReducer(op, type, [&](auto known) {
    using Known = decltype(known);
    reducer.op = op;
    // Also for extrema, because not all narrow types have the infinities that are their identities.
    reducer.accumulator_type = IsNarrowFloatType(type) ? F32 : type;
    reducer.reorders = Known::kReorders;
    alignas(16) char bytes[16] = {};
    if (type == PRED) {
      // Words that count as true have other bits than 1.
      bytes[0] = Known::Identity() != typename Known::Accumulator(0) ? 1 : 0;
    } else {
      StoreAccumulator(Known::Identity(), reducer.accumulator_type, bytes);
    }
    reducer.neutral = Literal::ScalarOf(reducer.accumulator_type, bytes);
    // The least and the greatest of less than a byte are others than those of the bytes that they are kept in.
    if (IsSubByte(type) && op == HloOpcode::kMaximum)
      reducer.neutral = *LiteralUtil::MinValue(reducer.accumulator_type);
    if (IsSubByte(type) && op == HloOpcode::kMinimum)
      reducer.neutral = *LiteralUtil::MaxValue(reducer.accumulator_type);
  });
  return reducer;
}

}  // namespace

bool MayRepeatElements(const KernelReducer& reducer) {
  return reducer.op.has_value() && HasTrait(*reducer.op, opcode_trait::kIdempotent);
}

KernelReducer AnalyzeReducer(const HloComputation& computation, PrimitiveType type) {
  const auto function = ScalarFunction::Compile(computation);
  if (!function.ok() || (*function)->parameter_count() != 2) return KernelReducer();
  const ScalarFunction::Known& known = (*function)->known();
  if (known.kind != ScalarFunction::Known::Kind::kBinary || known.op == HloOpcode::kCompare) return KernelReducer();
  return KnownReducerOf(known.op, type);
}

KernelReducer SumReducer(PrimitiveType type) { return KnownReducerOf(HloOpcode::kAdd, type); }

}  // namespace xla
