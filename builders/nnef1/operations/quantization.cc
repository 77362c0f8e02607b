// Quantisation as it is simulated: numbers are rounded to those that the codes of this many bits stand for.
//
// "round" is the operation of that name: halves go up.
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/rounding.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// Codes have at most the bits of an item of a tensor file.
absl::Status CheckBits(int64_t bits, int64_t least) {
  if (bits >= least && bits <= 64) return absl::OkStatus();
  return WrongArgument("bits", absl::StrCat(least, " to 64"), absl::StrCat(bits));
}

double PowerOfTwo(int64_t exponent) { return std::ldexp(1.0, static_cast<int>(exponent)); }

Inferred InferBroadcast(const OperationCall& call, absl::Span<const absl::string_view> names) {
  ASSIGN_OR_RETURN(Extents result, BroadcastExtents(call, names));
  return std::vector<Extents>{std::move(result)};
}

XlaOp WideOperand(const LoweringCall& call, absl::string_view name) { return Widen(OperandLikeResult(call, name)); }

std::vector<XlaOp> InTypeOfX(const LoweringCall& call, XlaOp y) { return {ConvertTo(y, TypeOf(call.operand("x")))}; }

// ---- min_max_linear_quantize, linear_quantize

// One step less if the codes are signed and symmetric; there has to be one.
Inferred InferMinMax(const OperationCall& call) {
  RETURN_IF_ERROR(CheckBits(call.integer("bits"), call.logical("signed") && call.logical("symmetric") ? 2 : 1));
  return InferBroadcast(call, {"x", "min", "max"});
}

// `steps` equal steps from min to max. What the specification subtracts from codes of signed types it adds again.
std::vector<XlaOp> LowerSteps(const LoweringCall& call, double steps) {
  ComputationBuilder& b = call.builder();
  const XlaOp x = WideOperand(call, "x"), min = WideOperand(call, "min"), max = WideOperand(call, "max");
  const XlaOp r = FullLike(x, steps);
  const XlaOp range = b.Sub(max, min);
  const XlaOp within = b.Max(b.Min(x, max), min);  // min where the bounds cross
  const XlaOp code = RoundHalvesUp(b.Mul(b.Div(b.Sub(within, min), range), r));
  return InTypeOfX(call, b.Add(b.Mul(b.Div(code, r), range), min));
}

std::vector<XlaOp> LowerMinMax(const LoweringCall& call) {
  const bool drops_one = call.logical("signed") && call.logical("symmetric");
  return LowerSteps(call, PowerOfTwo(call.integer("bits")) - 1 - (drops_one ? 1 : 0));
}

Inferred InferLinearQuantization(const OperationCall& call) {
  RETURN_IF_ERROR(CheckBits(call.integer("bits"), 1));
  return InferBroadcast(call, {"x", "min", "max"});
}

std::vector<XlaOp> LowerLinearQuantization(const LoweringCall& call) {
  return LowerSteps(call, PowerOfTwo(call.integer("bits")) - 1);
}

// ---- zero_point_linear_quantize

Inferred InferZeroPoint(const OperationCall& call) {
  RETURN_IF_ERROR(CheckBits(call.integer("bits"), 1));
  return InferBroadcast(call, {"x", "zero_point", "scale"});
}

std::vector<XlaOp> LowerZeroPoint(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const int64_t bits = call.integer("bits");
  const bool is_signed = call.logical("signed");
  const double highest = PowerOfTwo(is_signed ? bits - 1 : bits) - 1;
  const double lowest = !is_signed ? 0 : call.logical("symmetric") ? -highest : -highest - 1;
  const XlaOp x = WideOperand(call, "x"), scale = WideOperand(call, "scale");
  const XlaOp zero_point = ConvertTo(OperandLikeResult(call, "zero_point"), TypeOf(x));
  const XlaOp code = b.Add(RoundHalvesUp(b.Div(x, scale)), zero_point);
  const XlaOp in_range = b.Clamp(NumberLike(x, lowest), code, NumberLike(x, highest));
  return InTypeOfX(call, b.Mul(b.Sub(in_range, zero_point), scale));
}

// ---- logarithmic_quantize

Inferred InferLogarithmic(const OperationCall& call) {
  RETURN_IF_ERROR(CheckBits(call.integer("bits"), 1));
  return InferBroadcast(call, {"x", "max"});
}

