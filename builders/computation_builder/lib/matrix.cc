#include "builders/computation_builder/lib/matrix.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/lib_call.h"

namespace xla {
namespace {

int64_t RowsOf(const Shape& shape) { return shape.dimension(shape.rank() - 2); }
int64_t ColumnsOf(const Shape& shape) { return shape.dimension(shape.rank() - 1); }

// column - row <= k, or == k.
XlaOp CompareDiagonal(LibCall& call, XlaOp x, int64_t k, bool equal) {
  Shape counter = call.shape(x);
  counter.set_element_type(S64);
  const XlaOp diagonal = call->Sub(call->Iota(counter, counter.rank() - 1), call->Iota(counter, counter.rank() - 2));
  const XlaOp wanted = call->ConstantR0<int64_t>(k);
  return equal ? call->Eq(diagonal, wanted) : call->Le(diagonal, wanted);
}

bool CheckDiagonal(LibCall& call, XlaOp x, int64_t k) {
  if (!call.CheckMatrix("x", x)) return false;
  const Shape shape = call.shape(x);
  if (k > -RowsOf(shape) && k < ColumnsOf(shape)) return true;
  if (k == 0) return true;  // of an empty matrix
  call.Fail(absl::StrCat("k must be a diagonal of ", shape.ToString(), ", that is greater than ", -RowsOf(shape),
                         " and less than ", ColumnsOf(shape), ", got ", k));
  return false;
}

int64_t DiagonalLength(const Shape& matrix, int64_t k) {
  return std::min(RowsOf(matrix) + std::min<int64_t>(k, 0), ColumnsOf(matrix) - std::max<int64_t>(k, 0));
}

// Puts the diagonal into `matrix`, whose dimensions fit.
XlaOp SetDiagonal(LibCall& call, XlaOp matrix, XlaOp diagonal, int64_t k) {
  const Shape shape = call.shape(matrix);
  if (shape.ElementCount() == 0) return matrix;
  // Above the main diagonal element i is in row i, below in column i.
  const int64_t along = shape.rank() - (k >= 0 ? 2 : 1);
  const int64_t missing = shape.dimension(along) - DiagonalLength(shape, k);
  const XlaOp zero = call.Integer(shape.element_type(), 0);
  const XlaOp padded = call->PadInDim(diagonal, zero, shape.rank() - 2, 0, missing);
  DimensionVector dimensions = FirstDimensions(shape.rank() - 2);
  dimensions.push_back(along);
  const XlaOp stretched = call->BroadcastInDim(padded, shape.dimensions(), dimensions);
  return call->Select(CompareDiagonal(call, matrix, k, /*equal=*/true), stretched, matrix);
}

XlaOp Transposed(LibCall& call, XlaOp x) {
  DimensionVector permutation = FirstDimensions(call.shape(x).rank());
  std::swap(permutation[permutation.size() - 2], permutation[permutation.size() - 1]);
  return call->Transpose(x, permutation);
}

XlaOp KeepTriangle(const char* name, XlaOp x, bool lower, SourceLocation loc) {
  LibCall call(name, {x}, loc);
  if (!call.CheckMatrix("x", x)) return XlaOp();
  const XlaOp zeros = ZerosLike(x);
  const XlaOp mask = CompareDiagonal(call, x, lower ? 0 : -1, /*equal=*/false);
  return lower ? call->Select(mask, x, zeros) : call->Select(mask, zeros, x);
}

}  // namespace

XlaOp IdentityMatrix(ComputationBuilder* builder, PrimitiveType type, int64_t m, int64_t n, SourceLocation loc) {
  LibCall call(builder, "IdentityMatrix", {}, loc);
  if (!call.ok()) return XlaOp();
  const XlaOp zeros = call->Broadcast(call.Integer(type, 0), {m, n});
  return call.ok() ? call->ConvertElementType(CompareDiagonal(call, zeros, 0, /*equal=*/true), type) : XlaOp();
}

XlaOp MatrixDiag(XlaOp diagonal, int64_t k, SourceLocation loc) {
  LibCall call("MatrixDiag", {diagonal}, loc);
  if (!call.CheckRank("diagonal", diagonal, 1)) return XlaOp();
  constexpr int64_t kMaxSize = int64_t{1} << 40;
  if (k > kMaxSize || k < -kMaxSize) return call.Fail(absl::StrCat("k is too large, got ", k));
  Shape shape = call.shape(diagonal);
  const int64_t size = shape.dimension(shape.rank() - 1) + std::max(k, -k);
  shape.set_dimension(shape.rank() - 1, size);
  shape.AddDimension(size);
  const XlaOp zeros = Zeros(call.builder(), shape);
  return call.ok() ? SetDiagonal(call, zeros, diagonal, k) : XlaOp();
}

XlaOp Kron(XlaOp x, XlaOp y, SourceLocation loc) {
  LibCall call("Kron", {x, y}, loc);
  if (!call.CheckMatrix("x", x) || !call.CheckMatrix("y", y)) return XlaOp();
  const Shape a = call.shape(x), b = call.shape(y);
  if (a.rank() != 2 || b.rank() != 2) {
    return call.Fail(absl::StrCat("x and y must have two dimensions, got ", a.ToString(), " and ", b.ToString()));
  }
  const XlaOp product = call->Mul(call->Reshape(x, {a.dimension(0), 1, a.dimension(1), 1}),
                                  call->Reshape(y, {1, b.dimension(0), 1, b.dimension(1)}));
  return call->Collapse(call->Collapse(product, {2, 3}), {0, 1});
}

XlaOp GetDiagonalMask(XlaOp x, int64_t diagonal, SourceLocation loc) {
  LibCall call("GetDiagonalMask", {x}, loc);
  return call.CheckMatrix("x", x) ? CompareDiagonal(call, x, diagonal, /*equal=*/true) : XlaOp();
}

XlaOp TriangleMask(XlaOp x, int64_t diagonal, SourceLocation loc) {
  LibCall call("TriangleMask", {x}, loc);
  return call.CheckMatrix("x", x) ? CompareDiagonal(call, x, diagonal, /*equal=*/false) : XlaOp();
}

// The k-th diagonal, taken by a gather: above the main one if k > 0, below it if k < 0.
XlaOp GetMatrixDiagonal(XlaOp x, int64_t k, SourceLocation loc) {
  LibCall call("GetMatrixDiagonal", {x}, loc);
  if (!CheckDiagonal(call, x, k)) return XlaOp();
  const Shape shape = call.shape(x);
  const Shape counter = Shape::Array(S64, {DiagonalLength(shape, k), 1});
  const XlaOp index = call->Iota(counter, 0);
  const XlaOp row = call->Add(index, call->ConstantR0<int64_t>(std::max<int64_t>(-k, 0)));
  const XlaOp column = call->Add(index, call->ConstantR0<int64_t>(std::max<int64_t>(k, 0)));
  const int64_t rank = shape.rank();
  GatherDimensionNumbers numbers;
  numbers.offset_dims = FirstDimensions(rank - 2);
  numbers.collapsed_slice_dims = {rank - 2, rank - 1};
  numbers.start_index_map = {rank - 2, rank - 1};
  numbers.index_vector_dim = 1;
  DimensionVector slice(shape.dimensions().begin(), shape.dimensions().end());
  // Of an empty matrix there is no element to take.
  for (int64_t d = rank - 2; d < rank; ++d) slice[d] = 1;
  if (shape.dimension(rank - 1) == 0 || shape.dimension(rank - 2) == 0) {
    slice.pop_back();
    slice[rank - 2] = 0;
    return Zeros(call.builder(), Shape::Array(shape.element_type(), slice));
  }
  return call->Gather(x, call->Concatenate({row, column}, 1), numbers, slice);
}

XlaOp SetMatrixDiagonal(XlaOp matrix, XlaOp diagonal, int64_t k, SourceLocation loc) {
  LibCall call("SetMatrixDiagonal", {matrix, diagonal}, loc);
  if (!call.CheckSameType("matrix", matrix, "diagonal", diagonal) || !CheckDiagonal(call, matrix, k)) return XlaOp();
  const Shape shape = call.shape(matrix);
  Shape expected = shape;
  expected.DeleteDimension(shape.rank() - 1);
  expected.set_dimension(shape.rank() - 2, DiagonalLength(shape, k));
  if (!expected.SameDimensions(call.shape(diagonal))) {
    return call.Fail(absl::StrCat("diagonal ", k, " of ", shape.ToString(), " must be ", expected.ToString(), ", got ",
                                  call.shape(diagonal).ToString()));
  }
  return SetDiagonal(call, matrix, diagonal, k);
}

XlaOp Triangle(XlaOp x, bool lower, SourceLocation loc) { return KeepTriangle("Triangle", x, lower, loc); }
XlaOp UpperTriangle(XlaOp x, SourceLocation loc) { return KeepTriangle("UpperTriangle", x, /*lower=*/false, loc); }
XlaOp LowerTriangle(XlaOp x, SourceLocation loc) { return KeepTriangle("LowerTriangle", x, /*lower=*/true, loc); }

XlaOp Symmetrize(XlaOp x, bool lower, SourceLocation loc) {
  LibCall call("Symmetrize", {x}, loc);
  if (!call.CheckSquareMatrix("x", x)) return XlaOp();
  XlaOp mirrored = Transposed(call, x);
  if (IsComplex(call.type(x))) {
    mirrored = call->Conj(mirrored);
    // The diagonal of a Hermitian matrix is real.
    const XlaOp zero = call.Integer(ComplexComponentType(call.type(x)), 0);
    const XlaOp real = call->Complex(call->Real(x), zero);
    x = call->Select(CompareDiagonal(call, x, 0, /*equal=*/true), real, x);
  }
  const XlaOp below = CompareDiagonal(call, x, lower ? 0 : -1, /*equal=*/false);
  return lower ? call->Select(below, x, mirrored) : call->Select(below, mirrored, x);
}

XlaOp TransposeInMinorDims(XlaOp x, SourceLocation loc) {
  LibCall call("TransposeInMinorDims", {x}, loc);
  return call.CheckMatrix("x", x) ? Transposed(call, x) : XlaOp();
}

XlaOp MaybeTransposeInMinorDims(XlaOp x, bool transpose, SourceLocation loc) {
  LibCall call("MaybeTransposeInMinorDims", {x}, loc);
  if (!call.CheckMatrix("x", x)) return XlaOp();
  return transpose ? Transposed(call, x) : x;
}

}  // namespace xla
