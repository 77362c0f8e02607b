#include "passes/base/odd_forms.h"

#include <algorithm>

#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ir/opcode_map.h"

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

namespace {

bool IsOddScatter(const HloInstruction& scatter) { return GivesTupleOfOne(scatter) || CombinesToTuple(scatter); }
bool IsOddReduction(const HloInstruction& reduction) {
  return GivesTupleOfOne(reduction) || ReducesInOtherType(reduction);
}
bool IsOddReduceWindow(const HloInstruction& reduce_window) {
  return IsOddReduction(reduce_window) || HasReversedWindow(reduce_window);
}
bool IsOddProduct(const HloInstruction& product) { return MultipliesKinds(product) || SumsNarrowly(product); }

}  // namespace

bool IsOddForm(const HloInstruction& instruction) {
  using Check = bool (*)(const HloInstruction& instruction);
  static constexpr OpcodeMap<Check> kChecks(/*otherwise=*/nullptr, {{HloOpcode::kAllGather, &GivesTupleOfOne},
                                                                    {HloOpcode::kAllReduce, &GivesTupleOfOne},
                                                                    {HloOpcode::kCollectivePermute, &GivesTupleOfOne},
                                                                    {HloOpcode::kReduceScatter, &GivesTupleOfOne},
                                                                    {HloOpcode::kSort, &GivesTupleOfOne},
                                                                    {HloOpcode::kScatter, &IsOddScatter},
                                                                    {HloOpcode::kReduce, &IsOddReduction},
                                                                    {HloOpcode::kReduceWindow, &IsOddReduceWindow},
                                                                    {HloOpcode::kSelectAndScatter, &HasReversedWindow},
                                                                    {HloOpcode::kSelect, &SelectsTuple},
                                                                    {HloOpcode::kConvolution, &IsOddProduct},
                                                                    {HloOpcode::kDot, &IsOddProduct},
                                                                    {HloOpcode::kRaggedDot, &IsOddProduct},
                                                                    {HloOpcode::kCompare, &ComparesAsOtherType},
                                                                    {HloOpcode::kBitcastConvert, &BitcastsParts}});
  const Check check = kChecks[instruction.opcode()];
  return check != nullptr && check(instruction);
}

}  // namespace xla
