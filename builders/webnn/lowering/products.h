// gemm and matmul. Products of f16 are added up in f32.
#ifndef BUILDERS_WEBNN_LOWERING_PRODUCTS_H_
#define BUILDERS_WEBNN_LOWERING_PRODUCTS_H_

#include "absl/types/optional.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace webnn {

// alpha * a * b + beta * c, of which a and b may be transposed; c is broadcast to the product. A c with beta = 0 is not
// looked at.
//   HLO: dot, multiply, add
XlaOp LowerGemm(XlaOp a, XlaOp b, absl::optional<XlaOp> c, double alpha, double beta, bool a_transpose,
                bool b_transpose);

// Matrix products of the last two dimensions. The others are batch dimensions, and broadcast: what is repeated is never
// written, because a dimension that only one operand has is one of its rows or columns to the dot.
//   HLO: dot; reshape and transpose where batch dimensions differ
XlaOp LowerMatmul(XlaOp a, XlaOp b);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_LOWERING_PRODUCTS_H_
