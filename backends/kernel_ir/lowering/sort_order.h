// Which of two elements a sort puts first, as a value of a kernel.
#ifndef BACKENDS_KERNEL_IR_LOWERING_SORT_ORDER_H_
#define BACKENDS_KERNEL_IR_LOWERING_SORT_ORDER_H_

#include <vector>

#include "absl/types/span.h"
#include "backends/kernel_ir/lowering/element_emitter.h"
#include "xla_core/ops/comparator_keys.h"

namespace xla {

// The order of a comparator. One that compares keys is an order whatever the elements: NaN are equal and the greatest,
// as in the interpreter. Another one is applied as it is, and may contradict itself.
class SortOrder {
 public:
  explicit SortOrder(const HloComputation& comparator);

  // Whether an element comes before another one: a pred. Of each operand of the sort, the element's value.
  KernelValue IsBefore(absl::Span<const KernelValue> a, absl::Span<const KernelValue> b, ElementEmitter& emitter) const;

 private:
  const HloComputation& comparator_;
  const std::vector<SortKey> keys_;  // empty: the comparator is not of this kind
};

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_SORT_ORDER_H_
