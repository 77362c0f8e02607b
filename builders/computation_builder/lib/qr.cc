#include "builders/computation_builder/lib/qr.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/lib/loops.h"
#include "builders/computation_builder/lib/matrix.h"
#include "builders/computation_builder/lib/matrix_steps.h"
#include "builders/computation_builder/lib/reductions.h"
#include "builders/computation_builder/lib/slicing.h"

namespace xla {
namespace {

// H = I - tau v v^H with H^H x = beta e_j.
struct Reflection {
  XlaOp v;    // [.., m, 1]; zero above j, 1 at j
  XlaOp tau;  // [.., 1, 1]
};

XlaOp FromParts(ComputationBuilder* b, PrimitiveType type, XlaOp real, XlaOp imaginary) {
  return IsComplex(type) ? b->Complex(real, imaginary) : real;
}

// The sum over rows of those elements that `mask` has.
XlaOp MaskedSum(ComputationBuilder* b, XlaOp mask, XlaOp x) {
  return ReduceSum(b->Select(mask, x, ZerosLike(x)), {b->ShapeOrInvalid(x).rank() - 2}, /*keep_dimensions=*/true);
}

// The Householder reflection I - tau v v^H that makes all elements of x after j zero, with v[j] = 1, as LAPACK
// defines it.
Reflection MakeReflection(ComputationBuilder* b, XlaOp x, XlaOp j) {
  const PrimitiveType type = b->ShapeOrInvalid(x).element_type();
  const XlaOp rows = RowNumbers(b, x);
  const XlaOp at = b->Eq(rows, j), below = b->Gt(rows, j);
  const XlaOp alpha = MaskedSum(b, at, x);
  const XlaOp re = b->Real(alpha), im = b->Imag(alpha);
  const XlaOp magnitude = b->Abs(x);
  const XlaOp rest = MaskedSum(b, below, b->Mul(magnitude, magnitude));
  const XlaOp norm = b->Sqrt(b->Add(b->Add(b->Mul(re, re), b->Mul(im, im)), rest));
  const XlaOp zero = ZerosLike(re), one = OnesLike(re);
  // Nothing to do if x is real at j and zero below; the other sign than alpha's avoids cancellation.
  const XlaOp trivial = b->And(b->Eq(rest, zero), b->Eq(im, zero));
  const XlaOp beta = b->Select(b->Ge(re, zero), b->Neg(norm), norm);
  const XlaOp divisor = b->Select(trivial, one, beta);
  Reflection reflection;
  reflection.tau = FromParts(b, type, b->Select(trivial, zero, b->Div(b->Sub(beta, re), divisor)),
                             b->Select(trivial, zero, b->Div(b->Neg(im), divisor)));
  const XlaOp difference = b->Sub(alpha, FromParts(b, type, beta, zero));
  const XlaOp scaled = b->Div(x, b->Select(trivial, OnesLike(alpha), difference));
  reflection.v = b->Select(at, OnesLike(x), b->Select(below, scaled, ZerosLike(x)));
  return reflection;
}

// (I - factor v v^H) a
XlaOp Reflect(ComputationBuilder* b, XlaOp a, XlaOp v, XlaOp factor) {
  const XlaOp products = BatchDot(b->Conj(v), /*transpose_x=*/true, a, /*transpose_y=*/false);
  return b->Sub(a, b->Mul(b->Mul(factor, v), products));
}

// Brings column j of a to zero below the diagonal, and keeps the reflection there.
std::vector<XlaOp> QrStep(ComputationBuilder* b, XlaOp j, XlaOp a, XlaOp taus) {
  const Reflection reflection = MakeReflection(b, ColumnAt(b, a, j), j);
  const XlaOp reflected = Reflect(b, a, reflection.v, b->Conj(reflection.tau));
  const XlaOp rows = RowNumbers(b, a), columns = ColumnNumbers(b, a);
  const XlaOp holds_v = b->And(b->Eq(columns, j), b->Gt(rows, j));
  const XlaOp with_v = SelectStretched(b, holds_v, reflection.v, reflected);
  const XlaOp next = b->Select(b->Lt(columns, j), a, with_v);
  const Shape tau_shape = b->ShapeOrInvalid(reflection.tau);
  if (tau_shape.rank() < 2) return {next, taus};  // the builder has failed
  const XlaOp tau = b->Reshape(reflection.tau, tau_shape.dimensions().subspan(0, tau_shape.rank() - 1));
  return {next, DynamicUpdateSliceInMinorDims(taus, tau, {j})};
}

// H_0 H_1 ... applied to the first `columns` columns of the unit matrix.
XlaOp MultiplyReflections(LibCall& call, XlaOp a, XlaOp taus, int64_t columns) {
  const Shape shape = call.shape(a);
  const int64_t count = call.shape(taus).dimension(shape.rank() - 2);
  const XlaOp identity = IdentityLike(call.builder(), a, shape.dimension(shape.rank() - 2), columns);
  const auto step = [&](XlaOp i, ArraySlice<XlaOp> values, ComputationBuilder* b) {
    const XlaOp j = b->Sub(b->ConstantR0<int32_t>(static_cast<int32_t>(count - 1)), i);
    const XlaOp column = ColumnAt(b, values[1], j);
    const XlaOp rows = RowNumbers(b, column);
    const XlaOp below = b->Select(b->Gt(rows, j), column, ZerosLike(column));
    const XlaOp v = b->Select(b->Eq(rows, j), OnesLike(column), below);
    Shape one_each = shape;
    one_each.set_dimension(shape.rank() - 2, 1);
    one_each.set_dimension(shape.rank() - 1, 1);
    const XlaOp tau = b->Reshape(DynamicSliceInMinorDims(values[2], {j}, {1}), one_each.dimensions());
    return std::vector<XlaOp>{Reflect(b, values[0], v, tau), values[1], values[2]};
  };
  const auto results = ForEachIndex(count, S32, step, {identity, a, taus}, "householder_product", call.builder());
  return results.empty() ? XlaOp() : results[0];
}

QrDecomposition Decompose(LibCall& call, XlaOp a) {
  const Shape shape = call.shape(a);
  DimensionVector tau_dimensions(shape.dimensions().begin(), shape.dimensions().end() - 1);
  const int64_t count = std::min(shape.dimension(shape.rank() - 2), shape.dimension(shape.rank() - 1));
  tau_dimensions.back() = count;
  const XlaOp taus = Zeros(call.builder(), Shape::Array(shape.element_type(), tau_dimensions));
  const auto step = [](XlaOp j, ArraySlice<XlaOp> values, ComputationBuilder* b) {
    return QrStep(b, j, values[0], values[1]);
  };
  const auto results = ForEachIndex(count, S32, step, {a, taus}, "qr", call.builder());
  return results.empty() ? QrDecomposition() : QrDecomposition{results[0], results[1]};
}

}  // namespace

QrDecomposition Qr(XlaOp a, SourceLocation loc) {
  LibCall call("Qr", {a}, loc);
  return CheckDecomposable(call, a) ? Decompose(call, a) : QrDecomposition();
}

// Q from the vectors below the diagonal of a and their factors tau: the product of the reflections.
XlaOp ProductOfElementaryHouseholderReflectors(XlaOp a, XlaOp taus, SourceLocation loc) {
  LibCall call("ProductOfElementaryHouseholderReflectors", {a, taus}, loc);
  if (!CheckDecomposable(call, a) || !call.CheckSameType("a", a, "taus", taus)) return XlaOp();
  const Shape shape = call.shape(a);
  Shape expected = shape;
  expected.DeleteDimension(shape.rank() - 1);
  const Shape tau_shape = call.shape(taus);
  const int64_t most = std::min(shape.dimension(shape.rank() - 2), shape.dimension(shape.rank() - 1));
  const int last = expected.rank() - 1;
  if (tau_shape.rank() == expected.rank()) {
    expected.set_dimension(last, std::min(most, tau_shape.dimension(last)));
  }
  if (!tau_shape.SameDimensions(expected)) {
    return call.Fail(absl::StrCat("taus must have the batch dimensions of ", shape.ToString(), " and at most ", most,
                                  " elements for each matrix, got ", tau_shape.ToString()));
  }
  return MultiplyReflections(call, a, taus, shape.dimension(shape.rank() - 1));
}

void QrExplicit(XlaOp a, bool full_matrices, XlaOp& q, XlaOp& r, SourceLocation loc) {
  LibCall call("QrExplicit", {a}, loc);
  q = r = XlaOp();
  if (!CheckDecomposable(call, a)) return;
  const Shape shape = call.shape(a);
  const int64_t m = shape.dimension(shape.rank() - 2), n = shape.dimension(shape.rank() - 1);
  const int64_t k = full_matrices ? m : std::min(m, n);
  const QrDecomposition qr = Decompose(call, a);
  if (!call.ok()) return;
  q = MultiplyReflections(call, qr.q_and_r, qr.taus, k);
  r = UpperTriangle(SliceInMinorDims(qr.q_and_r, {0, 0}, {k, n}));
}

}  // namespace xla
