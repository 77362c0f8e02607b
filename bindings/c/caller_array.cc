#include "bindings/c/caller_array.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace {

// The shape of the caller's array; the enumerators of element types are those of HLO's PrimitiveType.
absl::StatusOr<Shape> ShapeOf(const halo_array& array) {
  const bool is_type = array.element_type > 0 && array.element_type < kNumPrimitiveTypes &&
                       IsArrayType(static_cast<PrimitiveType>(array.element_type));
  if (!is_type) {
    return absl::InvalidArgumentError(
        absl::StrCat("element_type is ", array.element_type, ", which is no type of an array's elements"));
  }
  if (array.rank < 0 || array.rank > Shape::kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank is ", array.rank, ", expected 0 to ", static_cast<int>(Shape::kMaxRank)));
  }
  if (array.rank > 0 && array.dimensions == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("dimensions is NULL, and rank ", array.rank));
  }
  Shape shape = Shape::Array(static_cast<PrimitiveType>(array.element_type),
                             absl::MakeConstSpan(array.dimensions, static_cast<size_t>(array.rank)));
  RETURN_IF_ERROR(ValidateShape(shape));
  return shape;
}

// Bytes from the first element to the end of the last. InvalidArgument for strides below zero or beyond 64 bits.
absl::StatusOr<int64_t> Extent(const Shape& shape, absl::Span<const int64_t> byte_strides) {
  int64_t extent = ByteWidth(shape.element_type());
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dimension(i) == 0) return 0;
    if (shape.dimension(i) == 1) continue;
    if (byte_strides[i] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("byte_strides[", i, "] is ", byte_strides[i],
                       "; strides must not be negative here, DLPack tensors may have such"));
    }
    int64_t span;
    if (!CheckedMul(shape.dimension(i) - 1, byte_strides[i], &span) || !CheckedAdd(extent, span, &extent)) {
      return absl::InvalidArgumentError(absl::StrCat("byte_strides[", i, "] is ", byte_strides[i], ", too large"));
    }
  }
  return extent;
}

// Copies elements of `from`, dense, in dimension `dimension` and later ones; returns the place after the last one read.
const char* Scatter(const Shape& shape, const char* from, absl::Span<const int64_t> byte_strides, int dimension,
                    char* to) {
  if (dimension == shape.rank()) {
    const int64_t width = ByteWidth(shape.element_type());
    std::memcpy(to, from, width);
    return from + width;
  }
  for (int64_t i = 0; i < shape.dimension(dimension); ++i) {
    from = Scatter(shape, from, byte_strides, dimension + 1, to + i * byte_strides[dimension]);
  }
  return from;
}

}  // namespace

absl::Span<const int64_t> StridesOf(const halo_array& array) {
  if (array.byte_strides == nullptr) return {};
  return absl::MakeConstSpan(array.byte_strides, static_cast<size_t>(array.rank));
}

// Checks that the memory is as large as shape and strides need. Dense arrays must have exactly their size, so that a
// wrong type or dimension is noticed.
absl::StatusOr<Shape> CheckCallerArray(const halo_array& array) {
  ASSIGN_OR_RETURN(Shape shape, ShapeOf(array));
  const int64_t dense_size = shape.ByteSize();
  if (array.data == nullptr && dense_size > 0) return absl::InvalidArgumentError("data is NULL");
  if (array.byte_strides == nullptr) {
    if (array.byte_size == static_cast<size_t>(dense_size)) return shape;
    return absl::InvalidArgumentError(absl::StrCat("byte_size is ", array.byte_size, ", expected ", dense_size, " for ",
                                                   shape.ToString(), ", which is dense because byte_strides is NULL"));
  }
  ASSIGN_OR_RETURN(const int64_t extent, Extent(shape, StridesOf(array)));
  if (dense_size == 0 || static_cast<size_t>(extent) <= array.byte_size) return shape;
  return absl::InvalidArgumentError(absl::StrCat("byte_size is ", array.byte_size, ", but ", shape.ToString(),
                                                 " with byte_strides {", absl::StrJoin(StridesOf(array), ", "),
                                                 "} reaches to byte ", extent));
}

absl::StatusOr<HostMemoryUse> MemoryUseOf(halo_memory_use use) {
  switch (use) {
    case HALO_MEMORY_COPY:
      return HostMemoryUse::kCopyNow;
    case HALO_MEMORY_BORROW:
      return HostMemoryUse::kBorrow;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("the use of memory is ", use, ", expected HALO_MEMORY_COPY or HALO_MEMORY_BORROW"));
  }
}

void CopyToCallerArray(const Literal& value, const halo_array& array) {
  if (value.size_bytes() == 0) return;
  if (array.byte_strides == nullptr) {
    std::memcpy(array.data, value.untyped_data(), value.size_bytes());
    return;
  }
  Scatter(value.shape(), value.data<char>(), StridesOf(array), 0, static_cast<char*>(array.data));
}

}  // namespace xla
