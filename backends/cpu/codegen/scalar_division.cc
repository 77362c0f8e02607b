// Division of many by one: by the reciprocal, which the loop computes once.
#include "backends/cpu/codegen/element_lanes.h"

namespace xla {
namespace codegen {
namespace {

// Of dividends (but for zero) and divisors in between, quotients are normal and remainders exact.
constexpr double kLargestDividend = 0x1p80;
constexpr double kSmallestDividend = 0x1p-80;
constexpr double kLargestDivisor = 0x1p40;
constexpr double kSmallestDivisor = 0x1p-40;

// A quotient within an ulp of x / divisor is made the one that is nearest by adding the remainder's share of it, if the
// reciprocal is the nearest one (P. Markstein, Computation of elementary functions on the IBM RISC System/6000
// processor, theorem 8.1). The product may be further off by half an ulp: so two steps. What they lose is the sign of a
// zero.
V QuotientByReciprocal(V x, V divisor) {
  const V reciprocal = 1.0 / divisor;
  const V product = x * reciprocal;
  const V quotient = Fma(Fma(-product, divisor, x), reciprocal, product);
  return CopySign(Fma(Fma(-quotient, divisor, x), reciprocal, quotient), product);
}

V IsBeyond(V x, double smallest, double largest) { return Not(Abs(x) <= largest) | (Abs(x) < smallest); }

}  // namespace

// Divides by a number that is the same in all lanes by multiplying with its reciprocal and correcting the result,
// which gives the rounding of a division. Blocks with numbers of extreme size divide.
V DivideByScalar(V x, V divisor) {
  LlvmIr& ir = LlvmOf(x);
  const V rare = (IsBeyond(x, kSmallestDividend, kLargestDividend) & (x != 0.0));
  const V usual_quotient = QuotientByReciprocal(x, divisor);
  const Block before = ir.CurrentBlock();
  const Block divide = ir.NewBlock("divide");
  const Block done = ir.NewBlock("divided");
  ir.Branch(ir.AnyLane(rare) | IsBeyond(divisor, kSmallestDivisor, kLargestDivisor), divide, done);
  ir.SetBlock(divide);
  const V quotient = x / divisor;
  ir.Branch(done);
  ir.SetBlock(done);
  const V result = ir.Phi(x.kind, x.lanes);
  ir.AddIncoming(result, usual_quotient, before);
  ir.AddIncoming(result, quotient, divide);
  return result;
}

}  // namespace codegen
}  // namespace xla
