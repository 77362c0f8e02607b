#include "passes/base/odd_forms.h"

#include <algorithm>

#include "xla_core/ir/hlo_computation.h"

namespace xla {
namespace {

PrimitiveType TypeOf(const HloInstruction* x) { return x->shape().element_type(); }

const Shape& ElementOf(const Shape& shape, int i) { return shape.IsTuple() ? shape.tuple_shape(i) : shape; }

bool IsReduction(HloOpcode opcode) { return opcode == HloOpcode::kReduce || opcode == HloOpcode::kReduceWindow; }

// Arrays that an operation of n arrays takes.
int ArrayCount(const HloInstruction& instruction) {
  const bool is_half = IsReduction(instruction.opcode()) || instruction.opcode() == HloOpcode::kScatter;
  return is_half ? instruction.operand_count() / 2 : instruction.operand_count();
}

}  // namespace

bool GivesTupleOfOne(const HloInstruction& instruction) {
  const Shape& shape = instruction.shape();
  return shape.IsTuple() && shape.tuple_size() == 1 && ArrayCount(instruction) == 1 &&
         instruction.operand(0)->shape().IsArray();
}

bool CombinesToTuple(const HloInstruction& scatter) {
  return ArrayCount(scatter) == 1 && scatter.called_computation(0)->root()->shape().IsTuple();
}

bool ReducesInOtherType(const HloInstruction& reduction) {
  const int n = ArrayCount(reduction);
  const Shape& reduced = reduction.called_computation(0)->root()->shape();
  for (int i = 0; i < n; ++i) {
    const PrimitiveType type = ElementOf(reduced, i).element_type();
    if (TypeOf(reduction.operand(i)) != type || TypeOf(reduction.operand(n + i)) != type ||
        ElementOf(reduction.shape(), i).element_type() != type) {
      return true;
    }
  }
  return false;
}

bool HasReversedWindow(const HloInstruction& instruction) {
  const auto& dimensions = instruction.attributes<WindowAttributes>().window.dimensions;
  return std::any_of(dimensions.begin(), dimensions.end(), [](const WindowDimension& d) { return d.window_reversal; });
}

bool SelectsTuple(const HloInstruction& select) { return select.shape().IsTuple(); }

bool MultipliesKinds(const HloInstruction& product) {
  const PrimitiveType lhs = TypeOf(product.operand(0)), rhs = TypeOf(product.operand(1));
  return (lhs == PRED) != (rhs == PRED) || IsComplex(lhs) != IsComplex(rhs);
}

bool SumsNarrowly(const HloInstruction& product) {
  const PrimitiveType lhs = TypeOf(product.operand(0)), rhs = TypeOf(product.operand(1)), own = TypeOf(&product);
  return IsInt(lhs) && IsInt(rhs) && IsInt(own) && BitWidth(own) < std::max(BitWidth(lhs), BitWidth(rhs));
}

bool ComparesAsOtherType(const HloInstruction& compare) {
  const ComparisonType as = compare.attributes<CompareAttributes>().type;
  const PrimitiveType type = TypeOf(compare.operand(0));
  return as != DefaultComparisonType(type) && !(as == ComparisonType::kTotalOrder && IsFloat(type));
}

bool BitcastsParts(const HloInstruction& bitcast_convert) {
  return IsComplex(TypeOf(bitcast_convert.operand(0))) != IsComplex(TypeOf(&bitcast_convert));
}

bool IsOddForm(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kAllGather:
    case HloOpcode::kAllReduce:
    case HloOpcode::kCollectivePermute:
    case HloOpcode::kReduceScatter:
    case HloOpcode::kSort:
      return GivesTupleOfOne(instruction);
    case HloOpcode::kScatter:
      return GivesTupleOfOne(instruction) || CombinesToTuple(instruction);
    case HloOpcode::kReduce:
      return GivesTupleOfOne(instruction) || ReducesInOtherType(instruction);
    case HloOpcode::kReduceWindow:
      return GivesTupleOfOne(instruction) || ReducesInOtherType(instruction) || HasReversedWindow(instruction);
    case HloOpcode::kSelectAndScatter:
      return HasReversedWindow(instruction);
    case HloOpcode::kSelect:
      return SelectsTuple(instruction);
    case HloOpcode::kConvolution:
    case HloOpcode::kDot:
    case HloOpcode::kRaggedDot:
      return MultipliesKinds(instruction) || SumsNarrowly(instruction);
    case HloOpcode::kCompare:
      return ComparesAsOtherType(instruction);
    case HloOpcode::kBitcastConvert:
      return BitcastsParts(instruction);
    default:
      return false;
  }
}

}  // namespace xla
