// The elementwise operations: unary, binary, select, and those that the specification writes with them.
// Source: NNEF 1.0.4, section 4.2.
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/rounding.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

using B = ComputationBuilder;

// ---- Unary

Inferred InferAsX(const OperationCall& call) { return std::vector<Extents>{call.extents("x")}; }

using UnaryMethod = XlaOp (B::*)(XlaOp, SourceLocation);

template <UnaryMethod kMethod>
std::vector<XlaOp> LowerUnary(const LoweringCall& call) {
  return {(call.builder().*kMethod)(call.operand("x"), SourceLocation::Current())};
}

using UnaryFunction = XlaOp (*)(B& b, XlaOp x);

template <UnaryFunction kFunction>
std::vector<XlaOp> LowerFunction(const LoweringCall& call) {
  return {kFunction(call.builder(), call.operand("x"))};
}

XlaOp Copied(B&, XlaOp x) { return x; }

XlaOp Reciprocal(B& b, XlaOp x) { return b.Div(OnesLike(x), x); }

XlaOp Rounded(B&, XlaOp x) { return RoundHalvesUp(x); }

XlaOp Squared(B& b, XlaOp x) { return b.Mul(x, x); }

XlaOp ReciprocalSquared(B& b, XlaOp x) { return Reciprocal(b, b.Mul(x, x)); }

XlaOp Log2(B& b, XlaOp x) { return b.Div(b.Log(x), FullLike(x, std::log(2.0))); }

std::vector<XlaOp> LowerSoftabs(const LoweringCall& call) {
  B& b = call.builder();
  const XlaOp x = call.operand("x");
  return {b.Sqrt(b.Add(b.Mul(x, x), FullLike(x, call.scalar("epsilon"))))};
}

// ---- Binary

Inferred InferBinary(const OperationCall& call) {
  ASSIGN_OR_RETURN(Extents result, BroadcastExtents(call, {"x", "y"}));
  return std::vector<Extents>{std::move(result)};
}

using BinaryMethod = XlaOp (B::*)(XlaOp, XlaOp, ArraySlice<int64_t>, SourceLocation);

template <BinaryMethod kMethod>
std::vector<XlaOp> LowerBinary(const LoweringCall& call) {
  return {(call.builder().*kMethod)(OperandLikeResult(call, "x"), OperandLikeResult(call, "y"), {},
                                    SourceLocation::Current())};
}

// ---- select, clamp

Inferred InferSelect(const OperationCall& call) {
  ASSIGN_OR_RETURN(Extents result, BroadcastExtents(call, {"condition", "true_value", "false_value"}));
  return std::vector<Extents>{std::move(result)};
}

std::vector<XlaOp> LowerSelect(const LoweringCall& call) {
  return {call.builder().Select(OperandLikeResult(call, "condition"), OperandLikeResult(call, "true_value"),
                                OperandLikeResult(call, "false_value"))};
}

Inferred InferClamp(const OperationCall& call) {
  ASSIGN_OR_RETURN(Extents result, BroadcastExtents(call, {"x", "a", "b"}));
  return std::vector<Extents>{std::move(result)};
}

// max(min(x, b), a): `a` wins where bounds cross, unlike in HLO's clamp.
std::vector<XlaOp> LowerClamp(const LoweringCall& call) {
  B& b = call.builder();
  const XlaOp x = OperandLikeResult(call, "x");
  const absl::optional<Value> low = call.ConstantOf("a"), high = call.ConstantOf("b");
  const bool are_numbers = low.has_value() && low->is_scalar() && high.has_value() && high->is_scalar();
  if (are_numbers && low->scalar() <= high->scalar()) {
    return {b.Clamp(NumberLike(x, low->scalar()), x, NumberLike(x, high->scalar()))};
  }
  return {b.Max(b.Min(x, OperandLikeResult(call, "b")), OperandLikeResult(call, "a"))};
}

}  // namespace

