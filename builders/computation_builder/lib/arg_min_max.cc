// ArgMax and ArgMin: one reduction of values and indices together.
#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/finish.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/lib/reductions.h"

namespace xla {
namespace {

// Of two (value, index) pairs the better one, whichever comes first: reductions may combine in any order.
XlaComputation BetterOfTwo(const LibCall& call, PrimitiveType value_type, PrimitiveType index_type, bool is_max) {
  ComputationBuilder b(is_max ? "arg_max" : "arg_min");
  b.SetOpMetadata(call->op_metadata());
  const XlaOp x = b.Parameter(0, Shape::Scalar(value_type), "x");
  const XlaOp x_index = b.Parameter(1, Shape::Scalar(index_type), "x_index");
  const XlaOp y = b.Parameter(2, Shape::Scalar(value_type), "y");
  const XlaOp y_index = b.Parameter(3, Shape::Scalar(index_type), "y_index");
  XlaOp better = is_max ? b.Gt(x, y) : b.Lt(x, y);
  XlaOp equal = b.Eq(x, y);
  if (IsFloat(value_type)) {
    const XlaOp x_is_nan = b.Ne(x, x);
    const XlaOp y_is_nan = b.Ne(y, y);
    better = b.Or(better, b.And(x_is_nan, b.Not(y_is_nan)));
    equal = b.Or(equal, b.And(x_is_nan, y_is_nan));
  }
  const XlaOp take_x = b.Or(better, b.And(equal, b.Lt(x_index, y_index)));
  return Finish(b, b.Tuple({b.Select(take_x, x, y), b.Select(take_x, x_index, y_index)}));
}

// A reduce of pairs (value, index) that keeps the better value, and the lower index among equal ones.
XlaOp ArgMinMax(const char* name, XlaOp input, PrimitiveType output_type, int64_t axis, bool is_max,
                SourceLocation loc) {
  LibCall call(name, {input}, loc);
  if (!call.CheckReal("input", input) || !call.CheckDimension("axis", axis, input)) return XlaOp();
  if (!IsInt(output_type)) {
    return call.Fail(absl::StrCat("output_type must be an integer type, got ", PrimitiveTypeName(output_type)));
  }
  Shape indices = call.shape(input);
  indices.set_element_type(output_type);
  const PrimitiveType type = call.type(input);
  const XlaOp worst = call->ConstantLiteral(is_max ? LiteralUtil::MinValue(type) : LiteralUtil::MaxValue(type));
  const XlaOp found = call->Reduce({input, call->Iota(indices, axis)}, {worst, call.Integer(output_type, 0)},
                                   BetterOfTwo(call, type, output_type, is_max), {axis});
  return call->GetTupleElement(found, 1);
}

}  // namespace

XlaOp ArgMax(XlaOp input, PrimitiveType output_type, int64_t axis, SourceLocation loc) {
  return ArgMinMax("ArgMax", input, output_type, axis, /*is_max=*/true, loc);
}
XlaOp ArgMin(XlaOp input, PrimitiveType output_type, int64_t axis, SourceLocation loc) {
  return ArgMinMax("ArgMin", input, output_type, axis, /*is_max=*/false, loc);
}

}  // namespace xla
