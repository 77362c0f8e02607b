#include "builders/computation_builder/lib/cumulative.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/finish.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/scalar_computations.h"

namespace xla {
namespace {

struct Direction {
  int64_t axis;
  bool exclusive;
  bool reverse;
};

// A window as long as the axis, of which all but the elements that count lie in the padding.
XlaOp Accumulate(LibCall& call, XlaOp x, XlaOp init, const XlaComputation& combine, Direction direction) {
  const Shape shape = call.shape(x);
  const int64_t size = call.ok() ? shape.dimension(direction.axis) : 0;
  if (size == 0) return x;
  const std::vector<int64_t> ones(shape.rank(), 1);
  std::vector<int64_t> window = ones;
  window[direction.axis] = size;
  std::vector<std::pair<int64_t, int64_t>> padding(shape.rank());
  std::pair<int64_t, int64_t> along = {direction.exclusive ? size : size - 1, direction.exclusive ? -1 : 0};
  if (direction.reverse) std::swap(along.first, along.second);
  padding[direction.axis] = along;
  return call->ReduceWindowWithGeneralPadding(x, init, combine, window, ones, {}, {}, padding);
}

// log(e^x + e^y)
XlaComputation LogAddExp(const LibCall& call, PrimitiveType type) {
  ComputationBuilder b("log_add_exp");
  b.SetOpMetadata(call->op_metadata());
  const XlaOp x = b.Parameter(0, Shape::Scalar(type), "x");
  const XlaOp y = b.Parameter(1, Shape::Scalar(type), "y");
  const XlaOp difference = b.Sub(x, y);
  const XlaOp sum = b.Add(b.Max(x, y), b.Log1p(b.Exp(b.Neg(b.Abs(difference)))));
  // Two infinities of one sign, or NaN.
  return Finish(b, b.Select(b.Ne(difference, difference), b.Add(x, y), sum));
}

bool CheckNumbers(LibCall& call, XlaOp x) {
  if (!call.ok() || call.type(x) != PRED) return call.ok();
  call.Fail(absl::StrCat("x must be an array of numbers, got ", call.shape(x).ToString()));
  return false;
}

}  // namespace

XlaOp CumSum(XlaOp x, int64_t axis, bool exclusive, bool reverse, SourceLocation loc) {
  LibCall call("CumSum", {x}, loc);
  if (!call.CheckDimension("axis", axis, x) || !CheckNumbers(call, x)) return XlaOp();
  return call.InF32IfNarrower(x, [&](XlaOp wide) {
    const PrimitiveType type = call.type(wide);
    return Accumulate(call, wide, call.Integer(type, 0), CreateScalarAddComputation(type), {axis, exclusive, reverse});
  });
}

XlaOp CumProd(XlaOp x, int64_t axis, bool exclusive, bool reverse, SourceLocation loc) {
  LibCall call("CumProd", {x}, loc);
  if (!call.CheckDimension("axis", axis, x) || !CheckNumbers(call, x)) return XlaOp();
  return call.InF32IfNarrower(x, [&](XlaOp wide) {
    const PrimitiveType type = call.type(wide);
    const XlaComputation multiply = CreateScalarMultiplyComputation(type);
    return Accumulate(call, wide, call.Integer(type, 1), multiply, {axis, exclusive, reverse});
  });
}

XlaOp CumMax(XlaOp x, int64_t axis, bool exclusive, bool reverse, SourceLocation loc) {
  LibCall call("CumMax", {x}, loc);
  if (!call.CheckReal("x", x) || !call.CheckDimension("axis", axis, x)) return XlaOp();
  const XlaOp least = call->ConstantLiteral(LiteralUtil::MinValue(call.type(x)));
  return Accumulate(call, x, least, CreateScalarMaxComputation(call.type(x)), {axis, exclusive, reverse});
}

XlaOp CumMin(XlaOp x, int64_t axis, bool exclusive, bool reverse, SourceLocation loc) {
  LibCall call("CumMin", {x}, loc);
  if (!call.CheckReal("x", x) || !call.CheckDimension("axis", axis, x)) return XlaOp();
  const XlaOp greatest = call->ConstantLiteral(LiteralUtil::MaxValue(call.type(x)));
  return Accumulate(call, x, greatest, CreateScalarMinComputation(call.type(x)), {axis, exclusive, reverse});
}

XlaOp CumLogSumExp(XlaOp x, int64_t axis, bool exclusive, bool reverse, SourceLocation loc) {
  LibCall call("CumLogSumExp", {x}, loc);
  if (!call.CheckFloat("x", x) || !call.CheckDimension("axis", axis, x)) return XlaOp();
  return call.InF32IfNarrower(x, [&](XlaOp wide) {
    const PrimitiveType type = call.type(wide);
    const XlaOp nothing = call->ConstantLiteral(LiteralUtil::MinValue(type));
    return Accumulate(call, wide, nothing, LogAddExp(call, type), {axis, exclusive, reverse});
  });
}

}  // namespace xla
