// What the loops of expand-linear-algebra-calls share: batches of matrices b x m x n and of vectors b x k, of which an
// iteration takes rows and columns and spreads them out again. Indices are s32 scalars.
#ifndef PASSES_EXPANDING_MATRIX_STEPS_H_
#define PASSES_EXPANDING_MATRIX_STEPS_H_

#include <cstdint>

#include "passes/base/instruction_builder.h"
#include "xla_core/ir/attributes.h"

namespace xla {

// x[.., m, n] as b x m x n.
HloInstruction* JoinBatch(HloInstruction* x, InstructionBuilder& build);
// [b] for every matrix: b x m x n -> b x n, b x m; of vectors b x k -> b.
HloInstruction* RowAt(HloInstruction* matrices, HloInstruction* i, InstructionBuilder& build);
HloInstruction* ColumnAt(HloInstruction* matrices, HloInstruction* j, InstructionBuilder& build);
HloInstruction* ElementAt(HloInstruction* vectors, HloInstruction* i, InstructionBuilder& build);
// The vectors with `elements` [b] at place i.
HloInstruction* WithElementAt(HloInstruction* vectors, HloInstruction* elements, HloInstruction* i,
                              InstructionBuilder& build);
// To the dimensions of `shape`: the same vector in every row; in every column; the same number per element of the
// batch.
HloInstruction* InEveryRow(HloInstruction* vectors, const Shape& shape, InstructionBuilder& build);
HloInstruction* InEveryColumn(HloInstruction* vectors, const Shape& shape, InstructionBuilder& build);
HloInstruction* PerBatch(HloInstruction* numbers, const Shape& shape, InstructionBuilder& build);
// pred of the dimensions of `shape`: position along `dimension` compared with a scalar, or with a number per element of
// the batch.
HloInstruction* Position(const Shape& shape, int64_t dimension, ComparisonDirection direction, HloInstruction* than,
                         InstructionBuilder& build);
// s32 of the dimensions of the matrices: the position along a dimension. pred: that of the row compared with that of
// the column.
HloInstruction* PositionAlong(const HloInstruction* matrices, int64_t dimension, InstructionBuilder& build);
HloInstruction* RowsAgainstColumns(const HloInstruction* matrices, ComparisonDirection direction,
                                   InstructionBuilder& build);
// b x n x n -> b x n.
HloInstruction* Diagonal(HloInstruction* matrices, InstructionBuilder& build);
// vectors[i] * vectors[k] of b x m and b x n, as b x m x n.
HloInstruction* OuterProduct(HloInstruction* column, HloInstruction* row, InstructionBuilder& build);

// ---- Real and complex elements alike
HloInstruction* IsZero(HloInstruction* x, InstructionBuilder& build);
PrimitiveType RealType(const HloInstruction* x);
HloInstruction* RealPart(HloInstruction* x, InstructionBuilder& build);
HloInstruction* ImaginaryPart(HloInstruction* x, InstructionBuilder& build);  // of complex numbers
// Type of x; both parts of a complex number are negative zero, the neutral element of addition.
HloInstruction* NegativeZeros(const Shape& shape, InstructionBuilder& build);
// x * y. Complex numbers part by part, each product rounded for itself, which HLO's multiply does not promise.
HloInstruction* Product(HloInstruction* x, HloInstruction* y, InstructionBuilder& build);
// x * y for real y of the same dimensions.
HloInstruction* TimesReal(HloInstruction* x, HloInstruction* y, InstructionBuilder& build);
// x / y for real y of the same dimensions.
HloInstruction* OverReal(HloInstruction* x, HloInstruction* y, InstructionBuilder& build);
// x / y. Complex numbers are divided as Fortran does, after R. L. Smith, Algorithm 116 (1962): the divisor is scaled by
// its larger part, and nothing is made good where infinities give NaN.
HloInstruction* Quotient(HloInstruction* x, HloInstruction* y, InstructionBuilder& build);
// Every vector's Euclidean norm, [b], without overflow in between.
HloInstruction* Norms(HloInstruction* vectors, InstructionBuilder& build);

}  // namespace xla

#endif  // PASSES_EXPANDING_MATRIX_STEPS_H_
