#include "passes/algebra/known_finite.h"

#include <algorithm>
#include <cmath>

#include "absl/status/statusor.h"
#include "passes/base/splat.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

constexpr int64_t kMostElements = 1 << 20;

// The result's elements are some of the operand's. (It does not look through copies.)
bool MovesElements(HloOpcode opcode) {
  return HasTrait(opcode, opcode_trait::kPicksElements) && opcode != HloOpcode::kCopy;
}

}  // namespace

// Whether no element is infinite or NaN, by what it was made of: an integer, a predicate, or a constant of up to
// kMostElements.
bool IsKnownFinite(const HloInstruction& x) {
  const HloInstruction* source = &x;
  while (MovesElements(source->opcode())) source = source->operand(0);
  const PrimitiveType type = source->shape().element_type();
  if (IsInt(type) || type == PRED) return true;
  const bool is_number = source->opcode() == HloOpcode::kConvert && source->operand(0)->shape().element_type() == PRED;
  if (is_number && (type == F32 || type == F64 || type == F16 || type == BF16)) return true;
  const Literal* const literal = ConstantValue(*source);
  if (literal == nullptr || !IsFloat(type) || literal->element_count() > kMostElements) return false;
  const absl::StatusOr<Literal> wide = LiteralUtil::Convert(*literal, F64);
  if (!wide.ok()) return false;
  const auto values = wide->span<double>();
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

}  // namespace xla
