// sin, cos and tan: x = n pi/2 + r, |r| <= pi/4, in f64, where two doubles of pi/2 leave r good to f32 for |x| <= 2^30;
// then sin(r), cos(r), exchanged and negated by n mod 4. Larger arguments, which are rare, are evaluated by the
// interpreter's loops if any lane has one.
#include "backends/cpu/codegen/elementwise_emitter.h"
#include "backends/cpu/codegen/math_functions.h"

namespace xla {
namespace codegen {
namespace {

constexpr double kLargest = 1073741824.0;

struct Reduced {
  V r;        // f64
  V quarter;  // i32; its low two bits count
};

Reduced Reduce(V x) {
  constexpr double kTwoOverPi = 0.63661977236758134308;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  Ir& ir = *x.ir;
  const V wide = ir.FloatToFloat(x, Kind::kF64);
  const V shifted = Fma(wide, wide.Like(kTwoOverPi), wide.Like(kRound));
  const V n = shifted - kRound;
  V r = Fma(-n, n.Like(0x1.921fb54442d18p+0), wide);
  r = Fma(-n, n.Like(0x1.1a62633145c07p-54), r);
  return {r, ir.ZeroExtend(ToBits(shifted), Kind::kI32)};
}

V SinOfRest(V r, V square) {
  static constexpr double kP[] = {-0.16666666663852430278, 0.0083333318735984412946, -0.00019840086134863201751,
                                  2.7249847946069237461e-6};  // 2^-35.7
  return Fma(r * square, Polynomial(square, kP), r);
}
V CosOfRest(V square) {
  static constexpr double kP[] = {0.041666666664318817259, -0.0013888887671088940966, 0.000024800599875957371928,
                                  -2.7300894222097941033e-7};  // 2^-39.6
  return Fma(square * square, Polynomial(square, kP), Fma(square, square.Like(-0.5), square.Like(1)));
}

V WithLargeArguments(HloOpcode opcode, V x, V result) {
  Ir& ir = *x.ir;
  const V is_large = Abs(x) > kLargest;
  const Block before = ir.CurrentBlock();
  const Block large = ir.NewBlock("large.arguments");
  const Block done = ir.NewBlock("reduced");
  ir.Branch(ir.AnyLane(is_large), large, done);
  ir.SetBlock(large);
  const Element evaluated = EmitLaneCall(opcode, F32, F32, {MakeElement(F32, x)});
  const V merged = Select(is_large, evaluated.value, result);
  ir.Branch(done);
  ir.SetBlock(done);
  const V phi = ir.Phi(x.kind, x.lanes);
  ir.AddIncoming(phi, result, before);
  ir.AddIncoming(phi, merged, large);
  return phi;
}

// sin(x + quarters pi/2)
V SinOf(V x, int quarters) {
  const Reduced reduced = Reduce(x);
  const V r = x.ir->FloatToFloat(reduced.r, Kind::kF32);
  const V square = r * r;
  const V quarter = reduced.quarter + quarters;
  const V result = Select((quarter & 1) == 0, SinOfRest(r, square), CosOfRest(square));
  return FromBits(ToBits(result) ^ ((quarter & 2) << 30));
}

}  // namespace

V Sin(V x) { return WithLargeArguments(HloOpcode::kSin, x, Select(x == 0.0, x, SinOf(x, 0))); }
V Cos(V x) { return WithLargeArguments(HloOpcode::kCos, x, SinOf(x, 1)); }

// In f64 up to the quotient: three roundings in f32 would come close to what tan may be off.
V Tan(V x) {
  const Reduced reduced = Reduce(x);
  const V square = reduced.r * reduced.r;
  const V sine = SinOfRest(reduced.r, square);
  const V cosine = CosOfRest(square);
  const V is_odd = (reduced.quarter & 1) != 0;
  const V quotient = Select(is_odd, -cosine, sine) / Select(is_odd, sine, cosine);
  const V result = x.ir->FloatToFloat(quotient, Kind::kF32);
  return WithLargeArguments(HloOpcode::kTan, x, Select(x == 0.0, x, result));
}

}  // namespace codegen
}  // namespace xla
