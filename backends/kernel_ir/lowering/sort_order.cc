#include "backends/kernel_ir/lowering/sort_order.h"

#include <utility>

namespace xla {
namespace {

KernelValue ValueOfKey(const SortKey& key, absl::Span<const KernelValue> element, ElementEmitter& emitter) {
  const KernelValue value = element[key.operand];
  return key.expression == nullptr ? value : emitter.Apply(*key.expression, {value})[0];
}

// x < y; of floats by value, also where only y is NaN.
KernelValue IsLess(const SortKey& key, KernelValue x, KernelValue y, KernelBuilder& b) {
  if (!IsFloat(key.type) || key.order == KeyOrder::kTotalOrder) {
    return b.Compare(ComparisonDirection::kLt, x, y, IsFloat(key.type));
  }
  const KernelValue is_number = b.Compare(ComparisonDirection::kEq, x, x);
  return b.And(is_number, b.Unary(HloOpcode::kNot, b.Compare(ComparisonDirection::kGe, x, y)));
}

KernelValue Precedes(const SortKey& key, KernelValue x, KernelValue y, KernelBuilder& b) {
  return key.descending ? IsLess(key, y, x, b) : IsLess(key, x, y, b);
}

}  // namespace

SortOrder::SortOrder(const HloComputation& comparator) : comparator_(comparator), keys_(KeysOfComparator(comparator)) {}

// By keys from the least important one on: its order counts where the more important ones are equal.
KernelValue SortOrder::IsBefore(absl::Span<const KernelValue> a, absl::Span<const KernelValue> b,
                                ElementEmitter& emitter) const {
  KernelBuilder& builder = emitter.builder();
  if (keys_.empty()) {
    std::vector<KernelValue> arguments;
    for (size_t k = 0; k < a.size(); ++k) arguments.insert(arguments.end(), {a[k], b[k]});
    return emitter.Apply(comparator_, arguments)[0];
  }
  KernelValue is_before = kNoValue;
  for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {
    const KernelValue x = ValueOfKey(*key, a, emitter);
    const KernelValue y = ValueOfKey(*key, b, emitter);
    const KernelValue precedes = Precedes(*key, x, y, builder);
    if (key == keys_.rbegin()) {
      is_before = precedes;
      continue;
    }
    const KernelValue may_be_equal = builder.Unary(HloOpcode::kNot, Precedes(*key, y, x, builder));
    is_before = builder.Binary(HloOpcode::kOr, precedes, builder.And(may_be_equal, is_before));
  }
  return is_before;
}

}  // namespace xla
