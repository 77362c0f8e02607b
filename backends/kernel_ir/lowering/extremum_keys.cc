#include "backends/kernel_ir/lowering/extremum_keys.h"

#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

PrimitiveType KeyTypeOf(PrimitiveType type) {
  switch (type) {
    case BF16:
    case F16:
      return S16;
    case F32:
      return S32;
    case F64:
      return S64;
    default:
      return PRIMITIVE_TYPE_INVALID;
  }
}

// How many bits of a float's fraction there are: NaN have any but 0 in them.
int FractionBits(PrimitiveType type) {
  switch (type) {
    case BF16:
      return 7;
    case F16:
      return 10;
    case F32:
      return 23;
    default:
      return 52;
  }
}

}  // namespace

// Integers that order as floats do, so that extrema of scattered floats become those of integers. nullopt for other
// reducers and types.
absl::optional<ExtremumKeys> ExtremumKeys::Of(const KernelReducer& reducer, PrimitiveType type) {
  const bool is_extremum = reducer.op == HloOpcode::kMaximum || reducer.op == HloOpcode::kMinimum;
  const PrimitiveType key_type = KeyTypeOf(type);
  if (!is_extremum || key_type == PRIMITIVE_TYPE_INVALID) return absl::nullopt;
  const bool maximum = reducer.op == HloOpcode::kMaximum;
  const int64_t nans = (int64_t{1} << FractionBits(type)) - 1;
  ExtremumKeys keys;
  keys.float_ = type;
  keys.turn_ = maximum ? -nans : nans;
  keys.keys_.op = reducer.op;
  keys.keys_.accumulator_type = key_type;
  keys.keys_.reorders = true;
  keys.keys_.neutral = *(maximum ? LiteralUtil::MinValue(key_type) : LiteralUtil::MaxValue(key_type));
  return keys;
}

KernelValue ExtremumKeys::Number(KernelBuilder& b, int64_t x) const {
  return b.Constant(*LiteralUtil::Number(type(), x));
}

// Inverts what is after the sign of those that have one; twice is as good as never.
KernelValue ExtremumKeys::SwapNegatives(KernelBuilder& b, KernelValue bits) const {
  const KernelValue sign = b.Binary(HloOpcode::kShiftRightArithmetic, bits, Number(b, BitWidth(type()) - 1));
  const KernelValue magnitude = b.Constant(*LiteralUtil::MaxValue(type()));
  return b.Binary(HloOpcode::kXor, bits, b.Binary(HloOpcode::kAnd, sign, magnitude));
}

KernelValue ExtremumKeys::KeyOf(KernelBuilder& b, KernelValue value) const {
  return b.Binary(HloOpcode::kAdd, SwapNegatives(b, b.BitcastConvert(value, type())), Number(b, turn_));
}

KernelValue ExtremumKeys::ValueOf(KernelBuilder& b, KernelValue key) const {
  return b.BitcastConvert(SwapNegatives(b, b.Binary(HloOpcode::kSubtract, key, Number(b, turn_))), float_);
}

}  // namespace xla
