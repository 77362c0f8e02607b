#include "xla_core/types/dynamic_sizes.h"

#include <algorithm>
#include <cstdint>

#include "xla_core/support/status_macros.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

// Copies between two arrays of the same rank the box of the smaller sizes in each dimension, elementwise.
template <typename T>
void CopyBox(const T* from, absl::Span<const int64_t> from_dimensions, T* to, absl::Span<const int64_t> to_dimensions) {
  const int rank = static_cast<int>(from_dimensions.size());
  if (rank == 0) {
    *to = *from;
    return;
  }
  const int64_t n = std::min(from_dimensions[0], to_dimensions[0]);
  if (rank == 1) {
    std::copy(from, from + n, to);
    return;
  }
  int64_t from_stride = 1, to_stride = 1;
  for (int i = 1; i < rank; ++i) {
    from_stride *= from_dimensions[i];
    to_stride *= to_dimensions[i];
  }
  for (int64_t i = 0; i < n; ++i) {
    CopyBox(from + i * from_stride, from_dimensions.subspan(1), to + i * to_stride, to_dimensions.subspan(1));
  }
}

}  // namespace

bool DimensionsFit(absl::Span<const int64_t> dimensions, const Shape& wanted) {
  if (static_cast<int>(dimensions.size()) != wanted.rank()) return false;
  for (int i = 0; i < wanted.rank(); ++i) {
    const bool fits =
        wanted.is_dynamic_dimension(i) ? dimensions[i] <= wanted.dimension(i) : dimensions[i] == wanted.dimension(i);
    if (!fits) return false;
  }
  return true;
}

absl::StatusOr<Literal> PadToBounds(const Literal& array, const Shape& wanted, MemoryBudget* budget) {
  ASSIGN_OR_RETURN(Literal padded, Literal::Zeros(wanted, budget));
  DispatchByWidth(wanted.element_type(), [&](auto tag) {
    using T = TagType<decltype(tag)>;
    CopyBox(array.data<T>(), array.shape().dimensions(), padded.mutable_data<T>(), wanted.dimensions());
  });
  for (int i = 0; i < wanted.rank(); ++i) {
    if (wanted.is_dynamic_dimension(i)) padded.SetDynamicSize(i, array.shape().dimension(i));
  }
  return padded;
}

absl::StatusOr<Literal> CutToDynamicSizes(const Literal& array) {
  DimensionVector dimensions;
  for (int i = 0; i < array.shape().rank(); ++i) dimensions.push_back(array.dynamic_size(i));
  ASSIGN_OR_RETURN(Literal cut, Literal::Allocate(Shape::Array(array.shape().element_type(), dimensions)));
  DispatchByWidth(array.shape().element_type(), [&](auto tag) {
    using T = TagType<decltype(tag)>;
    CopyBox(array.data<T>(), array.shape().dimensions(), cut.mutable_data<T>(), cut.shape().dimensions());
  });
  return cut;
}

}  // namespace xla