// ceil(log2(x)), from the bits of x: a logarithm that is wrong by one part in 10^7 may make 4 of log2(8).
XlaOp CeilLog2(ComputationBuilder& b, XlaOp x) {
  const PrimitiveType type = TypeOf(x);
  const bool is_double = type == F64;
  const PrimitiveType bits_type = is_double ? S64 : S32;
  const int mantissa_bits = is_double ? 52 : 23, bias = is_double ? 1023 : 127;
  const XlaOp bits = b.BitcastConvertType(x, bits_type);
  const XlaOp exponent = b.Sub(b.ShiftRightArithmetic(bits, FullLike(bits, mantissa_bits)), FullLike(bits, bias));
  const XlaOp mantissa = b.And(bits, FullLike(bits, (int64_t{1} << mantissa_bits) - 1));
  const XlaOp up = b.ConvertElementType(b.Ne(mantissa, ZerosLike(mantissa)), bits_type);
  const XlaOp exact = b.ConvertElementType(b.Add(exponent, up), type);
  // Zero, negative numbers and NaN have no such bits: -inf and NaN.
  return b.Select(b.Gt(x, ZerosLike(x)), exact, b.Log(x));
}

std::vector<XlaOp> LowerLogarithmic(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const XlaOp x = WideOperand(call, "x");
  const XlaOp highest = CeilLog2(b, WideOperand(call, "max"));
  const XlaOp lowest = b.Sub(highest, FullLike(highest, PowerOfTwo(call.integer("bits")) - 1));
  const XlaOp log2 = b.Mul(b.Log(b.Abs(x)), FullLike(x, 1 / std::log(2.0)));
  const XlaOp code = RoundHalvesUp(b.Max(b.Min(log2, highest), lowest));
  return InTypeOfX(call, b.Mul(b.Sign(x), b.Pow(FullLike(x, 2), code)));
}

}  // namespace

std::vector<OperationDefinition> QuantizationOperations() {
  return {
      {R"(fragment min_max_linear_quantize(
    x: tensor<scalar>,
    min: tensor<scalar>,
    max: tensor<scalar>,
    bits: integer,
    signed: logical,
    symmetric: logical )
-> ( y: tensor<scalar> )
{
    r = scalar(2 ^ bits - 1 - integer(signed && symmetric));
    z = clamp(x, min, max);
    p = scalar(2 ^ (bits - 1) - integer(symmetric) if signed else 0);
    q = round((z - min) / (max - min) * r) - p;
    y = (q + p) / r * (max - min) + min;
})",
       "4.9.5", InferMinMax, LowerMinMax},
      // In the specification, zero_point is an integer and scale a scalar; as tensors they may be those, and what the
      // library of Khronos declares.
      {R"(fragment zero_point_linear_quantize(
    x: tensor<scalar>,
    zero_point: tensor<integer>,
    scale: tensor<scalar>,
    bits: integer,
    signed: logical,
    symmetric: logical )
-> ( y: tensor<scalar> )
{
    zero = cast<scalar>(zero_point);
    z = round(x / scale) + zero;
    r = scalar(2 ^ (bits - 1) - 1 if signed else 2 ^ bits - 1);
    q = clamp(z, 0.0 if !signed else -r if symmetric else -r - 1.0, r);
    y = (q - zero) * scale;
})",
       "4.9.5", InferZeroPoint, LowerZeroPoint},
      {R"(fragment linear_quantize( x: tensor<scalar>, min: tensor<scalar>, max: tensor<scalar>, bits: integer )
-> ( y: tensor<scalar> )
{
    y = min_max_linear_quantize(x, min = min, max = max, bits = bits, signed = false, symmetric = false);
})",
       "4.9.5", InferLinearQuantization, LowerLinearQuantization},
      {R"(fragment logarithmic_quantize( x: tensor<scalar>, max: tensor<scalar>, bits: integer )
-> ( y: tensor<scalar> )
{
    m = ceil(log2(max));
    r = scalar(2 ^ bits - 1);
    q = round(clamp(log2(abs(x)), m - r, m));
    y = sign(x) * 2.0 ^ q;
})",
       "4.9.5", InferLogarithmic, LowerLogarithmic},
  };
}

}  // namespace nnef1
}  // namespace xla
