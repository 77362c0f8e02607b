// The innermost loops of factorisations and triangular systems, compiled for several instruction sets. Plain pointers,
// no other headers: what includes this is compiled with flags that inline functions of others must not see.
//
// They work on panels: kPanelWidth columns of a matrix, row by row; a row of complex numbers has all real parts first
// and then the imaginary ones. An upper triangular matrix u is in panels of which number s ends with the rows of
// its block on the diagonal, rows kPanelWidth * s and following.
#ifndef BACKENDS_CPU_LIBRARY_SOLVE_SOLVE_KERNELS_H_
#define BACKENDS_CPU_LIBRARY_SOLVE_SOLVE_KERNELS_H_

#include <cstdint>

namespace xla {

constexpr int kPanelWidth = 32;
// Blocks on the diagonal have a multiple of this many rows.
constexpr int kPanelRowMultiple = 8;

template <typename T>
struct PanelBlock {
  const T* u;        // the panel whose block on the diagonal is meant
  const T* inverse;  // of the diagonal's elements, from the block's first row on; complex: in pairs
  T* x;              // the panel to be changed
  int64_t first;     // row of both panels where the block begins
  int rows;
  int columns;  // of x that are read
};

template <typename T>
struct SolveKernels {
  // Rows of the block: x[i] = (x[i] - sum over k < i of conj(u[k, i]) * x[k]) * inverse[i].
  void (*solve)(const PanelBlock<T>& block);
  void (*solve_complex)(const PanelBlock<T>& block);
  // Computes from a panel, whose rows before `first` are done and whose others hold a matrix, u with conj(u)^T * u =
  // that; writes 1 / u[i, i] as `inverse` above. False if the matrix is not positive definite. What is below the
  // diagonal has no meaning before or after.
  bool (*factor)(T* panel, int64_t first, int rows, T* inverse);
  bool (*factor_complex)(T* panel, int64_t first, int rows, T* inverse);
};

// Many small matrices, one in each lane of vectors: element (i, j) of an array of n columns at (i * n + j) * lanes.
struct LaneKernels {
  int lanes;
  // Makes the upper triangle of matrices u with u^T * u = it; `good` becomes 1 where they are positive definite, else
  // 0.
  void (*factor)(int n, double* u, double* good);
  // x[i, c] = (x[i, c] - sum over k < i of u[k, i] * x[k, c]) * inverse[i], for m columns.
  void (*solve)(int n, int m, const double* u, const double* inverse, double* x);
};

struct SolveKernelSet {
  int vector_bytes;
  SolveKernels<float> f32;
  SolveKernels<double> f64;
  LaneKernels lanes;
};

const SolveKernelSet& BaselineSolveKernels();
const SolveKernelSet& Avx2SolveKernels();
const SolveKernelSet& Avx512SolveKernels();

// For the processor that this runs on.
const SolveKernelSet& HostSolveKernels();

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SOLVE_SOLVE_KERNELS_H_
