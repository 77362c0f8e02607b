// The kinds of programs that MakeLinearSystemProgram chooses from.
#ifndef BACKENDS_CPU_LIBRARY_SOLVE_LINEAR_SYSTEM_PROGRAMS_H_
#define BACKENDS_CPU_LIBRARY_SOLVE_LINEAR_SYSTEM_PROGRAMS_H_

#include <memory>

#include "backends/cpu/library/base/stepwise_program.h"
#include "backends/cpu/library/solve/solve_kernels.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

struct LinearSystem {
  PrimitiveType type;
  int64_t count;  // of matrices
  int64_t n;      // rows and columns of each
  int64_t m = 0;  // of the other operand of triangular-solve, the dimension that is not n
};

// T, float or double, is what they compute in.
template <typename T>
std::unique_ptr<StepwiseProgram> MakeCholeskyProgram(const LinearSystem& system, bool lower,
                                                     const SolveKernels<T>& kernels);
template <typename T>
std::unique_ptr<StepwiseProgram> MakeTriangularSolveProgram(const LinearSystem& system,
                                                            const TriangularSolveAttributes& attributes,
                                                            const SolveKernels<T>& kernels);

// The same for many small matrices of f32 or f64, in lanes of vectors. nullptr if they are others.
std::unique_ptr<StepwiseProgram> MakeSmallCholeskyProgram(const LinearSystem& system, bool lower,
                                                          const LaneKernels& kernels);
std::unique_ptr<StepwiseProgram> MakeSmallSolveProgram(const LinearSystem& system,
                                                       const TriangularSolveAttributes& attributes,
                                                       const LaneKernels& kernels);

// Whether matrices are many and small enough that a tile had better be some of them, and how many these are.
bool IsByMatrix(const LinearSystem& system);
int64_t MatricesPerTile(const LinearSystem& system);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SOLVE_LINEAR_SYSTEM_PROGRAMS_H_
