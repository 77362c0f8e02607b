// The innermost loops of our own matrix products, compiled for several instruction sets. Plain pointers, no other
// headers: what includes this is compiled with flags that inline functions of others must not see.
#ifndef BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_KERNELS_H_
#define BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_KERNELS_H_

#include <cstdint>

namespace xla {

// c[r, j] = (accumulate ? c[r, j] : 0) + sum over p < k of a[r, p] * b[p, j], for `rows` rows and `columns` columns. b
// has as many columns as the kernel, of which only the last vector's may be missing in c.
// Strides count elements; columns of b and c are contiguous. Complex numbers have their imaginary parts in arrays of
// their own, that much after.
template <typename T>
struct TileProduct {
  int64_t k;
  const T* a;
  int64_t a_row, a_k;
  const T* b;
  int64_t b_k;
  T* c;
  int64_t c_row;
  int rows, columns;
  bool accumulate;
  int64_t a_imaginary, b_imaginary, c_imaginary;
};

template <typename T>
struct TileKernels {
  void (*wide)(const TileProduct<T>&);    // two vectors of columns
  void (*narrow)(const TileProduct<T>&);  // one
};

// The element types of matrices that vectors are multiplied with. Vectors are f64 for f64, else f32.
enum class VectorProductType { kF32, kBf16, kF16, kF64, kS8, kU8 };
inline constexpr int kVectorProductTypes = 6;

// rows along x:    y[r] = sum over p < k of x[p] * a[r * a_row + p], for `count` rows
// rows to be added: y[j] = (accumulate ? y[j] : 0) + sum over p < k of x[p] * a[p * a_row + j], for `count` columns
// Of several vectors, which rows can be added for, each is x_row elements after the one before, and its sums y_row.
struct VectorProduct {
  int64_t k, count;
  const void* x;
  const void* a;
  int64_t a_row;  // elements
  void* y;
  bool accumulate;
  int vectors = 1;
  int64_t x_row = 0, y_row = 0;
};

// x: the element of a result; y: the other operand. NaN of either is NaN.
enum class EpilogueOperation { kAdd, kSubtract, kSubtractFrom, kMultiply, kMaximum, kMinimum };

// The other operand of x[r * row + c]: y[r * y_row + c], or the same for all columns, y[r * y_row].
struct EpilogueRowStep {
  EpilogueOperation operation;
  const float* y;
  int64_t y_row;
  bool each;
};

// All elements take the steps, in order. `y` may be `x`, but must not overlap it otherwise.
struct EpilogueRows {
  float* x;
  int64_t row;  // elements from one row to the next
  int64_t rows, columns;
  const EpilogueRowStep* steps;
  int step_count;
};

// Products of matrices of at most `kSmallColumns` vectors of columns, one after the other: strides are in elements.
template <typename T>
struct SmallProducts {
  int64_t count;
  int m, k, n;
  const T* a;
  int64_t a_next, a_row, a_k;
  const T* b;
  int64_t b_next, b_k, b_n;
  T* c;
  int64_t c_next, c_row, c_n;
};
// Vectors of columns that small products have at most.
inline constexpr int kSmallColumns = 2;

// c[r * c_row + j * c_column] = (accumulate ? the same : 0) + sum over p < k of a[r * a_row + p] * b[j * b_column + p],
// for at most kThinColumns columns.
struct ThinProduct {
  int64_t k;
  const float* a;
  int64_t a_row, rows;
  const float* b;
  int64_t b_column;
  int columns;
  float* c;
  int64_t c_row, c_column;
  bool accumulate;
};
inline constexpr int kThinColumns = 8;

struct ProductKernels {
  int vector_bytes;
  int rows;  // of a tile, at most
  TileKernels<float> f32;
  TileKernels<double> f64;
  TileKernels<uint32_t> u32;
  TileKernels<uint64_t> u64;
  // Half as many rows; one vector of columns.
  void (*c64)(const TileProduct<float>&);
  void (*c128)(const TileProduct<double>&);
  void (*along_rows[kVectorProductTypes])(const VectorProduct&);
  void (*add_rows[kVectorProductTypes])(const VectorProduct&);
  void (*widen_f16)(const uint16_t* in, float* out, int64_t count);
  void (*widen_bf16)(const uint16_t* in, float* out, int64_t count);
  void (*widen_s8)(const int8_t* in, float* out, int64_t count);
  void (*widen_u8)(const uint8_t* in, float* out, int64_t count);
  // Rows of `panels` times two vectors, each panel's together: `row_bytes` from one row to the next, and `panel_bytes`
  // from one panel's place in `out` to the next.
  void (*copy_panels)(const void* in, int64_t row_bytes, int64_t rows, int64_t panels, void* out, int64_t panel_bytes);
  // out[c * out_pitch + r] = in[r * in_pitch + c]
  void (*transpose)(const float* in, int64_t in_pitch, int64_t rows, int64_t columns, float* out, int64_t out_pitch);
  void (*transpose_f64)(const double* in, int64_t in_pitch, int64_t rows, int64_t columns, double* out,
                        int64_t out_pitch);
  void (*epilogue)(const EpilogueRows&);
  // Columns of b and c are contiguous, unless each of the three matrices (of b, if there is more than one) lies within
  // as many elements as a vector has lanes, and c without gaps.
  void (*small_f32)(const SmallProducts<float>&);
  void (*small_f64)(const SmallProducts<double>&);
  void (*thin)(const ThinProduct&);
};

const ProductKernels& BaselineProductKernels();
const ProductKernels& Avx2ProductKernels();
const ProductKernels& Avx512ProductKernels();

// For the processor that this runs on.
const ProductKernels& HostProductKernels();

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_PRODUCT_PRODUCT_KERNELS_H_
