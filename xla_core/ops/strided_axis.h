// One index of a matrix that is several dimensions of an array: the row index of a dot's operand runs over all its
// free dimensions, the inner index over all contracting ones. An axis turns the index into an element offset.
#ifndef XLA_CORE_OPS_STRIDED_AXIS_H_
#define XLA_CORE_OPS_STRIDED_AXIS_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "xla_core/types/shape.h"

namespace xla {

// Either dimensions, the last one fastest, or (FromOffsets) a list of offsets. Offsets count elements.
class StridedAxis {
 public:
  StridedAxis() = default;
  // An axis of exactly these offsets.
  static StridedAxis FromOffsets(std::vector<int64_t> offsets);

  // Appends a dimension, whose index changes faster than those before it. `stride` counts elements and may be negative.
  void Add(int64_t size, int64_t stride) { dims_.push_back({size, stride}); }
  // Number of indices; 1 without dimensions. 0 if any dimension is empty, however large the others are.
  int64_t size() const;
  // Element offsets of the indices begin .. begin + count - 1, which the axis must have.
  void Offsets(int64_t begin, int64_t count, int64_t* offsets) const;
  int64_t Offset(int64_t index) const;

 private:
  struct Dim {
    int64_t size;
    int64_t stride;
  };
  absl::InlinedVector<Dim, 6> dims_;
  bool explicit_ = false;
  std::vector<int64_t> explicit_offsets_;
};

// Strides of a dense row-major array, in elements.
DimensionVector RowMajorStrides(absl::Span<const int64_t> dimensions);

}  // namespace xla

#endif  // XLA_CORE_OPS_STRIDED_AXIS_H_
