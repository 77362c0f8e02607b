// The one copy loop behind transpose, slice, pad, reverse, broadcast, concatenate, gather, scatter ...: elements of a
// grid move from an array addressed by one set of strides to an array addressed by another.
//
// A StridedCopy is planned once and run on any pair of base addresses. Planning drops dimensions of size 1, orders the
// others as the target lies in memory, and joins neighbours that both sides step through evenly, so that most copies
// end as one or two dimensions: runs (memcpy), fills (a broadcast element), strided lines, or a transpose, which goes
// in tiles that fit the cache.
#ifndef XLA_CORE_OPS_STRIDED_COPY_H_
#define XLA_CORE_OPS_STRIDED_COPY_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/grid_walk.h"
#include "xla_core/types/primitive_type.h"
#include "xla_core/types/shape.h"

namespace xla {

// Strides count elements. from_stride may be zero (broadcast) or negative (reverse); to_stride is positive.
struct CopyDimension {
  int64_t size;
  int64_t from_stride;
  int64_t to_stride;
};
using CopyDimensions = absl::InlinedVector<CopyDimension, 6>;

// Immutable and thread-safe. It knows the width of an element, not its type, and copies bits as they are.
class StridedCopy {
 public:
  // Dimensions in any order; no two positions have the same target.
  StridedCopy(PrimitiveType type, absl::Span<const CopyDimension> dimensions);

  // `from` and `to` are the elements at position (0, ..., 0); the arrays do not overlap.
  void Run(const void* from, void* to) const;
  // The same, spread over threads if there is enough to do.
  absl::Status Run(const void* from, void* to, EvalContext& context) const;

 private:
  using Kernel = void (*)(const void* from, void* to, const CopyDimension& rows, const CopyDimension& columns);

  template <typename T>
  static Kernel ChooseKernel(const CopyDimension& rows, const CopyDimension& columns);
  void RunBlocks(int64_t begin, int64_t end, const char* from, char* to) const;

  int width_;
  GridWalk<2>::Dimensions outer_;
  CopyDimension rows_ = {1, 0, 0};
  CopyDimension columns_ = {1, 0, 0};
  int64_t block_rows_ = 1;
  int64_t block_columns_ = 1;
  int64_t blocks_ = 1;  // 0: nothing to copy
  Kernel kernel_ = nullptr;
};

// Element strides of a dense row-major array; all zero if it has no elements.
DimensionVector RowMajorStrides(const Shape& shape);

// The element at an offset counted in elements.
inline const char* ElementAt(const void* data, int64_t offset, PrimitiveType type) {
  return static_cast<const char*>(data) + offset * ByteWidth(type);
}
inline char* ElementAt(void* data, int64_t offset, PrimitiveType type) {
  return static_cast<char*>(data) + offset * ByteWidth(type);
}

}  // namespace xla

#endif  // XLA_CORE_OPS_STRIDED_COPY_H_