std::vector<OperationDefinition> ElementwiseOperations() {
  return {
      // Unary: arithmetic, logical, rounding.
      {"fragment copy<?>( x: tensor<?> ) -> ( y: tensor<?> );", "4.2.1", InferAsX, LowerFunction<Copied>},
      {"fragment neg( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Neg>},
      {"fragment rcp( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerFunction<Reciprocal>},
      {"fragment exp( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Exp>},
      {"fragment log( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Log>},
      {"fragment sin( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Sin>},
      {"fragment cos( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Cos>},
      {"fragment tan( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Tan>},
      {"fragment sinh( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Sinh>},
      {"fragment cosh( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Cosh>},
      {"fragment tanh( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Tanh>},
      {"fragment asin( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Asin>},
      {"fragment acos( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Acos>},
      {"fragment atan( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Atan>},
      {"fragment asinh( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Asinh>},
      {"fragment acosh( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Acosh>},
      {"fragment atanh( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Atanh>},
      {"fragment abs( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Abs>},
      {"fragment sign( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Sign>},
      {"fragment not( x: tensor<logical> ) -> ( y: tensor<logical> );", "4.2.1", InferAsX, LowerUnary<&B::Not>},
      {"fragment floor( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Floor>},
      {"fragment ceil( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerUnary<&B::Ceil>},
      {"fragment round( x: tensor<scalar> ) -> ( y: tensor<scalar> );", "4.2.1", InferAsX, LowerFunction<Rounded>},
      // Binary: arithmetic, comparisons, logical.
      {"fragment add( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<scalar> );", "4.2.2", InferBinary,
       LowerBinary<&B::Add>},
      {"fragment sub( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<scalar> );", "4.2.2", InferBinary,
       LowerBinary<&B::Sub>},
      {"fragment mul( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<scalar> );", "4.2.2", InferBinary,
       LowerBinary<&B::Mul>},
      {"fragment div( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<scalar> );", "4.2.2", InferBinary,
       LowerBinary<&B::Div>},
      {"fragment pow( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<scalar> );", "4.2.2", InferBinary,
       LowerBinary<&B::Pow>},
      {"fragment lt( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<logical> );", "4.2.2", InferBinary,
       LowerBinary<&B::Lt>},
      {"fragment gt( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<logical> );", "4.2.2", InferBinary,
       LowerBinary<&B::Gt>},
      {"fragment le( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<logical> );", "4.2.2", InferBinary,
       LowerBinary<&B::Le>},
      {"fragment ge( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<logical> );", "4.2.2", InferBinary,
       LowerBinary<&B::Ge>},
      {"fragment eq( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<logical> );", "4.2.2", InferBinary,
       LowerBinary<&B::Eq>},
      {"fragment ne( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<logical> );", "4.2.2", InferBinary,
       LowerBinary<&B::Ne>},
      {"fragment and( x: tensor<logical>, y: tensor<logical> ) -> ( z: tensor<logical> );", "4.2.2", InferBinary,
       LowerBinary<&B::And>},
      {"fragment or( x: tensor<logical>, y: tensor<logical> ) -> ( z: tensor<logical> );", "4.2.2", InferBinary,
       LowerBinary<&B::Or>},
      {"fragment select<?>( condition: tensor<logical>, true_value: tensor<?>, false_value: tensor<?> ) "
       "-> ( output: tensor<?> );",
       "4.2.3", InferSelect, LowerSelect},
      // Simplifiers.
      {"fragment sqr( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = pow(x, 2.0); }", "4.2.4", InferAsX,
       LowerFunction<Squared>},
      {"fragment sqrt( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = pow(x, 0.5); }", "4.2.4", InferAsX,
       LowerUnary<&B::Sqrt>},
      {"fragment rsqr( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = pow(x, -2.0); }", "4.2.4", InferAsX,
       LowerFunction<ReciprocalSquared>},
      {"fragment rsqrt( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = pow(x, -0.5); }", "4.2.4", InferAsX,
       LowerUnary<&B::Rsqrt>},
      {"fragment log2( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = log(x) / log(2.0); }", "4.2.4", InferAsX,
       LowerFunction<Log2>},
      {"fragment min( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<scalar> ) { z = select(x < y, x, y); }",
       "4.2.4", InferBinary, LowerBinary<&B::Min>},
      {"fragment max( x: tensor<scalar>, y: tensor<scalar> ) -> ( z: tensor<scalar> ) { z = select(x > y, x, y); }",
       "4.2.4", InferBinary, LowerBinary<&B::Max>},
      {"fragment clamp( x: tensor<scalar>, a: tensor<scalar>, b: tensor<scalar> ) -> ( y: tensor<scalar> ) "
       "{ y = max(min(x, b), a); }",
       "4.2.4", InferClamp, LowerClamp},
      // Of the reference library, not of the specification.
      {"fragment softabs( x: tensor<scalar>, epsilon: scalar ) -> ( y: tensor<scalar> ) "
       "{ y = sqrt(sqr(x) + epsilon); }",
       "4.2.4", InferAsX, LowerSoftabs},
  };
}

}  // namespace nnef1
}  // namespace xla
