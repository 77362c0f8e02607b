#include "backends/scalar_code/ir.h"

#include "xla_core/support/check.h"

namespace xla {
namespace codegen {

int BitsOf(Kind kind) {
  static constexpr int kBits[] = {1, 8, 16, 32, 64, 128, 32, 64, 64};
  return kBits[static_cast<int>(kind)];
}

Kind IntKind(int bits) {
  switch (bits) {
    case 1:
      return Kind::kI1;
    case 8:
      return Kind::kI8;
    case 16:
      return Kind::kI16;
    case 32:
      return Kind::kI32;
    case 64:
      return Kind::kI64;
    default:
      CHECK(bits == 128);
      return Kind::kI128;
  }
}

V V::Like(double x) const { return ir->Float(kind, x, lanes); }
V V::LikeInt(int64_t x) const { return ir->Int(kind, x, lanes); }

V Polynomial(V x, absl::Span<const double> coefficients) {
  V sum = x.Like(coefficients.back());
  for (int i = static_cast<int>(coefficients.size()) - 2; i >= 0; --i)
    sum = x.ir->MultiplyAdd(sum, x, x.Like(coefficients[i]));
  return sum;
}

}  // namespace codegen
}  // namespace xla
