#include "builders/computation_builder/lib/reductions.h"

#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/scalar_computations.h"

namespace xla {
namespace {

// Gives the dimensions that a reduction removed the size 1.
XlaOp Restore(LibCall& call, XlaOp reduced, XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions) {
  if (!keep_dimensions || !call.ok()) return reduced;
  Shape kept = call.shape(x);
  kept.set_element_type(call.type(reduced));
  for (const int64_t d : dimensions) {
    kept.set_dimension(d, 1);
    kept.set_dynamic_dimension(d, false);
  }
  return call->Reshape(kept, reduced);
}

XlaOp Sum(LibCall& call, XlaOp x, ArraySlice<int64_t> dimensions) {
  const auto sum = [&](XlaOp wide) {
    const PrimitiveType type = call.type(wide);
    return call->Reduce(wide, call.Integer(type, 0), CreateScalarAddComputation(type), dimensions);
  };
  return call.InF32IfNarrower(x, sum);
}

XlaOp Max(LibCall& call, XlaOp x, ArraySlice<int64_t> dimensions) {
  const PrimitiveType type = call.type(x);
  const XlaOp least = call->ConstantLiteral(LiteralUtil::MinValue(type));
  return call->Reduce(x, least, CreateScalarMaxComputation(type), dimensions);
}

// The number of elements that are reduced to one, as a scalar.
XlaOp CountAlong(LibCall& call, XlaOp x, ArraySlice<int64_t> dimensions) {
  const Shape shape = call.shape(x);
  XlaOp count = call.Integer(shape.element_type(), 1);
  for (const int64_t d : dimensions) {
    const XlaOp size = shape.is_dynamic_dimension(d)
                           ? call->ConvertElementType(call->GetDimensionSize(x, d), shape.element_type())
                           : call.Number(shape.element_type(), static_cast<double>(shape.dimension(d)));
    count = call->Mul(count, size);
  }
  return count;
}

XlaOp AnyOrAll(const char* name, XlaOp predicates, const ArraySlice<int64_t>* dimensions, bool any,
               SourceLocation loc) {
  LibCall call(name, {predicates}, loc);
  if (!call.CheckPred("predicates", predicates)) return XlaOp();
  const DimensionVector all = FirstDimensions(call.shape(predicates).rank());
  if (dimensions != nullptr && !call.CheckDimensions("dimensions", *dimensions, predicates)) return XlaOp();
  return call->Reduce(predicates, call->ConstantR0<bool>(!any),
                      any ? CreateScalarOrComputation(PRED) : CreateScalarAndComputation(PRED),
                      dimensions == nullptr ? all : *dimensions);
}

}  // namespace

XlaOp ReduceSum(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions, SourceLocation loc) {
  LibCall call("ReduceSum", {x}, loc);
  if (!call.CheckDimensions("dimensions", dimensions, x)) return XlaOp();
  return Restore(call, Sum(call, x, dimensions), x, dimensions, keep_dimensions);
}

XlaOp ReduceProduct(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions, SourceLocation loc) {
  LibCall call("ReduceProduct", {x}, loc);
  if (!call.CheckDimensions("dimensions", dimensions, x)) return XlaOp();
  const XlaOp product = call.InF32IfNarrower(x, [&](XlaOp wide) {
    const PrimitiveType type = call.type(wide);
    return call->Reduce(wide, call.Integer(type, 1), CreateScalarMultiplyComputation(type), dimensions);
  });
  return Restore(call, product, x, dimensions, keep_dimensions);
}

XlaOp ReduceMax(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions, SourceLocation loc) {
  LibCall call("ReduceMax", {x}, loc);
  if (!call.CheckReal("x", x) || !call.CheckDimensions("dimensions", dimensions, x)) return XlaOp();
  return Restore(call, Max(call, x, dimensions), x, dimensions, keep_dimensions);
}

XlaOp ReduceMin(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions, SourceLocation loc) {
  LibCall call("ReduceMin", {x}, loc);
  if (!call.CheckReal("x", x) || !call.CheckDimensions("dimensions", dimensions, x)) return XlaOp();
  const PrimitiveType type = call.type(x);
  const XlaOp greatest = call->ConstantLiteral(LiteralUtil::MaxValue(type));
  const XlaOp least = call->Reduce(x, greatest, CreateScalarMinComputation(type), dimensions);
  return Restore(call, least, x, dimensions, keep_dimensions);
}

XlaOp Any(XlaOp predicates, SourceLocation loc) { return AnyOrAll("Any", predicates, nullptr, /*any=*/true, loc); }
XlaOp Any(XlaOp predicates, ArraySlice<int64_t> dimensions, SourceLocation loc) {
  return AnyOrAll("Any", predicates, &dimensions, /*any=*/true, loc);
}
XlaOp All(XlaOp predicates, SourceLocation loc) { return AnyOrAll("All", predicates, nullptr, /*any=*/false, loc); }
XlaOp All(XlaOp predicates, ArraySlice<int64_t> dimensions, SourceLocation loc) {
  return AnyOrAll("All", predicates, &dimensions, /*any=*/false, loc);
}

XlaOp Mean(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions, SourceLocation loc) {
  LibCall call("Mean", {x}, loc);
  if (!call.CheckFloatOrComplex("x", x) || !call.CheckDimensions("dimensions", dimensions, x)) return XlaOp();
  const XlaOp mean = call.InF32IfNarrower(
      x, [&](XlaOp wide) { return call->Div(Sum(call, wide, dimensions), CountAlong(call, wide, dimensions)); });
  return Restore(call, mean, x, dimensions, keep_dimensions);
}

XlaOp Variance(XlaOp x, ArraySlice<int64_t> dimensions, int64_t correction, bool keep_dimensions, SourceLocation loc) {
  LibCall call("Variance", {x}, loc);
  if (!call.CheckFloat("x", x) || !call.CheckDimensions("dimensions", dimensions, x)) return XlaOp();
  const XlaOp variance = call.InF32IfNarrower(x, [&](XlaOp wide) {
    const XlaOp count = CountAlong(call, wide, dimensions);
    const XlaOp mean = call->Div(Sum(call, wide, dimensions), count);
    const XlaOp distance = call->Sub(wide, mean, DimensionsWithout(call.shape(wide), dimensions));
    const XlaOp divisor = call->Sub(count, call.Integer(call.type(wide), correction));
    return call->Div(Sum(call, call->Mul(distance, distance), dimensions), divisor);
  });
  return Restore(call, variance, x, dimensions, keep_dimensions);
}

XlaOp LogSumExp(XlaOp x, ArraySlice<int64_t> dimensions, bool keep_dimensions, SourceLocation loc) {
  LibCall call("LogSumExp", {x}, loc);
  if (!call.CheckFloat("x", x) || !call.CheckDimensions("dimensions", dimensions, x)) return XlaOp();
  const XlaOp result = call.InF32IfNarrower(x, [&](XlaOp wide) {
    const XlaOp greatest = Max(call, wide, dimensions);
    // Of infinities nothing can be taken out: inf - inf is NaN.
    const XlaOp zero = call->Broadcast(call.Integer(call.type(wide), 0), call.shape(greatest).dimensions());
    const XlaOp taken_out = call->Select(call->IsFinite(greatest), greatest, zero);
    const XlaOp rest = call->Exp(call->Sub(wide, taken_out, DimensionsWithout(call.shape(wide), dimensions)));
    return call->Add(call->Log(Sum(call, rest, dimensions)), taken_out);
  });
  return Restore(call, result, x, dimensions, keep_dimensions);
}

}  // namespace xla
