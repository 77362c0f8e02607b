// What gather and scatter share: how rows of an index array say where windows of the operand start.
//
// The index array holds vectors of coordinates along index_vector_dim (a trailing dimension of size 1 is imagined if
// that is the rank). Coordinate k of a vector counts along operand dimension map[k]; operand dimensions that the map
// leaves out start at 0, batching dimensions at the position within the index array's dimension of the same batch.
#ifndef XLA_CORE_OPS_WINDOW_STARTS_H_
#define XLA_CORE_OPS_WINDOW_STARTS_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_core/ops/index_values.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// The attributes in question, each with the name it has in the current op.
struct WindowStartAttributes {
  struct List {
    absl::string_view name;
    absl::Span<const int64_t> dimensions;
  };
  List map;               // start_index_map, scatter_dims_to_operand_dims
  List operand_batching;  // operand_batching_dims, input_batching_dims
  List indices_batching;  // start_indices_batching_dims, scatter_indices_batching_dims
  List dropped;           // collapsed_slice_dims, inserted_window_dims: operand dimensions with windows of size 1
  int64_t index_vector_dim;
};

// Refuses indices of other than integer type, dimensions out of range, repeated, unsorted or in two roles, and index
// vectors and batches whose sizes do not fit.
absl::Status CheckWindowStarts(const WindowStartAttributes& attributes, const Shape& operand, const Shape& indices);

// The dimensions of `indices` that count windows: all but index_vector_dim.
DimensionVector WindowCountingDimensions(const Shape& indices, int64_t index_vector_dim);

// Reads index vectors and turns them into element offsets in the operand.
class WindowStartReader {
 public:
  // `operand_sizes` and `window` are the run-time sizes of the operand and of the window along each operand dimension.
  WindowStartReader(const WindowStartAttributes& attributes, const Shape& operand,
                    absl::Span<const int64_t> operand_sizes, absl::Span<const int64_t> window, const Literal& indices);

  // Offset of the window whose index vector begins at element `vector_offset` of the indices, each coordinate clamped
  // so that the window lies within the operand.
  int64_t ClampedOffset(int64_t vector_offset) const {
    int64_t offset = 0;
    for (const Coordinate& c : coordinates_) {
      const int64_t start = read_(data_, vector_offset + c.index_offset);
      offset += std::max<int64_t>(0, std::min(start, c.last_start)) * c.stride;
    }
    return offset;
  }
  // The same without clamping; false if the window does not lie within the operand.
  bool OffsetWithin(int64_t vector_offset, int64_t* offset) const {
    *offset = 0;
    for (const Coordinate& c : coordinates_) {
      const int64_t start = read_(data_, vector_offset + c.index_offset);
      if (start < 0 || start > c.last_start) return false;
      *offset += start * c.stride;
    }
    return true;
  }

 private:
  struct Coordinate {
    int64_t index_offset;  // within the index vector, in elements of the index array
    int64_t last_start;    // negative: no window fits
    int64_t stride;
  };

  IndexReader read_;
  const void* data_;
  absl::InlinedVector<Coordinate, 4> coordinates_;
};

}  // namespace xla

#endif  // XLA_CORE_OPS_WINDOW_STARTS_H_
