// Matrices: the last two dimensions, with any number of batch dimensions in front.
//
// Diagonal k is that of the elements whose column is row + k: 0 the main one, 1 the one above it.
//   Errors, for all: operands of less than two dimensions where a matrix is wanted.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_MATRIX_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_MATRIX_H_

#include <cstdint>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// ==== Making matrices

// 1 on the main diagonal, 0 elsewhere.
//   Shapes: -> type[m,n]
//   Errors: negative sizes; a type without numbers.
//   Example: IdentityMatrix(&b, F32, 2, 2) = {{1, 0}, {0, 1}}
//   HLO: iota, compare, convert
XlaOp IdentityMatrix(ComputationBuilder* builder, PrimitiveType type, int64_t m, int64_t n,
                     SourceLocation loc = SourceLocation::Current());
// The square matrix that has `diagonal` as diagonal k and 0 elsewhere.
//   Shapes: T[.., n] -> T[.., n + |k|, n + |k|]
//   Errors: rank 0.
//   Example: MatrixDiag({1, 2}) = {{1, 0}, {0, 2}}
//   HLO: pad, broadcast, select
XlaOp MatrixDiag(XlaOp diagonal, int64_t k = 0, SourceLocation loc = SourceLocation::Current());
// The Kronecker product: each element of x times all of y. No batch dimensions.
//   Shapes: T[m,n], T[p,q] -> T[m*p, n*q]
//   Example: Kron({{1, 2}}, {{1, 1}}) = {{1, 1, 2, 2}}
//   HLO: broadcast, multiply, reshape
XlaOp Kron(XlaOp x, XlaOp y, SourceLocation loc = SourceLocation::Current());

// ==== Diagonals and triangles

// Whether an element lies on diagonal k; whether on it or below.
//   Shapes: T[.., m, n] -> pred[.., m, n]
//   HLO: iota, compare
XlaOp GetDiagonalMask(XlaOp x, int64_t diagonal = 0, SourceLocation loc = SourceLocation::Current());
XlaOp TriangleMask(XlaOp x, int64_t diagonal, SourceLocation loc = SourceLocation::Current());
// Diagonal k.
//   Shapes: T[.., m, n] -> T[.., d], d = min(m, n - k) for k >= 0, min(m + k, n) for k < 0
//   Errors: not -m < k < n.
//   Example: GetMatrixDiagonal({{1, 2}, {3, 4}}) = {1, 4}
//   HLO: gather
XlaOp GetMatrixDiagonal(XlaOp x, int64_t k = 0, SourceLocation loc = SourceLocation::Current());
// The matrix with another diagonal k.
//   Shapes: T[.., m, n], T[.., d] -> T[.., m, n], d as above
//   Errors: as above; a diagonal of other dimensions or another type.
//   HLO: pad, broadcast, select
XlaOp SetMatrixDiagonal(XlaOp matrix, XlaOp diagonal, int64_t k = 0, SourceLocation loc = SourceLocation::Current());
// The matrix with zeros above (lower) or below the main diagonal.
//   Shapes: T[.., m, n] -> same
//   Example: LowerTriangle({{1, 2}, {3, 4}}) = {{1, 0}, {3, 4}}
//   HLO: iota, compare, select
XlaOp Triangle(XlaOp x, bool lower, SourceLocation loc = SourceLocation::Current());
XlaOp UpperTriangle(XlaOp x, SourceLocation loc = SourceLocation::Current());
XlaOp LowerTriangle(XlaOp x, SourceLocation loc = SourceLocation::Current());
// The symmetric matrix that has this lower or upper triangle; a Hermitian one of complex numbers.
//   Shapes: T[.., n, n] -> same
//   Errors: a matrix that is not square.
//   HLO: transpose, select
XlaOp Symmetrize(XlaOp x, bool lower = true, SourceLocation loc = SourceLocation::Current());

// ==== Transposition and products

// Exchanges the last two dimensions, always or if `transpose`.
//   Shapes: T[.., m, n] -> T[.., n, m]
//   HLO: transpose
XlaOp TransposeInMinorDims(XlaOp x, SourceLocation loc = SourceLocation::Current());
XlaOp MaybeTransposeInMinorDims(XlaOp x, bool transpose, SourceLocation loc = SourceLocation::Current());

// Matrix products in batches. Batch dimensions are broadcast: missing ones in front and those of size 1 are stretched.
//   Shapes: T[b.., m, k], T[b.., k, n] -> T[b.., m, n]; an operand that is to be transposed the other way round
//   Errors: k that differ; batch dimensions that differ and are not 1; element types that differ.
//   Example: BatchDot(f32[5,2,3], f32[3,4]) = f32[5,2,4]
//   HLO: dot
XlaOp BatchDot(XlaOp x, XlaOp y, const DotOptions& options = {}, SourceLocation loc = SourceLocation::Current());
XlaOp BatchDot(XlaOp x, bool transpose_x, XlaOp y, bool transpose_y, const DotOptions& options = {},
               SourceLocation loc = SourceLocation::Current());

// Sums of products in Einstein's notation: letters name dimensions, "->" precedes those of the result. Letters
// that the result does not have are summed over; a letter twice in one operand takes the diagonal; "..." stands for any
// number of batch dimensions, which are broadcast as in BatchDot. Blanks do not count.
//   Errors: text that is not such a formula; not one letter for each dimension; a letter with two sizes; a letter of
//     the result that no operand has, or twice in the result; "..." in an operand and not in the result.
//   Example: Einsum(x, y, "ij,jk->ik") is the matrix product; Einsum(x, "ii->") the trace
//   HLO: transpose, reduce, gather, dot
XlaOp Einsum(XlaOp x, XlaOp y, absl::string_view formula, const DotOptions& options = {},
             SourceLocation loc = SourceLocation::Current());
XlaOp Einsum(XlaOp x, absl::string_view formula, SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_MATRIX_H_
