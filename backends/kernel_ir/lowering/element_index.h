// ElementIndex: which element of an array, as values of a kernel that is being built.
//
// Neighbouring dimensions may share one value, that of the row-major number of the element within them: a loop over all
// of an array need not be taken apart into its dimensions for operations that do not look at them. Dimensions of size
// one have no value. {2,3,1,4}[i,j,0,k] may be the groups (i)(j)(k), (i)(4*j+k), (12*i+4*j+k) ...
#ifndef BACKENDS_KERNEL_IR_LOWERING_ELEMENT_INDEX_H_
#define BACKENDS_KERNEL_IR_LOWERING_ELEMENT_INDEX_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "xla_core/types/shape.h"

namespace xla {

// Neighbouring dimensions that share one value: 0 <= value < size, the row-major number within them.
struct IndexGroup {
  int64_t size = 1;  // product of the dimensions
  KernelValue value = kNoValue;
};
// In order of the dimensions larger than one, of which each group stands for one or more.
using ElementIndex = absl::InlinedVector<IndexGroup, 4>;

// A loop index that was taken apart: value / inner or value mod inner was asked for.
struct IndexSplit {
  KernelValue value;
  int64_t inner;
};

// What can be done with indices. Instructions go where the builder is.
class IndexArithmetic {
 public:
  explicit IndexArithmetic(KernelBuilder* builder) : b_(*builder) {}

  // The value along dimension `d`.
  KernelValue At(absl::Span<const int64_t> sizes, const ElementIndex& index, int d);
  // An index of one value for each dimension.
  static ElementIndex Of(absl::Span<const int64_t> sizes, absl::Span<const KernelValue> values);
  // The element of the same row-major number in an array of other dimensions and as many elements.
  ElementIndex Reshape(const ElementIndex& index, absl::Span<const int64_t> to);
  // The index in an array of `sizes` whose dimension d has the index of dimension from[d] of another one, or, where
  // that is -1, own[d].
  ElementIndex Rearrange(absl::Span<const int64_t> from_sizes, const ElementIndex& index,
                         absl::Span<const int64_t> sizes, absl::Span<const int> from,
                         absl::Span<const KernelValue> own);
  // The index in an array of `sizes` whose dimensions lie in `order`, slowest first, of the element that has number
  // `at` along dimension d, `row` among the slower ones and `column` among the faster ones.
  ElementIndex Along(int d, absl::Span<const int64_t> sizes, absl::Span<const int> order, KernelValue row,
                     KernelValue at, KernelValue column);
  // The row-major number of the element.
  KernelValue Linear(const ElementIndex& index);

  // In order, without repetitions that follow each other; for whoever chose the loops.
  const std::vector<IndexSplit>& splits() const { return splits_; }

 private:
  KernelBuilder& b_;
  std::vector<IndexSplit> splits_;
};

// How many iterations block `number` has of a loop of `size` that is cut into blocks of `block`.
KernelValue BlockExtent(KernelBuilder& b, int64_t size, int64_t block, KernelValue number);

// The dimensions of an array as they lie in memory, slowest first, and their sizes.
std::vector<int> PhysicalOrder(const Shape& shape);
DimensionVector PhysicalSizes(const Shape& shape);
}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_ELEMENT_INDEX_H_
