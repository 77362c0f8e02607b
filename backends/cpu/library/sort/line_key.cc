#include "backends/cpu/library/sort/line_key.h"

#include <cstring>

#include "absl/types/optional.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/comparator_keys.h"

namespace xla {
namespace {

// The bits of infinity; 0 of formats that have none, or are not known here.
uint64_t InfinityBits(PrimitiveType type) {
  switch (type) {
    case F64:
      return uint64_t{0x7FF} << 52;
    case F32:
      return uint64_t{0xFF} << 23;
    case BF16:
      return 0x7F80;
    case F16:
      return 0x7C00;
    default:
      return 0;
  }
}

bool IsParameter(const HloInstruction& instruction) { return instruction.opcode() == HloOpcode::kParameter; }

// The bits of a scalar constant of at most 8 bytes.
absl::optional<uint64_t> ConstantBits(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kConstant || !instruction.shape().IsScalar()) return absl::nullopt;
  const auto& literal = instruction.attributes<ConstantAttributes>().literal;
  const int64_t width = ByteWidth(instruction.shape().element_type());
  if (literal == nullptr || width > 8) return absl::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, literal->untyped_data(), width);
  return bits;
}

// Takes the selection that an expression of one element begins with into `key`, if it is x != x ? NaN : ... or
// x == 0 ? 0 : ...
bool AddMerge(const HloInstruction& select, LineKey& key) {
  const HloInstruction& condition = *select.operand(0);
  const absl::optional<uint64_t> replacement = ConstantBits(*select.operand(1));
  if (condition.opcode() != HloOpcode::kCompare || !replacement.has_value()) return false;
  const auto& compare = condition.attributes<CompareAttributes>();
  if (compare.type == ComparisonType::kTotalOrder) return false;
  const HloInstruction& left = *condition.operand(0);
  const HloInstruction& right = *condition.operand(1);
  if (compare.direction == ComparisonDirection::kNe) {
    // A positive NaN, so that total order puts it last.
    key.merges_nan = true;
    return IsParameter(left) && IsParameter(right) && *replacement > key.infinity && *replacement < key.sign_bit;
  }
  const HloInstruction& other = IsParameter(left) ? right : left;
  const absl::optional<uint64_t> zero = ConstantBits(other);
  key.merges_zero = true;
  return compare.direction == ComparisonDirection::kEq && (IsParameter(left) || IsParameter(right)) &&
         zero.has_value() && (*zero & ~key.sign_bit) == 0 && (*replacement & ~key.sign_bit) == 0;
}

// The float whose bits the expression makes a signed number in total order: bits ^ (bits >> (width - 1) & largest).
// nullptr if it is another expression.
const HloInstruction* OrderedFloat(const HloInstruction& expression) {
  if (expression.opcode() != HloOpcode::kXor || !IsSignedInt(expression.shape().element_type())) return nullptr;
  const HloInstruction& bits = *expression.operand(0);
  const HloInstruction& flipped = *expression.operand(1);
  if (bits.opcode() != HloOpcode::kBitcastConvert || flipped.opcode() != HloOpcode::kAnd) return nullptr;
  const HloInstruction& shift = *flipped.operand(0);
  if (shift.opcode() != HloOpcode::kShiftRightArithmetic || shift.operand(0) != &bits) return nullptr;
  const uint64_t highest = 8 * ByteWidth(expression.shape().element_type()) - 1;
  const bool is_order = ConstantBits(*shift.operand(1)) == highest &&
                        ConstantBits(*flipped.operand(1)) == (uint64_t{1} << highest) - 1 &&
                        IsFloat(bits.operand(0)->shape().element_type());
  return is_order ? bits.operand(0) : nullptr;
}

// nullopt if the key is an expression, or of a type, that is not known here.
absl::optional<LineKey> LineKeyOf(const SortKey& key, PrimitiveType element_type) {
  const HloInstruction* expression = key.expression == nullptr ? nullptr : key.expression->root();
  bool is_total_order = key.order == KeyOrder::kTotalOrder;
  PrimitiveType type = key.type;
  if (expression != nullptr && !IsFloat(type)) {
    expression = OrderedFloat(*expression);
    if (expression == nullptr) return absl::nullopt;
    is_total_order = true;
    type = expression->shape().element_type();
  }
  LineKey line_key;
  if (type != element_type || ByteWidth(type) > 8) return absl::nullopt;
  line_key.operand = key.operand;
  line_key.width = static_cast<int>(ByteWidth(type));
  line_key.is_float = IsFloat(type);
  line_key.descending = key.descending;
  line_key.mask = line_key.width == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * line_key.width)) - 1;
  if (line_key.is_float || IsSignedInt(type)) line_key.sign_bit = uint64_t{1} << (8 * line_key.width - 1);
  if (!line_key.is_float) return line_key;
  line_key.infinity = InfinityBits(type);
  if (line_key.infinity == 0) return absl::nullopt;
  line_key.merges_nan = line_key.merges_zero = !is_total_order;
  while (expression != nullptr && expression->opcode() == HloOpcode::kSelect) {
    if (!AddMerge(*expression, line_key)) return absl::nullopt;
    expression = expression->operand(2);
  }
  if (expression != nullptr && expression->opcode() == HloOpcode::kAbs) {
    line_key.is_magnitude = true;
    expression = expression->operand(0);
  }
  if (expression != nullptr && !IsParameter(*expression)) return absl::nullopt;
  return line_key;
}

}  // namespace

std::vector<LineKey> LineKeysOf(const HloInstruction& sort) {
  std::vector<LineKey> line_keys;
  for (const SortKey& key : KeysOfComparator(*sort.called_computation(0))) {
    const absl::optional<LineKey> line_key = LineKeyOf(key, sort.operand(key.operand)->shape().element_type());
    if (!line_key.has_value()) return {};
    line_keys.push_back(*line_key);
  }
  return line_keys;
}

}  // namespace xla
