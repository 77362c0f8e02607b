// Steps that the loops of the matrix decompositions share. They work in the builder of the loop's body, whose errors
// become those of the loop. Private to the folder.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_MATRIX_STEPS_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_MATRIX_STEPS_H_

#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/lib/lib_call.h"

namespace xla {

// That `a` is a matrix of f32, f64, c64 or c128, or of the first two only.
bool CheckDecomposable(LibCall& call, XlaOp a, bool real_only = false);

// The number of the row and of the column of each element, s32 of the dimensions of `like`.
XlaOp RowNumbers(ComputationBuilder* b, XlaOp like);
XlaOp ColumnNumbers(ComputationBuilder* b, XlaOp like);
// Column and row of all matrices of the batch, by a number s32[]: [.., m, 1] and [.., 1, n].
XlaOp ColumnAt(ComputationBuilder* b, XlaOp a, XlaOp column);
XlaOp RowAt(ComputationBuilder* b, XlaOp a, XlaOp row);
// One element of all matrices: [.., 1, 1].
XlaOp ElementAt(ComputationBuilder* b, XlaOp a, XlaOp row, XlaOp column);
// Stretches dimensions of size 1 to those of `like`.
XlaOp StretchTo(ComputationBuilder* b, XlaOp x, XlaOp like);
// on_true where pred, else on_false, all stretched to the dimensions of on_false.
XlaOp SelectStretched(ComputationBuilder* b, XlaOp pred, XlaOp on_true, XlaOp on_false);
// The unit matrix of this many rows and columns for each matrix of the batch of `like`, and of its type.
XlaOp IdentityLike(ComputationBuilder* b, XlaOp like, int64_t rows, int64_t columns);

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_MATRIX_STEPS_H_
