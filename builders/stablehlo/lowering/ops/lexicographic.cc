#include "builders/stablehlo/lowering/ops/lexicographic.h"

namespace xla {
namespace stablehlo {

XlaOp CompareLexicographically(ComputationBuilder& b, XlaOp lhs, XlaOp rhs, ComparisonDirection direction) {
  if (direction == ComparisonDirection::kEq || direction == ComparisonDirection::kNe) {
    return b.Compare(lhs, rhs, direction);
  }
  const bool is_less = direction == ComparisonDirection::kLt || direction == ComparisonDirection::kLe;
  const XlaOp real_l = b.Real(lhs);
  const XlaOp real_r = b.Real(rhs);
  const XlaOp by_real = is_less ? b.Lt(real_l, real_r) : b.Gt(real_l, real_r);
  const XlaOp by_imag = b.Compare(b.Imag(lhs), b.Imag(rhs), direction);
  return b.Or(by_real, b.And(b.Eq(real_l, real_r), by_imag));
}

}  // namespace stablehlo
}  // namespace xla
