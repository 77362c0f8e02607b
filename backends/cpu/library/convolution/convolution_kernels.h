// The innermost loops of our own convolutions, compiled for several instruction sets. Plain pointers, no other headers:
// what includes this is compiled with flags that inline functions of others must not see.
#ifndef BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_KERNELS_H_
#define BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_KERNELS_H_

#include <cstdint>

namespace xla {

// `rows` results whose windows lie `a_row` apart in the input a, and a kernel's columns of each:
//
//   c[r, j] = (accumulate ? c[r, j] : 0) + sum over i < positions, p < k of
//             a[a_offsets[i] + r * a_row + p * a_k] * b[b_offsets[i] + p * b_k + j]
//
// Where lanes are groups, column j of b meets a's element j further on instead: a[.. + p * a_k + j].
// Strides and offsets count elements; columns of b and c are contiguous. Complex numbers have their imaginary parts in
// arrays of their own, that much after.
template <typename T>
struct WindowProduct {
  int64_t positions;
  const int64_t* a_offsets;
  const int64_t* b_offsets;
  int64_t k;
  const T* a;
  int64_t a_row, a_k;
  const T* b;
  int64_t b_k;
  T* c;
  int64_t c_row;
  int rows;
  bool accumulate;
  int64_t a_imaginary, b_imaginary, c_imaginary;
};

template <typename T>
struct WindowKernels {
  void (*wide)(const WindowProduct<T>&);     // two vectors of columns
  void (*narrow)(const WindowProduct<T>&);   // one
  void (*grouped)(const WindowProduct<T>&);  // one, whose lanes are groups
};

template <typename T>
struct ComplexWindowKernels {
  void (*narrow)(const WindowProduct<T>&);
  void (*grouped)(const WindowProduct<T>&);
};

struct ConvolutionKernels {
  int vector_bytes;
  int rows;  // of one call, at most
  WindowKernels<float> f32;
  WindowKernels<double> f64;
  WindowKernels<uint32_t> u32;
  WindowKernels<uint64_t> u64;
  int complex_rows;
  ComplexWindowKernels<float> c64;
  ComplexWindowKernels<double> c128;
};

const ConvolutionKernels& BaselineConvolutionKernels();
const ConvolutionKernels& Avx2ConvolutionKernels();
const ConvolutionKernels& Avx512ConvolutionKernels();

// For the processor that this runs on.
const ConvolutionKernels& HostConvolutionKernels();

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_KERNELS_H_
