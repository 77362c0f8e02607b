// Evaluates products of matrices whose rows, columns and inner indices are dimensions of literals: what dot,
// scaled-dot and ragged-dot come down to.
#ifndef XLA_CORE_OPS_DOT_PRODUCT_H_
#define XLA_CORE_OPS_DOT_PRODUCT_H_

#include "absl/status/status.h"
#include "xla_core/ops/dot_dimensions.h"
#include "xla_core/ops/eval_context.h"
#include "xla_core/ops/strided_axis.h"
#include "xla_core/types/literal.h"

namespace xla {

// Element (b, m, k) of an operand lies at offset + batch[b] + outer[m] + inner[k]. For the result, `outer` are the rows
// and `inner` the columns.
struct MatrixView {
  StridedAxis batch;
  StridedAxis outer;
  StridedAxis inner;
};

// Three views that agree: equal batches, lhs.outer as result.outer, rhs.outer as result.inner, lhs.inner as
// rhs.inner.
struct MatrixProduct {
  MatrixView lhs;
  MatrixView rhs;
  MatrixView result;
};

// result[b][m][n] = sum over k of lhs[b][m][k] * rhs[b][n][k] for the elements that the views name; others are left as
// they are. Sums run in double (complex double, wrapping 64-bit integers) in the order of k and are rounded once; pred
// becomes an or of ands. The result has storage of its own.
absl::Status EvaluateMatrixProduct(const MatrixProduct& product, const Literal& lhs, const Literal& rhs,
                                   Literal& result, EvalContext& context);

// The axis over these dimensions of the array, of their dynamic sizes if it has any.
StridedAxis AxisOf(const Literal& array, absl::Span<const int64_t> dimensions);

// The whole dot: result dimensions are batch, free of lhs, free of rhs. Contracting dimensions end at their dynamic
// sizes; the result gets those of the others.
absl::Status EvaluateDot(const DotDimensions& dims, const Literal& lhs, const Literal& rhs, Literal& result,
                         EvalContext& context);

}  // namespace xla

#endif  // XLA_CORE_OPS_DOT_PRODUCT_H_
