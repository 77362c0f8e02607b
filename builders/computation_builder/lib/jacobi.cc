#include "builders/computation_builder/lib/jacobi.h"

#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/loops.h"
#include "builders/computation_builder/lib/matrix_steps.h"
#include "builders/computation_builder/lib/slicing.h"

namespace xla {

Rotation DiagonalizingRotation(ComputationBuilder* b, XlaOp pp, XlaOp pq, XlaOp qq) {
  const XlaOp zero = ZerosLike(pq), one = OnesLike(pq);
  const XlaOp diagonal_already = b->Eq(pq, zero);
  const XlaOp divisor = b->Select(diagonal_already, one, b->Mul(pq, FullLike(pq, 2)));
  // The lesser root t of t^2 + 2 tau t - 1 = 0 is the tangent.
  const XlaOp tau = b->Div(b->Sub(qq, pp), divisor);
  const XlaOp root = b->Sqrt(b->Add(b->Mul(tau, tau), one));
  const XlaOp magnitude = b->Div(one, b->Add(b->Abs(tau), root));
  const XlaOp signed_tangent = b->Select(b->Lt(tau, zero), b->Neg(magnitude), magnitude);
  const XlaOp tangent = b->Select(diagonal_already, zero, signed_tangent);
  const XlaOp c = b->Rsqrt(b->Add(b->Mul(tangent, tangent), one));
  return {c, b->Mul(tangent, c)};
}

XlaOp RotateColumns(ComputationBuilder* b, XlaOp a, XlaOp p, XlaOp q, Rotation rotation) {
  const XlaOp at_p = ColumnAt(b, a, p), at_q = ColumnAt(b, a, q);
  const XlaOp zero = b->ConstantR0<int32_t>(0);
  const XlaOp new_p = b->Sub(b->Mul(at_p, rotation.c), b->Mul(at_q, rotation.s));
  const XlaOp new_q = b->Add(b->Mul(at_p, rotation.s), b->Mul(at_q, rotation.c));
  return DynamicUpdateSliceInMinorDims(DynamicUpdateSliceInMinorDims(a, new_p, {zero, p}), new_q, {zero, q});
}

XlaOp RotateRows(ComputationBuilder* b, XlaOp a, XlaOp p, XlaOp q, Rotation rotation) {
  const XlaOp at_p = RowAt(b, a, p), at_q = RowAt(b, a, q);
  const XlaOp zero = b->ConstantR0<int32_t>(0);
  const XlaOp new_p = b->Sub(b->Mul(at_p, rotation.c), b->Mul(at_q, rotation.s));
  const XlaOp new_q = b->Add(b->Mul(at_p, rotation.s), b->Mul(at_q, rotation.c));
  return DynamicUpdateSliceInMinorDims(DynamicUpdateSliceInMinorDims(a, new_p, {p, zero}), new_q, {q, zero});
}

// A loop over all pairs p < q of n, in the order (0, 1), (0, 2), ..., (1, 2), ...
std::vector<XlaOp> ForEachPair(ComputationBuilder* b, int64_t n, const PairStep& step, ArraySlice<XlaOp> values) {
  if (n < 2) return std::vector<XlaOp>(values.begin(), values.end());
  std::vector<XlaOp> state = {b->ConstantR0<int32_t>(0), b->ConstantR0<int32_t>(1)};
  state.insert(state.end(), values.begin(), values.end());
  const auto goes_on = [n](ArraySlice<XlaOp> state, ComputationBuilder* b) {
    return b->Lt(state[0], b->ConstantLiteral(LiteralUtil::Number(S32, n - 1)));
  };
  const auto body = [&](ArraySlice<XlaOp> state, ComputationBuilder* b) {
    const XlaOp p = state[0], q = state[1];
    std::vector<XlaOp> next = step(b, p, q, state.subspan(2));
    const XlaOp one = b->ConstantR0<int32_t>(1);
    const XlaOp is_last = b->Eq(q, b->ConstantLiteral(LiteralUtil::Number(S32, n - 1)));
    const XlaOp next_p = b->Select(is_last, b->Add(p, one), p);
    next.insert(next.begin(), {next_p, b->Add(b->Select(is_last, next_p, q), one)});
    return next;
  };
  std::vector<XlaOp> results = WhileLoopHelper(goes_on, body, state, "pairs", b);
  if (!results.empty()) results.erase(results.begin(), results.begin() + 2);
  return results;
}

}  // namespace xla
