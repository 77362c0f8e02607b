// Between arrays of any element type and dense blocks of the few types that our own products are computed in.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PACKING_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PACKING_H_

#include <cstdint>

#include "xla_core/types/primitive_type.h"

namespace xla {

// `rows` x `columns` elements of an array, in elements from one to the next.
struct StridedBlock {
  PrimitiveType type;
  const void* data;  // the first element
  int64_t rows, row_stride;
  int64_t columns, column_stride;
};

// The types that products are computed in: float, double, uint32_t and uint64_t (integers that wrap).
//
// out[r * pitch + c] = element (r, c). Of complex types the real part, or the imaginary one.
template <typename T>
void PackBlock(const StridedBlock& block, bool imaginary, T* out, int64_t pitch);

// The other way: element (r, c) = in[r * pitch + c], rounded once to nearest even; floats that become integers truncate
// and saturate, NaN giving 0; anything but 0 is true. The block's data is written. `from_signed`: 64-bit integers that
// become floats are signed. in_imaginary: of complex types only.
template <typename T>
void UnpackBlock(const T* in, const T* in_imaginary, int64_t pitch, bool from_signed, const StridedBlock& block);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_PACKING_H_
