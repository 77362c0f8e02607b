// Eigenvalues of Hermitian matrices by Jacobi rotations, after R. P. Brent and F. T. Luk, The Solution of
// Singular-Value and Symmetric Eigenvalue Problems on Multiprocessor Arrays (1985): an iteration rotates n / 2 pairs of
// rows and columns at once, i with i + n / 2, so that the elements between the two become zero; then rows and columns
// change places as in a tournament, after n - 1 iterations every two have met, and all stand where they began.
#ifndef PASSES_EXPANDING_JACOBI_ROTATIONS_H_
#define PASSES_EXPANDING_JACOBI_ROTATIONS_H_

#include <vector>

#include "absl/types/span.h"
#include "passes/base/instruction_builder.h"

namespace xla {

// Sweeps over all pairs until the matrices are diagonal: whether they are not in the end, then the arrays.
//   arrays: Hermitian matrices b x n x n with an even n, whose largest part is 1 or a little more; and, if wanted, what
//     is to be multiplied by the rotations, of the same shape
std::vector<HloInstruction*> Diagonalise(absl::Span<HloInstruction* const> arrays, InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_EXPANDING_JACOBI_ROTATIONS_H_
