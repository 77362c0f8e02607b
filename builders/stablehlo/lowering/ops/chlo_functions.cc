#include "builders/stablehlo/lowering/ops/chlo_functions.h"

#include "builders/computation_builder/lib/math.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/region_types.h"
#include "builders/stablehlo/lowering/ops/special_functions.h"

namespace xla {
namespace stablehlo {
namespace {

template <HloOpcode kOpcode>
XlaOp WriteOp(ComputationBuilder& b, Operands x) {
  return b.AddOp(kOpcode, x);
}

// w of which CHLO says asin(z) = atan2(Re z, Re w) + i sign(Im z) Im w: with a = (|z + 1| + |z - 1|) / 2 = cosh(Im asin z)
// and Re z = a sin(Re asin z), it is w = a cos(Re asin z) + i |Im asin z|.
XlaOp AsinAcosKernel(ComputationBuilder& b, Operands z) {
  const XlaOp asin = b.AddOp(HloOpcode::kAsin, z);
  const XlaOp imaginary = b.Abs(b.Imag(asin));
  return b.Complex(b.Mul(b.AddOp(HloOpcode::kCosh, {imaginary}), b.Abs(b.Cos(b.Real(asin)))), imaginary);
}

constexpr uint8_t kReal = kFloatClass;
constexpr uint8_t kRealOrComplex = kFloatClass | kComplexClass;

}  // namespace

const std::vector<ChloFunction>& ChloFunctions() {
  static const auto& functions = *new std::vector<ChloFunction>{
      {"chlo._asin_acos_kernel", 1, kComplexClass, false, AsinAcosKernel},
      {"chlo.acos", 1, kRealOrComplex, false, WriteOp<HloOpcode::kAcos>},
      {"chlo.acosh", 1, kRealOrComplex, false, WriteOp<HloOpcode::kAcosh>},
      {"chlo.asin", 1, kRealOrComplex, false, WriteOp<HloOpcode::kAsin>},
      {"chlo.asinh", 1, kRealOrComplex, false, WriteOp<HloOpcode::kAsinh>},
      {"chlo.atan", 1, kRealOrComplex, false, [](ComputationBuilder& b, Operands x) { return b.Atan(x[0]); }},
      {"chlo.atanh", 1, kRealOrComplex, false, WriteOp<HloOpcode::kAtanh>},
      {"chlo.cosh", 1, kRealOrComplex, false, WriteOp<HloOpcode::kCosh>},
      {"chlo.sinh", 1, kRealOrComplex, false, WriteOp<HloOpcode::kSinh>},
      {"chlo.tan", 1, kRealOrComplex, false, WriteOp<HloOpcode::kTan>},
      {"chlo.conj", 1, kRealOrComplex, false, [](ComputationBuilder& b, Operands x) { return b.Conj(x[0]); }},
      {"chlo.square", 1, kRealOrComplex, false, [](ComputationBuilder& b, Operands x) { return b.Mul(x[0], x[0]); }},
      {"chlo.mulhi", 2, kIntClass, false, WriteOp<HloOpcode::kMulhi>},
      {"chlo.erf", 1, kReal, false, WriteOp<HloOpcode::kErf>},
      {"chlo.erfc", 1, kReal, true, [](ComputationBuilder&, Operands x) { return Erfc(x[0]); }},
      {"chlo.erf_inv", 1, kReal, true, [](ComputationBuilder&, Operands x) { return ErfInv(x[0]); }},
      {"chlo.lgamma", 1, kReal, true, [](ComputationBuilder&, Operands x) { return Lgamma(x[0]); }},
      {"chlo.digamma", 1, kReal, true, [](ComputationBuilder&, Operands x) { return Digamma(x[0]); }},
      {"chlo.bessel_i1e", 1, kReal, true, [](ComputationBuilder& b, Operands x) { return BesselI1e(b, x[0]); }},
      {"chlo.zeta", 2, kReal, true, [](ComputationBuilder& b, Operands x) { return HurwitzZeta(b, x[0], x[1]); }},
      {"chlo.polygamma", 2, kReal, true, [](ComputationBuilder& b, Operands x) { return Polygamma(b, x[0], x[1]); }},
      {"chlo.next_after", 2, kReal, false, [](ComputationBuilder&, Operands x) { return NextAfter(x[0], x[1]); }},
      {"chlo.is_inf", 1, kReal, false, [](ComputationBuilder&, Operands x) { return IsInf(x[0]); }},
      {"chlo.is_pos_inf", 1, kReal, false, [](ComputationBuilder&, Operands x) { return IsPosInf(x[0]); }},
      {"chlo.is_neg_inf", 1, kReal, false, [](ComputationBuilder&, Operands x) { return IsNegInf(x[0]); }},
  };
  return functions;
}

const ChloFunction* FindChloFunction(absl::string_view name) {
  for (const ChloFunction& function : ChloFunctions()) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

XlaOp WriteChloFunction(const ChloFunction& function, ComputationBuilder& b, Operands operands) {
  const PrimitiveType type = b.ShapeOrInvalid(operands[0]).element_type();
  if (!function.in_f32 || !IsNarrowFloatType(type)) return function.write(b, operands);
  std::vector<XlaOp> wide;
  for (const XlaOp operand : operands) wide.push_back(b.ConvertElementType(operand, F32));
  return ConvertTo(b, function.write(b, wide), type);
}

}  // namespace stablehlo
}  // namespace xla
