// ComputationBuilder: writes a computation in C++, one method call per operation.
//
//   ComputationBuilder b("axpy");
//   XlaOp a = b.Parameter(0, Shape::Scalar(F32), "a");
//   XlaOp x = b.Parameter(1, Shape::Array(F32, {10}), "x");
//   XlaOp y = b.Parameter(2, Shape::Array(F32, {10}), "y");
//   b.Add(b.Mul(a, x), y);                               // or: a * x + y
//   absl::StatusOr<XlaComputation> axpy = b.Build();     // the result is that of the last operation
//
// Operations have the names and the argument order of the ComputationBuilder document of 2017, and those that HLO has
// gained since have XLA's. All shapes are known while building. The first error sticks to the builder with the place of
// the call that made it; operations on a failed builder do nothing and return an invalid XlaOp, and Build() returns the
// error:
//
//   model.cc:42: Dot(f32[8,16], f32[32,4]): contracting dimensions must have equal size: ...
//
// HLO itself broadcasts nothing. The binary operations here do: a scalar, dimensions of size 1, and with
// broadcast_dimensions an operand of lower rank (broadcasting.h).
//
// In the comments below, T[d0..dn] is an array of element type T; "int" is any integer type, "float" any floating type.
// Where a comment names no errors beyond wrong types and dimensions, there are none. A builder belongs to one thread at
// a time.
#ifndef BUILDERS_COMPUTATION_BUILDER_COMPUTATION_BUILDER_H_
#define BUILDERS_COMPUTATION_BUILDER_COMPUTATION_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "xla_core/ops/literal_util.h"
#include "builders/computation_builder/operation_options.h"
#include "builders/computation_builder/source_location.h"
#include "builders/computation_builder/xla_computation.h"
#include "builders/computation_builder/xla_op.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/ir/opcode.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// A list that is only read: an initialiser list, a vector, an array.
template <typename T>
using ArraySlice = absl::Span<const T>;

class OperationScope;

// Adds operations to one computation, each checked at once: shapes are inferred, and the first error is kept and
// returned by Build, after which operations do nothing. Operations return an XlaOp, a handle that is only valid with
// this builder. Not thread-safe.
class ComputationBuilder {
 public:
  // `name` becomes the computation's; characters that HLO does not have in names become `_`.
  explicit ComputationBuilder(absl::string_view name);
  ~ComputationBuilder();
  ComputationBuilder(const ComputationBuilder&) = delete;
  ComputationBuilder& operator=(const ComputationBuilder&) = delete;

  const std::string& name() const { return name_; }

  // ==== Building

  // The computation, whose result is `root` or, without one, that of the last operation. The builder is finished then:
  // further operations are errors.
  // Errors: the first error of any operation; InvalidArgument if there is no operation, if parameter numbers have a
  //   gap, or if Build was called before.
  absl::StatusOr<XlaComputation> Build(SourceLocation loc = SourceLocation::Current());
  absl::StatusOr<XlaComputation> Build(XlaOp root, SourceLocation loc = SourceLocation::Current());

  // Build for a computation that goes straight to an operation of another builder: an error goes with it, and that
  // operation reports it.
  XlaComputation BuildOrError(SourceLocation loc = SourceLocation::Current());
  XlaComputation BuildOrError(XlaOp root, SourceLocation loc = SourceLocation::Current());

  // Build and XlaComputation::ToModule in one, for the computation that is a whole program: a verified module.
  absl::StatusOr<std::unique_ptr<HloModule>> BuildModule(SourceLocation loc = SourceLocation::Current());
  absl::StatusOr<std::unique_ptr<HloModule>> BuildModule(XlaOp root, SourceLocation loc = SourceLocation::Current());

  // ==== Errors

  bool ok() const { return first_error_.ok(); }
  // OK, or the first error, with the place of the call in front.
  const absl::Status& first_error() const { return first_error_; }
  // Makes `error` the builder's, unless it has one already, for functions and frontends that check for themselves. The
  // message gets the place and the name of the operation in front (OperationScope). Returns an invalid XlaOp. An OK
  // status is ignored.
  XlaOp ReportError(const absl::Status& error, SourceLocation loc = SourceLocation::Current());

  // The shape of a value of this builder, also after Build. Errors: the builder's first error; InvalidArgument for an
  // invalid XlaOp or one of another builder.
  absl::StatusOr<Shape> GetShape(XlaOp op) const;
  // The same where an error needs no telling because the operation that meets it will report it:
  // PRIMITIVE_TYPE_INVALID.
  Shape ShapeOrInvalid(XlaOp op) const;

  // ==== The module that this computation becomes the entry of

  // Replica and partition counts, aliases, donors, entry layout, frontend attributes: see HloModuleConfig. Read when
  // Build is called; of no meaning for a computation that others call.
  HloModuleConfig& mutable_module_config();
  // Run by this many replicas and partitions, both >= 1; collectives are checked against it. To be called before them.
  void SetDeviceCounts(int64_t replicas, int64_t partitions = 1, SourceLocation loc = SourceLocation::Current());
  // Lets the result at `output_index` use the memory of that part of a parameter. `must`: compiling fails where it
  // cannot; else it is a permission.
  void SetUpAlias(ShapeIndex output_index, int64_t parameter_number, ShapeIndex parameter_index, bool must = false);
  // Lets any result use the memory of that part of a parameter.
  void AddBufferDonor(int64_t parameter_number, ShapeIndex parameter_index);

  // ==== What instructions carry besides their meaning

  // Operations added from now on get this metadata; the source file and line of their call are filled in where it has
  // none. See also ScopedOpMetadata.
  void SetOpMetadata(OpMetadata metadata) {
    metadata_ = std::move(metadata);
    NoteAnnotations();
  }
  void ClearOpMetadata() { SetOpMetadata(OpMetadata()); }
  const OpMetadata& op_metadata() const { return metadata_; }
  // ... this sharding; see also ScopedSharding.
  void SetSharding(absl::optional<Sharding> sharding) {
    sharding_ = std::move(sharding);
    NoteAnnotations();
  }
  void ClearSharding() { SetSharding(absl::nullopt); }
  const absl::optional<Sharding>& sharding() const { return sharding_; }
  // ... these frontend attributes; see also ScopedFrontendAttributes.
  void SetFrontendAttributes(FrontendAttributes attributes) {
    frontend_attributes_ = std::move(attributes);
    NoteAnnotations();
  }
  void ClearFrontendAttributes() { SetFrontendAttributes({}); }
  const FrontendAttributes& frontend_attributes() const { return frontend_attributes_; }
  // Whether metadata says the source file and line of each call; it does at first.
  void set_keep_source_locations(bool keep) { keep_source_locations_ = keep; }

  // The same for one operation. All are ignored for an invalid XlaOp, and errors for one of another builder or after
  // Build.
  void SetInstructionSharding(XlaOp op, Sharding sharding, SourceLocation loc = SourceLocation::Current());
  void SetInstructionFrontendAttribute(XlaOp op, std::string key, std::string value,
                                       SourceLocation loc = SourceLocation::Current());
  void SetInstructionBackendConfig(XlaOp op, std::string config, SourceLocation loc = SourceLocation::Current());
  void SetInstructionResultAccuracy(XlaOp op, ResultAccuracy accuracy, SourceLocation loc = SourceLocation::Current());
  // A name instead of "add.7"; made unique if the computation has it already.
  void SetInstructionName(XlaOp op, absl::string_view name, SourceLocation loc = SourceLocation::Current());
  // `later` runs after `earlier` although it needs no value of it. Errors: `earlier` does not come first.
  void AddControlDependency(XlaOp earlier, XlaOp later, SourceLocation loc = SourceLocation::Current());

  // ==== Any operation

  // An operation by its opcode: for those that have no method here (bitcast, domain, fusion), and for programs that
  // generate programs. `attributes` are those that the op table names for the opcode (nullptr: the default);
  // `called` the computations, in the order of the table; `shape` what HLO text writes in front, which may be left out
  // where operands tell the shape, and otherwise gives what they cannot tell: the element type for convert, all of it
  // for custom-call. No broadcasting is done.
  // Errors: InvalidArgument if the rules of the op table for the opcode are broken.
  XlaOp AddOp(HloOpcode opcode, ArraySlice<XlaOp> operands, std::unique_ptr<Attributes> attributes = nullptr,
              ArraySlice<XlaComputation> called = {}, const Shape& shape = Shape(),
              SourceLocation loc = SourceLocation::Current());

  // ==== Parameters and constants

  // The argument `number` of the computation.
  //   Shapes: -> shape
  //   Errors: a number below 0 or given before; a shape that is not valid; at Build: numbers with a gap.
  //   Example: XlaOp x = b.Parameter(0, Shape::Array(F32, {2, 3}), "x")
  //   HLO: parameter. Without a name it is p0, p1, ...
  XlaOp Parameter(int64_t number, const Shape& shape, absl::string_view name = "",
                  SourceLocation loc = SourceLocation::Current());

  // A constant of any shape, tuples included.
  //   Example: b.ConstantLiteral(LiteralUtil::MinValue(F32))
  //   HLO: constant
  XlaOp ConstantLiteral(const Literal& literal, SourceLocation loc = SourceLocation::Current());
  // The same for a literal that may have failed to be made, whose error becomes the builder's.
  XlaOp ConstantLiteral(const absl::StatusOr<Literal>& literal, SourceLocation loc = SourceLocation::Current());
  // A scalar.
  //   Example: b.ConstantR0<float>(42) = f32[] 42
  template <typename T>
  XlaOp ConstantR0(T value, SourceLocation loc = SourceLocation::Current());
  // A vector of the given values, or of `length` times one value.
  //   Example: b.ConstantR1<float>({1, 2, 3}) = f32[3] {1, 2, 3}; b.ConstantR1<float>(2, 7) = f32[2] {7, 7}
  //   Errors: a negative length.
  template <typename T>
  XlaOp ConstantR1(ArraySlice<T> values, SourceLocation loc = SourceLocation::Current());
  template <typename T>
  XlaOp ConstantR1(int64_t length, T value, SourceLocation loc = SourceLocation::Current());
  // A matrix by rows.
  //   Example: b.ConstantR2<int32_t>({{1, 2, 3}, {4, 5, 6}}) = s32[2,3]
  //   Errors: rows that are not equally long.
  template <typename T>
  XlaOp ConstantR2(NestedList2<T> values, SourceLocation loc = SourceLocation::Current());
  // The same for three and four dimensions.
  template <typename T>
  XlaOp ConstantR3(NestedList3<T> values, SourceLocation loc = SourceLocation::Current());
  template <typename T>
  XlaOp ConstantR4(NestedList4<T> values, SourceLocation loc = SourceLocation::Current());
  // An array of any rank, whose elements are given in row-major order.
  //   Example: b.ConstantArray<float>({2, 2}, {1, 2, 3, 4})
  //   Errors: more or fewer values than the dimensions have elements.
  template <typename T>
  XlaOp ConstantArray(ArraySlice<int64_t> dimensions, ArraySlice<T> values,
                      SourceLocation loc = SourceLocation::Current());

  // Counts along a dimension: result[i0..in] = i_d with d = iota_dimension; or a vector 0 .. size-1.
  //   Shapes: -> shape, an array of int, float or complex of rank >= 1
  //   Errors: pred; rank 0; a dimension out of range.
  //   Example: b.Iota(S32, 4) = s32[4] {0, 1, 2, 3}
  //   HLO: iota
  XlaOp Iota(const Shape& shape, int64_t iota_dimension, SourceLocation loc = SourceLocation::Current());
  XlaOp Iota(PrimitiveType type, int64_t size, SourceLocation loc = SourceLocation::Current());

  // ==== Elementwise unary operations
  //
  // result[i] = f(operand[i]).
  //   Shapes: T[d0..dn] -> T[d0..dn] unless stated; scalars too.
  //   Errors: an element type that is not admitted.
  //   Example: b.Abs(b.ConstantR1<float>({-1, 2})) = f32[2] {1, 2}
  //   HLO: the opcode of the same name, unless stated.

  // |x|, of complex numbers the modulus, a real. T: signed int, float, complex. The least integer stays itself.
  XlaOp Abs(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // -x. T: int, float, complex. HLO: negate.
  XlaOp Neg(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // -1, 0 or 1; x/|x| of complex numbers; NaN of NaN and -0 of -0. T: signed int, float, complex.
  XlaOp Sign(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Least integer >= x. T: float.
  XlaOp Ceil(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Greatest integer <= x. T: float.
  XlaOp Floor(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Nearest integer, ties away from zero. T: float. HLO: round-nearest-afz.
  XlaOp Round(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Nearest integer, ties to even. T: float. HLO: round-nearest-even.
  XlaOp RoundNearestEven(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // e^x. T: float, complex. HLO: exponential.
  XlaOp Exp(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // e^x - 1, accurate near 0. T: float, complex. HLO: exponential-minus-one.
  XlaOp Expm1(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Natural logarithm. T: float, complex.
  XlaOp Log(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // ln(1 + x), accurate near 0. T: float, complex. HLO: log-plus-one.
  XlaOp Log1p(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // 1 / (1 + e^-x). T: float, complex.
  XlaOp Logistic(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Square root. T: float, complex.
  XlaOp Sqrt(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // 1 / square root. T: float, complex.
  XlaOp Rsqrt(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Cube root. T: float.
  XlaOp Cbrt(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // The error function. T: float.
  XlaOp Erf(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Sine, cosine, tangent of x in radians. T: float, complex. HLO: sine, cosine, tan.
  XlaOp Sin(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  XlaOp Cos(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  XlaOp Tan(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Their inverses, in radians; Atan is Atan2(x, 1). T: float, complex. HLO: asin, acos, atan2.
  XlaOp Asin(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  XlaOp Acos(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  XlaOp Atan(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // The hyperbolic functions and their inverses. T: float, complex.
  XlaOp Sinh(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  XlaOp Cosh(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  XlaOp Tanh(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  XlaOp Asinh(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  XlaOp Acosh(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  XlaOp Atanh(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Real and imaginary part. Shapes: c64 -> f32, c128 -> f64; a float is its own real part and has 0 as imaginary one.
  XlaOp Real(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  XlaOp Imag(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Complex conjugate; a float itself. T: float, complex. HLO: real, imag, negate, complex.
  XlaOp Conj(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Neither infinite nor NaN. Shapes: float[...] -> pred[...]. HLO: is-finite.
  XlaOp IsFinite(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Logical not. T: pred. HLO: not.
  XlaOp LogicalNot(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Logical not of pred, bitwise not of int.
  XlaOp Not(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Number of bits that are 1. T: int. HLO: popcnt.
  XlaOp PopulationCount(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Number of leading bits that are 0; the width for 0. T: int. HLO: count-leading-zeros.
  XlaOp Clz(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // The operand itself, in memory of its own. T: any, tuples too.
  XlaOp Copy(XlaOp operand, SourceLocation loc = SourceLocation::Current());

  // ==== Elementwise binary operations
  //
  // result[i] = f(lhs[i], rhs[i]).
  //   Shapes: T[...], T[...] -> T[...], after broadcasting. Operands of equal rank: dimensions are equal, or one of
  //     them is 1 and stretched. One is a scalar: it goes with every element. Otherwise broadcast_dimensions must say,
  //     for each dimension of the operand of lower rank, which one of the other it is.
  //   Errors: element types that differ or are not admitted; dimensions that do not fit; broadcast_dimensions that are
  //     not ascending, out of range, or not one for each dimension of the lower rank.
  //   Example: b.Add(matrix f32[4,3], vector f32[3], {1}) adds the vector to every row
  //   HLO: the opcode of the same name, unless stated; reshape and broadcast where an operand is broadcast.

  // Sum; of pred, or. T: any.
  XlaOp Add(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
            SourceLocation loc = SourceLocation::Current());
  // Difference. T: int, float, complex. HLO: subtract.
  XlaOp Sub(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
            SourceLocation loc = SourceLocation::Current());
  // Product; of pred, and. T: any. HLO: multiply.
  XlaOp Mul(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
            SourceLocation loc = SourceLocation::Current());
  // Quotient; of integers rounded toward zero, x/0 has all bits set. T: int, float, complex. HLO: divide.
  XlaOp Div(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
            SourceLocation loc = SourceLocation::Current());
  // Remainder with the sign of lhs and less than |rhs|; of integers x%0 = x. T: int, float. HLO: remainder.
  XlaOp Rem(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
            SourceLocation loc = SourceLocation::Current());
  // The greater; NaN if either is. T: pred, int, float. HLO: maximum.
  XlaOp Max(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
            SourceLocation loc = SourceLocation::Current());
  // The lesser; NaN if either is. T: pred, int, float. HLO: minimum.
  XlaOp Min(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
            SourceLocation loc = SourceLocation::Current());
  // lhs to the power rhs. T: int, float, complex. HLO: power.
  XlaOp Pow(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
            SourceLocation loc = SourceLocation::Current());
  // Angle of the point (rhs, lhs), in radians. T: float, complex.
  XlaOp Atan2(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
              SourceLocation loc = SourceLocation::Current());
  // The complex number lhs + i rhs. Shapes: f32, f32 -> c64; f64, f64 -> c128.
  XlaOp Complex(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                SourceLocation loc = SourceLocation::Current());
  // Logical and, or, exclusive or. T: pred. HLO: and, or, xor.
  XlaOp LogicalAnd(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                   SourceLocation loc = SourceLocation::Current());
  XlaOp LogicalOr(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                  SourceLocation loc = SourceLocation::Current());
  XlaOp LogicalXor(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                   SourceLocation loc = SourceLocation::Current());
  // The same bit by bit for integers. T: pred, int.
  XlaOp And(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
            SourceLocation loc = SourceLocation::Current());
  XlaOp Or(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
           SourceLocation loc = SourceLocation::Current());
  XlaOp Xor(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
            SourceLocation loc = SourceLocation::Current());
  // lhs shifted by rhs bits; shifting by the width or more leaves 0, or the sign where it is kept. T: int.
  // HLO: shift-left, shift-right-arithmetic, shift-right-logical.
  XlaOp ShiftLeft(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                  SourceLocation loc = SourceLocation::Current());
  XlaOp ShiftRightArithmetic(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                             SourceLocation loc = SourceLocation::Current());
  XlaOp ShiftRightLogical(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                          SourceLocation loc = SourceLocation::Current());
  // The high half of the product. T: int. HLO: mulhi.
  XlaOp MulHi(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
              SourceLocation loc = SourceLocation::Current());

  // ==== Comparisons
  //
  // result[i] = lhs[i] direction rhs[i], broadcast as above.
  //   Shapes: T[...], T[...] -> pred[...]; T: any, complex numbers only for Eq and Ne
  //   Errors: as above; a direction or type of comparison that T does not have.
  //   Example: b.Lt(x, b.ConstantR0<float>(0))
  //   HLO: compare. IEEE's comparison for floats: with NaN only Ne holds.

  // Equal, not equal, greater or equal, greater, less or equal, less.
  XlaOp Eq(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
           SourceLocation loc = SourceLocation::Current());
  XlaOp Ne(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
           SourceLocation loc = SourceLocation::Current());
  XlaOp Ge(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
           SourceLocation loc = SourceLocation::Current());
  XlaOp Gt(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
           SourceLocation loc = SourceLocation::Current());
  XlaOp Le(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
           SourceLocation loc = SourceLocation::Current());
  XlaOp Lt(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
           SourceLocation loc = SourceLocation::Current());
  // In the total order of floats, -NaN < -inf < ... < -0 < +0 < ... < inf < NaN; other types as above.
  XlaOp EqTotalOrder(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                     SourceLocation loc = SourceLocation::Current());
  XlaOp NeTotalOrder(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                     SourceLocation loc = SourceLocation::Current());
  XlaOp GeTotalOrder(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                     SourceLocation loc = SourceLocation::Current());
  XlaOp GtTotalOrder(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                     SourceLocation loc = SourceLocation::Current());
  XlaOp LeTotalOrder(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                     SourceLocation loc = SourceLocation::Current());
  XlaOp LtTotalOrder(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions = {},
                     SourceLocation loc = SourceLocation::Current());
  // With direction and type of comparison as values; no type: the one that suits T.
  XlaOp Compare(XlaOp lhs, XlaOp rhs, ComparisonDirection direction, ArraySlice<int64_t> broadcast_dimensions = {},
                absl::optional<ComparisonType> type = absl::nullopt, SourceLocation loc = SourceLocation::Current());

  // ==== Selection, limits, conversion

  // result[i] = pred[i] ? on_true[i] : on_false[i]; a scalar pred takes one of them whole.
  //   Shapes: pred[] or pred[d0..dn], T[d0..dn], T[d0..dn] -> T[d0..dn]; tuples with pred[]
  //   Errors: shapes of on_true and on_false that differ; a pred of other dimensions; tuples with a pred of rank > 0.
  //   Example: b.Select({true, false}, {1, 2}, {10, 20}) = {1, 20}
  //   HLO: select, for tuples one for each leaf
  XlaOp Select(XlaOp pred, XlaOp on_true, XlaOp on_false, SourceLocation loc = SourceLocation::Current());

  // min(max(operand, min), max) for each element; max where min > max.
  //   Shapes: T[] or T[d0..dn], T[d0..dn], T[] or T[d0..dn] -> T[d0..dn]
  //   HLO: clamp
  XlaOp Clamp(XlaOp min, XlaOp operand, XlaOp max, SourceLocation loc = SourceLocation::Current());

  // The same values in another element type: to integers floats are cut off and limited, integers keep their low bits;
  // to pred what is not 0 is true.
  //   Shapes: T[d0..dn] -> new_element_type[d0..dn]
  //   Errors: tuples; complex to real, for which take Real first.
  //   Example: b.ConvertElementType(s32 {0, 1, 2}, F32) = f32 {0.0, 1.0, 2.0}
  //   HLO: convert
  XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type,
                           SourceLocation loc = SourceLocation::Current());

  // The same bits as another type. A narrower type adds a last dimension, whose element 0 has the low bits; a wider one
  // takes the last dimension away.
  //   Shapes: f32[2] -> u32[2]; u32[2] -> u8[2,4]; u8[2,4] -> u32[2]
  //   Errors: widths that do not divide; real with complex; a last dimension of another size than the ratio.
  //   HLO: bitcast-convert
  XlaOp BitcastConvert(XlaOp operand, PrimitiveType new_element_type, SourceLocation loc = SourceLocation::Current());
  // The same under XLA's name.
  XlaOp BitcastConvertType(XlaOp operand, PrimitiveType new_element_type,
                           SourceLocation loc = SourceLocation::Current());

  // Rounds to what a float of this many exponent and mantissa bits could hold; the type stays.
  //   Shapes: float[d0..dn] -> same
  //   Errors: exponent_bits < 1, mantissa_bits < 0.
  //   HLO: reduce-precision
  XlaOp ReducePrecision(XlaOp operand, int64_t exponent_bits, int64_t mantissa_bits,
                        SourceLocation loc = SourceLocation::Current());

  // Converts with random rounding: `random` is added below the precision of the new type.
  //   Shapes: float of w bits[...], unsigned int of w bits[...] -> new_element_type[...]
  //   HLO: stochastic-convert
  XlaOp StochasticConvertType(XlaOp operand, XlaOp random, PrimitiveType new_element_type,
                              SourceLocation loc = SourceLocation::Current());

  // ==== Shape and order of elements

  // Repeats the operand along new dimensions on the left: output[i0..iN, j0..jM] = operand[j0..jM].
  //   Shapes: T[b0..bM] -> T[a0..aN, b0..bM] with a = broadcast_sizes
  //   Errors: a negative size.
  //   Example: b.Broadcast(2.0f, {2, 3}) = f32[2,3], all 2
  //   HLO: broadcast
  XlaOp Broadcast(XlaOp operand, ArraySlice<int64_t> broadcast_sizes, SourceLocation loc = SourceLocation::Current());

  // Repeats the operand within an array of the given dimensions: dimension i of the operand becomes dimension
  // broadcast_dimensions[i], whose size it has, or else its size is 1 and it is stretched.
  //   Shapes: T[d0..dn] -> T[output_dimensions]
  //   Errors: broadcast_dimensions not ascending, out of range, or not one for each dimension; sizes that do not fit.
  //   Example: b.BroadcastInDim({1, 2}, {2, 3}, {0}) = {{1, 1, 1}, {2, 2, 2}}
  //   HLO: broadcast, and reshape before it where a dimension is stretched
  XlaOp BroadcastInDim(XlaOp operand, ArraySlice<int64_t> output_dimensions, ArraySlice<int64_t> broadcast_dimensions,
                       SourceLocation loc = SourceLocation::Current());

  // The same elements in row-major order under other dimensions. With `dimensions`, a permutation, the operand is read
  // in that order first, slowest dimension in front.
  //   Shapes: T[d0..dn] -> T[new_sizes]
  //   Errors: another number of elements; dimensions that are not a permutation.
  //   Example: b.Reshape(f32[2,3] x, {3, 2}); b.Reshape(x, {1, 0}, {6}) reads x by columns
  //   HLO: reshape; transpose and reshape
  XlaOp Reshape(XlaOp operand, ArraySlice<int64_t> new_sizes, SourceLocation loc = SourceLocation::Current());
  XlaOp Reshape(XlaOp operand, ArraySlice<int64_t> dimensions, ArraySlice<int64_t> new_sizes,
                SourceLocation loc = SourceLocation::Current());
  // Reshape to the dimensions of `shape`, of which some may be dynamic.
  XlaOp Reshape(const Shape& shape, XlaOp operand, SourceLocation loc = SourceLocation::Current());

  // Makes one dimension of several consecutive ones.
  //   Shapes: T[d0..dn] -> T with the product of their sizes in their place
  //   Errors: dimensions that are not consecutive and ascending. None or one: the operand itself.
  //   Example: b.Collapse(f32[4,2,3] v, {0, 1}) = f32[8,3]
  //   HLO: reshape
  XlaOp Collapse(XlaOp operand, ArraySlice<int64_t> dimensions, SourceLocation loc = SourceLocation::Current());

  // Permutes dimensions: output dimension i is input dimension permutation[i].
  //   Shapes: T[d0..dn] -> T[d_p0..d_pn]
  //   Errors: no permutation of all dimensions.
  //   Example: b.Transpose(f32[2,3] x, {1, 0}) = f32[3,2]
  //   HLO: transpose
  XlaOp Transpose(XlaOp operand, ArraySlice<int64_t> permutation, SourceLocation loc = SourceLocation::Current());

  // Reverses the order of elements along dimensions: index i becomes N-1-i.
  //   Shapes: T[d0..dn] -> same
  //   Errors: a dimension out of range or named twice.
  //   Example: b.Rev({{1, 2}, {3, 4}}, {1}) = {{2, 1}, {4, 3}}
  //   HLO: reverse
  XlaOp Rev(XlaOp operand, ArraySlice<int64_t> dimensions, SourceLocation loc = SourceLocation::Current());

  // Puts arrays one after the other along a dimension.
  //   Shapes: T[.. a ..], T[.. b ..] -> T[.. a+b ..]; all other dimensions equal
  //   Errors: no operands; rank 0; a dimension out of range; other dimensions or types that differ.
  //   Example: b.Concatenate({{1, 2}, {3}}, 0) = {1, 2, 3}
  //   HLO: concatenate. ConcatInDim is the same.
  XlaOp Concatenate(ArraySlice<XlaOp> operands, int64_t dimension, SourceLocation loc = SourceLocation::Current());
  XlaOp ConcatInDim(ArraySlice<XlaOp> operands, int64_t dimension, SourceLocation loc = SourceLocation::Current());

  // Adds `padding_value` around the operand and between its elements; negative low and high padding cuts off.
  //   padding_config: for each dimension {low, high, interior}
  //   Shapes: T[d..], T[] -> T[r..], r = low + d + max(d-1, 0) * interior + high
  //   Errors: not one entry for each dimension; negative interior padding; a negative size.
  //   Example: b.Pad({1, 2}, 0, {{1, 0, 1}}) = {0, 1, 0, 2}
  //   HLO: pad
  XlaOp Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding_config,
            SourceLocation loc = SourceLocation::Current());
  // Pad of one dimension.
  XlaOp PadInDim(XlaOp operand, XlaOp padding_value, int64_t dimension, int64_t low, int64_t high,
                 SourceLocation loc = SourceLocation::Current());

  // The elements from start_indices up to, without, limit_indices; with strides, every n-th.
  //   Shapes: T[d..] -> T[r..], r = ceil((limit - start) / stride)
  //   Errors: not 0 <= start <= limit <= d; a stride < 1; not one entry for each dimension.
  //   Example: b.Slice({0, 1, 2, 3, 4}, {2}, {4}) = {2, 3}
  //   HLO: slice
  XlaOp Slice(XlaOp operand, ArraySlice<int64_t> start_indices, ArraySlice<int64_t> limit_indices,
              ArraySlice<int64_t> strides = {}, SourceLocation loc = SourceLocation::Current());
  // Slice of one dimension; all of the others.
  XlaOp SliceInDim(XlaOp operand, int64_t start_index, int64_t limit_index, int64_t stride, int64_t dimension,
                   SourceLocation loc = SourceLocation::Current());

  // The block of the given sizes that starts at indices known at run time only. Starts are limited so that the block
  // lies within the operand.
  //   Shapes: T[d0..dn], int[n+1] -> T[size_indices]; or one int[] for each dimension
  //   Errors: sizes < 0 or > d; index types that differ or are no integers; not one for each dimension.
  //   Example: b.DynamicSlice({0, 1, 2, 3, 4}, {2}, {2}) = {2, 3}
  //   HLO: dynamic-slice; the vector is taken apart by slice and reshape
  XlaOp DynamicSlice(XlaOp operand, XlaOp start_indices, ArraySlice<int64_t> size_indices,
                     SourceLocation loc = SourceLocation::Current());
  XlaOp DynamicSlice(XlaOp operand, ArraySlice<XlaOp> start_indices, ArraySlice<int64_t> size_indices,
                     SourceLocation loc = SourceLocation::Current());

  // The operand with a block of it, from start_indices on, replaced by `update`. Starts are limited as in DynamicSlice.
  //   Shapes: T[d0..dn], T[u0..un], int[n+1] -> T[d0..dn]; or one int[] for each dimension
  //   Errors: as DynamicSlice; an update larger than the operand or of another type.
  //   Example: b.DynamicUpdateSlice({0, 1, 2, 3, 4}, {5, 6}, {2}) = {0, 1, 5, 6, 4}
  //   HLO: dynamic-update-slice
  XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, XlaOp start_indices,
                           SourceLocation loc = SourceLocation::Current());
  XlaOp DynamicUpdateSlice(XlaOp operand, XlaOp update, ArraySlice<XlaOp> start_indices,
                           SourceLocation loc = SourceLocation::Current());

  // Takes slices of the operand at the places that start_indices lists, and puts them together; places outside are
  // moved inside.
  //   Shapes: T[d..], int[...] -> T[...]: the sizes in start_indices but that of index_vector_dim, and among them, at
  //     offset_dims, those of slice_sizes but of collapsed_slice_dims
  //   Errors: dimension numbers that are not ascending, repeated, out of range or do not fit each other; slice sizes
  //     that do not fit the operand.
  //   Example: rows 2 and 0 of a matrix f32[3,4] by indices s32[2] {2, 0}: offset_dims {1}, collapsed_slice_dims {0},
  //     start_index_map {0}, index_vector_dim 1, slice_sizes {1, 4}
  //   HLO: gather
  XlaOp Gather(XlaOp operand, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
               ArraySlice<int64_t> slice_sizes, bool indices_are_sorted = false,
               SourceLocation loc = SourceLocation::Current());

  // The operand with the elements at the places that scatter_indices lists combined with those of `updates`; updates
  // that lie outside are dropped. With several operands, they and their updates are combined together, and the result
  // is a tuple.
  //   Shapes: T[d..], int[...], T[...] -> T[d..]; computation (T[], T[]) -> T[], for n operands 2n scalars -> n
  //   Errors: as Gather; a computation of another signature.
  //   HLO: scatter
  XlaOp Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates, const XlaComputation& computation,
                const ScatterDimensionNumbers& dimension_numbers, const ScatterOptions& options = {},
                SourceLocation loc = SourceLocation::Current());
  XlaOp Scatter(ArraySlice<XlaOp> operands, XlaOp scatter_indices, ArraySlice<XlaOp> updates,
                const XlaComputation& computation, const ScatterDimensionNumbers& dimension_numbers,
                const ScatterOptions& options = {}, SourceLocation loc = SourceLocation::Current());

  // ==== Dynamic dimensions: a bound known when building, and a size known at run time

  // The size of a dimension at run time. Shapes: T[...] -> s32[]. HLO: get-dimension-size
  XlaOp GetDimensionSize(XlaOp operand, int64_t dimension, SourceLocation loc = SourceLocation::Current());
  // Makes a dimension dynamic: only the first `size` of its elements count from here on.
  //   Shapes: T[.. n ..], s32[] -> T[.. <=n ..]
  //   HLO: set-dimension-size
  XlaOp SetDimensionSize(XlaOp operand, XlaOp size, int64_t dimension, SourceLocation loc = SourceLocation::Current());
  // Reshape to sizes known at run time.
  //   Shapes: T[...], one s32[] for each new dimension -> T[new_size_bounds], dynamic where dims_are_dynamic
  //   HLO: dynamic-reshape
  XlaOp DynamicReshape(XlaOp operand, ArraySlice<XlaOp> dim_sizes, ArraySlice<int64_t> new_size_bounds,
                       const std::vector<bool>& dims_are_dynamic, SourceLocation loc = SourceLocation::Current());

  // ==== Tuples

  // A tuple of values of any shapes; tuples nest.
  //   Example: b.Tuple({x, y}); b.Tuple({}) has no elements
  //   HLO: tuple
  XlaOp Tuple(ArraySlice<XlaOp> elements, SourceLocation loc = SourceLocation::Current());
  // Element `index` of a tuple.
  //   Errors: no tuple; an index out of range.
  //   HLO: get-tuple-element
  XlaOp GetTupleElement(XlaOp tuple, int64_t index, SourceLocation loc = SourceLocation::Current());

  // ==== Reductions and windows

  // Combines all elements along dimensions by a function, in an order that is not specified, starting with init_value.
  // With several operands, they are reduced together, and the result is a tuple.
  //   Shapes: T[d..], T[] -> T without the dimensions; computation (T[], T[]) -> T[]; for n operands
  //     (accumulators.., elements..) -> (accumulators..)
  //   Errors: a dimension out of range or named twice; a computation of another signature; operands of other
  //     dimensions; as many init_values as operands are needed.
  //   Example: b.Reduce(f32[2,3] x, 0, add, {0}) sums the columns
  //   HLO: reduce
  XlaOp Reduce(XlaOp operand, XlaOp init_value, const XlaComputation& computation, ArraySlice<int64_t> dimensions,
               SourceLocation loc = SourceLocation::Current());
  XlaOp Reduce(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values, const XlaComputation& computation,
               ArraySlice<int64_t> dimensions, SourceLocation loc = SourceLocation::Current());
  // Reduce of all dimensions, to a scalar.
  XlaOp ReduceAll(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                  SourceLocation loc = SourceLocation::Current());

  // Combines the elements in each position of a window by a function, starting with init_value. (The order of arguments
  // is that of the signature in the document, not of its example.)
  //   Shapes: T[d..], T[] -> T[positions..]; computation (T[], T[]) -> T[]; for n operands as in Reduce
  //   Errors: not one window dimension and stride for each dimension; sizes or strides < 1; as Reduce.
  //   Example: max pooling of f32[4,6] by {2, 3}: b.ReduceWindow(x, -inf, max, {2, 3}, {2, 3}, Padding::kValid)
  //   HLO: reduce-window
  XlaOp ReduceWindow(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                     ArraySlice<int64_t> window_dimensions, ArraySlice<int64_t> window_strides, Padding padding,
                     SourceLocation loc = SourceLocation::Current());
  XlaOp ReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values, const XlaComputation& computation,
                     ArraySlice<int64_t> window_dimensions, ArraySlice<int64_t> window_strides, Padding padding,
                     SourceLocation loc = SourceLocation::Current());
  // The same with dilations (empty: none) and {low, high} padding of each dimension, which may be negative.
  XlaOp ReduceWindowWithGeneralPadding(XlaOp operand, XlaOp init_value, const XlaComputation& computation,
                                       ArraySlice<int64_t> window_dimensions, ArraySlice<int64_t> window_strides,
                                       ArraySlice<int64_t> base_dilations, ArraySlice<int64_t> window_dilations,
                                       ArraySlice<std::pair<int64_t, int64_t>> padding,
                                       SourceLocation loc = SourceLocation::Current());
  XlaOp ReduceWindowWithGeneralPadding(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                                       const XlaComputation& computation, ArraySlice<int64_t> window_dimensions,
                                       ArraySlice<int64_t> window_strides, ArraySlice<int64_t> base_dilations,
                                       ArraySlice<int64_t> window_dilations,
                                       ArraySlice<std::pair<int64_t, int64_t>> padding,
                                       SourceLocation loc = SourceLocation::Current());

  // The gradient of pooling: in each window position the element of `operand` that `select` prefers is found, and the
  // element of `source` for that position is combined with what the result has there, init_value at first.
  //   Shapes: T[d..], source T[positions..], T[] -> T[d..]; select (T[], T[]) -> pred[], scatter (T[], T[]) -> T[]
  //   Errors: a source of other dimensions than the window has positions; as ReduceWindow.
  //   HLO: select-and-scatter
  XlaOp SelectAndScatter(XlaOp operand, const XlaComputation& select, ArraySlice<int64_t> window_dimensions,
                         ArraySlice<int64_t> window_strides, Padding padding, XlaOp source, XlaOp init_value,
                         const XlaComputation& scatter, SourceLocation loc = SourceLocation::Current());
  XlaOp SelectAndScatterWithGeneralPadding(XlaOp operand, const XlaComputation& select,
                                           ArraySlice<int64_t> window_dimensions, ArraySlice<int64_t> window_strides,
                                           ArraySlice<std::pair<int64_t, int64_t>> padding, XlaOp source,
                                           XlaOp init_value, const XlaComputation& scatter,
                                           SourceLocation loc = SourceLocation::Current());

  // Walks along a dimension with a state: step t takes element t of each input and the carries, and returns element t
  // of each output and the next carries.
  //   Shapes: n inputs T[.. s ..], k carries -> (outputs with the dimension stacked.., final carries..);
  //     computation (inputs without the dimension.., carries..) -> (outputs.., carries..)
  //   HLO: scan
  XlaOp Scan(ArraySlice<XlaOp> inputs, ArraySlice<XlaOp> initial_carries, const XlaComputation& computation,
             int64_t dimension, bool is_reverse = false, SourceLocation loc = SourceLocation::Current());

  // Applies a function of scalars to the elements at the same index of all operands. Static operands follow them as
  // further arguments, the same for every element.
  //   Shapes: T0[d..], T1[d..] .. -> S[d..]; computation (T0[], T1[].., static operands..) -> S[]
  //   Errors: no operands; operands of other dimensions; a computation of another signature.
  //   Example: b.Map({x, y}, f) = f(x[i], y[i])
  //   HLO: map. A static operand that is a scalar is broadcast; with others, the elements are walked by a while loop.
  XlaOp Map(ArraySlice<XlaOp> operands, const XlaComputation& computation, ArraySlice<XlaOp> static_operands = {},
            SourceLocation loc = SourceLocation::Current());

  // Sorts ascending along the last dimension; floats in total order, so -0 before +0 and NaN last.
  //   Shapes: T[d0..dn] -> same, n >= 0
  //   Errors: rank 0; complex numbers.
  //   HLO: sort
  XlaOp Sort(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // Sorts along a dimension (-1: the last) by a comparator "goes before", all operands together; several give a tuple.
  //   Shapes: T0[d..], T1[d..].. -> same; comparator (T0[], T0[], T1[], T1[]..) -> pred[]
  //   Errors: operands of other dimensions; a dimension out of range; a comparator of another signature.
  //   Example: b.Sort({keys, values}, less_than_in_the_keys, 0)
  //   HLO: sort
  XlaOp Sort(ArraySlice<XlaOp> operands, const XlaComputation& comparator, int64_t dimension = -1,
             bool is_stable = false, SourceLocation loc = SourceLocation::Current());
  // The k largest (or smallest) along the last dimension, best first, and their indices.
  //   Shapes: T[.., n] -> (T[.., k], s32[.., k])
  //   Errors: rank 0; k < 0 or > n; complex numbers.
  //   HLO: topk
  XlaOp TopK(XlaOp operand, int64_t k, bool largest = true, SourceLocation loc = SourceLocation::Current());

  // ==== Batch normalisation; the feature dimension is kept, all others are one batch

  // y = (x - mean) / sqrt(variance + epsilon) * scale + offset, with mean and variance of the batch, which are returned
  // too.
  //   Shapes: x T[d..], scale T[f], offset T[f] -> (y T[d..], mean T[f], variance T[f])
  //   HLO: batch-norm-training
  XlaOp BatchNormTraining(XlaOp operand, XlaOp scale, XlaOp offset, float epsilon, int64_t feature_index,
                          SourceLocation loc = SourceLocation::Current());
  // The same y with mean and variance given.
  //   Shapes: x T[d..], scale, offset, mean, variance T[f] -> T[d..]
  //   HLO: batch-norm-inference
  XlaOp BatchNormInference(XlaOp operand, XlaOp scale, XlaOp offset, XlaOp mean, XlaOp variance, float epsilon,
                           int64_t feature_index, SourceLocation loc = SourceLocation::Current());
  // The gradients of BatchNormTraining, whose mean and variance are given.
  //   Shapes: x T[d..], scale, mean, variance T[f], gradient of y T[d..] -> gradients of (x, scale, offset)
  //   HLO: batch-norm-grad
  XlaOp BatchNormGrad(XlaOp operand, XlaOp scale, XlaOp mean, XlaOp variance, XlaOp grad_output, float epsilon,
                      int64_t feature_index, SourceLocation loc = SourceLocation::Current());

  // ==== Linear algebra

  // Sum of products over the last dimension of lhs and the one before the last of rhs, or its only one.
  //   Shapes: [n].[n] -> []; [m,k].[k] -> [m]; [k].[k,n] -> [n]; [m,k].[k,n] -> [m,n]; in general the dimensions of lhs
  //     without the last, then those of rhs without the contracted one
  //   Errors: a scalar; contracted sizes that differ.
  //   HLO: dot
  XlaOp Dot(XlaOp lhs, XlaOp rhs, const DotOptions& options = {}, SourceLocation loc = SourceLocation::Current());
  // Dot over any dimensions.
  //   Shapes: -> [batch.., rest of lhs.., rest of rhs..]
  //   Errors: dimensions out of range or named twice; lists of other lengths; sizes that differ.
  //   HLO: dot
  XlaOp DotGeneral(XlaOp lhs, XlaOp rhs, const DotDimensionNumbers& dimension_numbers, const DotOptions& options = {},
                   SourceLocation loc = SourceLocation::Current());
  // Dot in groups of different sizes: the ragged dimension of lhs is divided into runs of group_sizes, and each run
  // meets its own part of rhs.
  //   Shapes: lhs [m,k], rhs [g,k,n], group_sizes int[g] -> [m,n]; other forms: xla_core/ops/ragged_dot.cc
  //   HLO: ragged-dot
  XlaOp RaggedDot(XlaOp lhs, XlaOp rhs, XlaOp group_sizes, const RaggedDotDimensionNumbers& dimension_numbers,
                  const DotOptions& options = {}, SourceLocation loc = SourceLocation::Current());
  // Dot of operands that are multiplied by scales first, each of which counts for a block of elements.
  //   HLO: scaled-dot
  XlaOp ScaledDot(XlaOp lhs, XlaOp rhs, XlaOp lhs_scale, XlaOp rhs_scale, const DotDimensionNumbers& dimension_numbers,
                  const DotOptions& options = {}, SourceLocation loc = SourceLocation::Current());

  // Convolution of a batch with kernels; n spatial dimensions.
  //   Shapes: lhs [batch, features, spatial..], rhs [output features, features, kernel..] ->
  //     [batch, output features, positions..]
  //   Errors: ranks that differ or are < 2; not one stride for each spatial dimension; features that differ.
  //   Example: b.Conv(f32[1,1,4,4] image, f32[1,1,2,2] kernel, {1, 1}, Padding::kSame) = f32[1,1,4,4]
  //   HLO: convolution, dim_labels=bf01_oi01->bf01
  XlaOp Conv(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> window_strides, Padding padding,
             const ConvolutionOptions& options = {}, SourceLocation loc = SourceLocation::Current());
  // With {low, high} padding of each spatial dimension, which may be negative, and dilations (empty: none).
  XlaOp ConvWithGeneralPadding(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> window_strides,
                               ArraySlice<std::pair<int64_t, int64_t>> padding, ArraySlice<int64_t> lhs_dilation = {},
                               ArraySlice<int64_t> rhs_dilation = {}, const ConvolutionOptions& options = {},
                               SourceLocation loc = SourceLocation::Current());
  // With the dimensions in any order.
  XlaOp ConvWithGeneralDimensions(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> window_strides, Padding padding,
                                  const ConvolutionDimensionNumbers& dimension_numbers,
                                  const ConvolutionOptions& options = {},
                                  SourceLocation loc = SourceLocation::Current());
  // With everything: padding, dilation (empty: none), dimension numbers, and groups and reversal in `options`.
  XlaOp ConvGeneralDilated(XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> window_strides,
                           ArraySlice<std::pair<int64_t, int64_t>> padding, ArraySlice<int64_t> lhs_dilation,
                           ArraySlice<int64_t> rhs_dilation, const ConvolutionDimensionNumbers& dimension_numbers,
                           const ConvolutionOptions& options = {}, SourceLocation loc = SourceLocation::Current());
  // batch 0, features 1, spatial 2.. for operand and result; output features 0, input features 1, spatial 2.. for the
  // kernel. `spatial_dimensions` >= 0.
  static ConvolutionDimensionNumbers DefaultConvDimensionNumbers(int spatial_dimensions = 2);

  // Discrete Fourier transform over the last dimensions, as many as fft_length has.
  //   Shapes: kFft, kIfft: complex -> same; kRfft: f32[.., n] -> c64[.., n/2+1]; kIrfft the other way round
  //   Errors: not 1 to 3 lengths; lengths that do not fit the operand; the wrong element type.
  //   HLO: fft
  XlaOp Fft(XlaOp operand, FftType fft_type, ArraySlice<int64_t> fft_length,
            SourceLocation loc = SourceLocation::Current());
  // L with L L^H = a (lower), or U with U^H U = a; reads one triangle of a.
  //   Shapes: T[.., n, n] -> same; T: float, complex
  //   HLO: cholesky
  XlaOp Cholesky(XlaOp a, bool lower, SourceLocation loc = SourceLocation::Current());
  // x with op(a) x = b (left_side) or x op(a) = b, for a triangular matrix a.
  //   Shapes: T[.., n, n], T[.., n, m] or T[.., m, n] -> shape of b
  //   HLO: triangular-solve
  XlaOp TriangularSolve(XlaOp a, XlaOp b, bool left_side, bool lower, bool unit_diagonal, TransposeA transpose_a,
                        SourceLocation loc = SourceLocation::Current());

  // ==== Random numbers

  // Uniformly distributed in [a, b).
  //   Shapes: T[], T[] -> shape, of element type T: pred, int, float
  //   Errors: a or b that are not scalars of the type of `shape`.
  //   HLO: rng, distribution=rng_uniform
  XlaOp RngUniform(XlaOp a, XlaOp b, const Shape& shape, SourceLocation loc = SourceLocation::Current());
  // Normally distributed with mean mu and standard deviation sigma. T: float.
  //   HLO: rng, distribution=rng_normal
  XlaOp RngNormal(XlaOp mu, XlaOp sigma, const Shape& shape, SourceLocation loc = SourceLocation::Current());
  // 1 with probability `mean`, else 0.
  //   Shapes: f32[] -> shape, of element type u32
  //   Errors: another type of mean or shape.
  //   HLO: rng, compare, convert
  XlaOp RngBernoulli(XlaOp mean, const Shape& shape, SourceLocation loc = SourceLocation::Current());
  // Random bits by an algorithm that gives the same bits for the same state everywhere.
  //   Shapes: state u64[2] or u64[3] -> (next state, shape); shape: array of int
  //   HLO: rng-bit-generator
  XlaOp RngBitGenerator(RandomAlgorithm algorithm, XlaOp initial_state, const Shape& shape,
                        SourceLocation loc = SourceLocation::Current());
  // Adds delta to the 128-bit counter of the module and returns what it was, u64[2].
  //   HLO: rng-get-and-update-state
  XlaOp RngGetAndUpdateState(int64_t delta, SourceLocation loc = SourceLocation::Current());

  // ==== Other computations

  // The result of a computation for the given arguments.
  //   Errors: other numbers or shapes of arguments than the computation has parameters.
  //   Example: b.Call(f, {x, y})
  //   HLO: call
  XlaOp Call(const XlaComputation& computation, ArraySlice<XlaOp> args = {},
             SourceLocation loc = SourceLocation::Current());
  // Call of a computation that spells out an operation of a higher level, which a backend may know better.
  //   HLO: call, is_composite=true
  XlaOp CompositeCall(const XlaComputation& computation, ArraySlice<XlaOp> args, const CompositeOptions& options,
                      SourceLocation loc = SourceLocation::Current());
  // state = init; while (condition(state)) state = body(state). While loops nest.
  //   Shapes: init of any shape S -> S; condition S -> pred[]; body S -> S
  //   Errors: a condition or body of another signature.
  //   HLO: while
  XlaOp While(const XlaComputation& condition, const XlaComputation& body, XlaOp init,
              SourceLocation loc = SourceLocation::Current());
  // One of two computations, by a pred.
  //   Shapes: pred[], A, A -> R, B, B -> R, giving R
  //   HLO: conditional
  XlaOp Conditional(XlaOp predicate, XlaOp true_operand, const XlaComputation& true_computation, XlaOp false_operand,
                    const XlaComputation& false_computation, SourceLocation loc = SourceLocation::Current());
  // One of several, by an index, s32[]; the last one if it is out of range.
  //   Errors: no branches; not one operand for each; results that differ in shape.
  XlaOp Conditional(XlaOp branch_index, ArraySlice<XlaComputation> branch_computations,
                    ArraySlice<XlaOp> branch_operands, SourceLocation loc = SourceLocation::Current());
  // The result of a function outside: extern "C" void target(void* out, void** in). It must have no side effects and
  // give the same for the same arguments, unless `options` say otherwise.
  //   Shapes: as given; a layout of `shape` is kept
  //   Errors: an empty target; options that do not fit operands or shape.
  //   Example: b.CustomCall("myfunc", {x, y}, Shape::Array(F32, {3, 3}))
  //   HLO: custom-call
  XlaOp CustomCall(absl::string_view target_name, ArraySlice<XlaOp> args, const Shape& shape,
                   const CustomCallOptions& options = {}, SourceLocation loc = SourceLocation::Current());
  // The operand itself, which no optimisation may look through.
  //   HLO: opt-barrier
  XlaOp OptimizationBarrier(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  // A computation as one operation in the code that a backend makes.
  //   HLO: fusion
  XlaOp Fusion(FusionKind kind, const XlaComputation& computation, ArraySlice<XlaOp> args,
               SourceLocation loc = SourceLocation::Current());

  // ==== Asynchronous operations: started, and finished later
  //
  // A chain start -> update* -> done, in which each step is used once, by the next.

  // Starts a computation, commonly one that is a single operation of its parameters, with all or the first of its
  // arguments.
  //   Shapes: -> ((arguments..), result)
  //   HLO: async-start
  XlaOp AsyncStart(const XlaComputation& computation, ArraySlice<XlaOp> args,
                   absl::string_view execution_thread = "main", SourceLocation loc = SourceLocation::Current());
  // A step in between, which may give arguments that the steps before did not. HLO: async-update
  XlaOp AsyncUpdate(XlaOp start_or_update, ArraySlice<XlaOp> further_args = {},
                    SourceLocation loc = SourceLocation::Current());
  // The result. HLO: async-done
  XlaOp AsyncDone(XlaOp start_or_update, SourceLocation loc = SourceLocation::Current());
  // Copies. Shapes: S -> (S, S, u32[]) -> S. HLO: copy-start, copy-done
  XlaOp CopyStart(XlaOp operand, SourceLocation loc = SourceLocation::Current());
  XlaOp CopyDone(XlaOp start, SourceLocation loc = SourceLocation::Current());

  // ==== Collectives: every device of a group takes part
  //
  //   Errors, for all: groups with repeated, missing or negative ids, or of different sizes; channel_id < 1;
  //     operands that are not arrays.

  // The sum over all replicas.
  //   Shapes: T[d..] -> same
  //   HLO: all-reduce of an addition
  XlaOp CrossReplicaSum(XlaOp operand, const CollectiveOptions& options = {},
                        SourceLocation loc = SourceLocation::Current());
  // The operands of the group combined by a function; several operands give a tuple.
  //   Shapes: T[d..] -> same; computation (T[], T[]) -> T[]
  //   HLO: all-reduce
  XlaOp AllReduce(XlaOp operand, const XlaComputation& computation, const CollectiveOptions& options = {},
                  SourceLocation loc = SourceLocation::Current());
  XlaOp AllReduce(ArraySlice<XlaOp> operands, const XlaComputation& computation, const CollectiveOptions& options = {},
                  SourceLocation loc = SourceLocation::Current());
  // The operands of the group one after the other along a dimension; shard_count is the size of the group.
  //   Shapes: T[.. n ..] -> T[.. n * shard_count ..]
  //   HLO: all-gather
  XlaOp AllGather(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                  const CollectiveOptions& options = {}, SourceLocation loc = SourceLocation::Current());
  XlaOp AllGather(ArraySlice<XlaOp> operands, int64_t all_gather_dimension, int64_t shard_count,
                  const CollectiveOptions& options = {}, SourceLocation loc = SourceLocation::Current());
  // AllReduce, of which each device keeps the part of its position in the group.
  //   Shapes: T[.. n ..] -> T[.. n / shard_count ..]
  //   Errors: a dimension that shard_count does not divide.
  //   HLO: reduce-scatter
  XlaOp ReduceScatter(XlaOp operand, const XlaComputation& computation, int64_t scatter_dimension, int64_t shard_count,
                      const CollectiveOptions& options = {}, SourceLocation loc = SourceLocation::Current());
  XlaOp ReduceScatter(ArraySlice<XlaOp> operands, const XlaComputation& computation, int64_t scatter_dimension,
                      int64_t shard_count, const CollectiveOptions& options = {},
                      SourceLocation loc = SourceLocation::Current());
  // Cuts the operand into split_count blocks along split_dimension, sends block i to member i, and puts those that come
  // in one after the other along concat_dimension.
  //   Shapes: T[.. s .. c ..] -> T[.. s / split_count .. c * split_count ..]
  //   Errors: dimensions out of range; split_count < 1 or not dividing s.
  //   HLO: all-to-all; with reshape and transpose if the dimensions differ
  XlaOp AllToAll(XlaOp operand, int64_t split_dimension, int64_t concat_dimension, int64_t split_count,
                 const CollectiveOptions& options = {}, SourceLocation loc = SourceLocation::Current());
  // Element j of the result is the operand of member j for this device.
  //   Shapes: n times S -> (S, .. n times), n the size of the group
  //   HLO: all-to-all
  XlaOp AllToAllTuple(ArraySlice<XlaOp> operands, const CollectiveOptions& options = {},
                      SourceLocation loc = SourceLocation::Current());
  // Sends runs of rows of different lengths: send_sizes[i] rows of input from input_offsets[i] on go to member i, to
  // the rows of its result from output_offsets[i] on. Rows that nothing sends are those of `output`.
  //   Shapes: T[n,..], T[m,..], four times int[members] -> T[m,..]
  //   HLO: ragged-all-to-all
  XlaOp RaggedAllToAll(XlaOp input, XlaOp output, XlaOp input_offsets, XlaOp send_sizes, XlaOp output_offsets,
                       XlaOp recv_sizes, const CollectiveOptions& options = {},
                       SourceLocation loc = SourceLocation::Current());
  // Sends the operand from the first to the second device of each pair; a device that receives nothing gets zeros.
  //   Shapes: S -> S; several operands give a tuple
  //   Errors: a device that is source or target of two pairs; negative ids.
  //   HLO: collective-permute
  XlaOp CollectivePermute(XlaOp operand, ArraySlice<std::pair<int64_t, int64_t>> source_target_pairs,
                          absl::optional<int64_t> channel_id = absl::nullopt,
                          SourceLocation loc = SourceLocation::Current());
  XlaOp CollectivePermute(ArraySlice<XlaOp> operands, ArraySlice<std::pair<int64_t, int64_t>> source_target_pairs,
                          absl::optional<int64_t> channel_id = absl::nullopt,
                          SourceLocation loc = SourceLocation::Current());
  // The operand of the first device of each group; devices in no group get zeros.
  //   Shapes: S -> S; several operands give a tuple
  //   HLO: collective-broadcast
  XlaOp CollectiveBroadcast(XlaOp operand, const CollectiveOptions& options = {},
                            SourceLocation loc = SourceLocation::Current());
  XlaOp CollectiveBroadcast(ArraySlice<XlaOp> operands, const CollectiveOptions& options = {},
                            SourceLocation loc = SourceLocation::Current());
  // The same from the member that `root` names by its position in the group: s32[], or s32[n] for n operands.
  XlaOp CollectiveBroadcastFrom(ArraySlice<XlaOp> operands, XlaOp root, const CollectiveOptions& options = {},
                                SourceLocation loc = SourceLocation::Current());
  // The collectives that have a start and a done of their own. The shapes of dones are those of the operations above.
  XlaOp AllReduceStart(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                       const CollectiveOptions& options = {}, SourceLocation loc = SourceLocation::Current());
  XlaOp AllReduceDone(XlaOp start, SourceLocation loc = SourceLocation::Current());
  XlaOp AllGatherStart(ArraySlice<XlaOp> operands, int64_t all_gather_dimension, int64_t shard_count,
                       const CollectiveOptions& options = {}, SourceLocation loc = SourceLocation::Current());
  XlaOp AllGatherDone(XlaOp start, SourceLocation loc = SourceLocation::Current());
  XlaOp CollectivePermuteStart(XlaOp operand, ArraySlice<std::pair<int64_t, int64_t>> source_target_pairs,
                               absl::optional<int64_t> channel_id = absl::nullopt,
                               SourceLocation loc = SourceLocation::Current());
  XlaOp CollectivePermuteDone(XlaOp start, SourceLocation loc = SourceLocation::Current());
  // The number of this replica, of this partition: u32[]. HLO: replica-id, partition-id
  XlaOp ReplicaId(SourceLocation loc = SourceLocation::Current());
  XlaOp PartitionId(SourceLocation loc = SourceLocation::Current());

  // ==== Tokens and transfers
  //
  // A token carries no value, only order: what takes a token comes after what returned it.

  // A token that comes after nothing; one that comes after several. HLO: after-all
  XlaOp CreateToken(SourceLocation loc = SourceLocation::Current());
  XlaOp AfterAll(ArraySlice<XlaOp> tokens, SourceLocation loc = SourceLocation::Current());
  // `operand`, but not before `token`. HLO: add-dependency
  XlaOp AddDependency(XlaOp operand, XlaOp token, SourceLocation loc = SourceLocation::Current());

  // The next value of the device's infeed queue. The infeeds of a computation take place in the order of the calls;
  // while loops and calls whose computations have infeeds must depend on what comes before, so that there is one order
  // of all.
  //   Shapes: -> shape, an array or a tuple of arrays; an empty tuple reads nothing
  //   Errors: a tuple within a tuple; two operations with infeeds of which neither depends on the other.
  //   HLO: after-all for the first, infeed, get-tuple-element
  XlaOp Infeed(const Shape& shape, absl::string_view config = "", SourceLocation loc = SourceLocation::Current());
  // The same in the order that tokens say.
  //   Shapes: token -> (shape, token)
  //   HLO: infeed
  XlaOp InfeedWithToken(XlaOp token, const Shape& shape, absl::string_view config = "",
                        SourceLocation loc = SourceLocation::Current());
  // Appends a value to the device's outfeed queue, in the order of the calls; returns a token.
  //   shape_with_layout: that of the operand, and the layout that the host expects; Shape(): any
  //   HLO: after-all for the first, outfeed
  XlaOp Outfeed(XlaOp operand, const Shape& shape_with_layout = Shape(), absl::string_view outfeed_config = "",
                SourceLocation loc = SourceLocation::Current());
  XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout = Shape(),
                         absl::string_view outfeed_config = "", SourceLocation loc = SourceLocation::Current());
  // Transfers between devices, or to and from the host: a send and the receive of the same channel meet.
  //   Shapes: Send: S, token -> (S, u32[], token); SendDone: -> token; Recv: token -> (shape, u32[], token);
  //     RecvDone: -> (shape, token)
  //   HLO: send, send-done, recv, recv-done
  XlaOp Send(XlaOp operand, XlaOp token, const SendRecvOptions& options,
             SourceLocation loc = SourceLocation::Current());
  XlaOp SendDone(XlaOp send, SourceLocation loc = SourceLocation::Current());
  XlaOp Recv(XlaOp token, const Shape& shape, const SendRecvOptions& options,
             SourceLocation loc = SourceLocation::Current());
  XlaOp RecvDone(XlaOp recv, SourceLocation loc = SourceLocation::Current());
  // Send and SendDone, giving the token; Recv and RecvDone, giving (shape, token).
  XlaOp SendWithToken(XlaOp operand, XlaOp token, const SendRecvOptions& options,
                      SourceLocation loc = SourceLocation::Current());
  XlaOp RecvWithToken(XlaOp token, const Shape& shape, const SendRecvOptions& options,
                      SourceLocation loc = SourceLocation::Current());

 private:
  friend class OperationScope;

  // The method that the caller called, on the stack while it works: what errors name, and where metadata says that
  // instructions come from. A method that is made of others leaves its own in place.
  class ActiveCall {
   public:
    ActiveCall(ComputationBuilder* builder, const char* name, SourceLocation loc, ArraySlice<XlaOp> operands);
    ActiveCall(const ActiveCall&) = delete;
    ActiveCall& operator=(const ActiveCall&) = delete;
    ~ActiveCall();
    // Whether the builder works and the operands are values of it.
    explicit operator bool() const { return ok_; }

   private:
    friend class ComputationBuilder;
    ComputationBuilder* const builder_;
    ActiveCall* const outer_;
    const char* const name_;
    const SourceLocation loc_;
    const absl::InlinedVector<XlaOp, 3> operands_;
    bool ok_ = true;
  };

  // ---- Errors (builder_errors.cc)

  XlaOp Invalid() { return XlaOp(this, id_, nullptr); }
  bool Owns(XlaOp op) const { return op.valid() && op.builder_id_ == id_; }
  // Makes this the builder's error, with the present call in front.
  XlaOp Fail(const absl::Status& error);
  XlaOp FailInvalid(absl::string_view message) { return Fail(absl::InvalidArgumentError(message)); }
  SourceLocation CallLocation() const;
  std::string DescribeCall() const;
  bool CheckUsable(ArraySlice<XlaOp> operands);
  bool CheckCalled(ArraySlice<XlaComputation> called);
  // Each fails with a message that calls the thing `what`, and returns whether all is well.
  bool CheckArray(absl::string_view what, const Shape& shape);
  bool CheckDimension(absl::string_view what, int64_t dimension, const Shape& shape);
  bool CheckCount(absl::string_view what, size_t count, absl::string_view of_what, size_t expected);
  bool CheckMutable(XlaOp op, const char* what, SourceLocation loc);

  // ---- Instructions (computation_builder.cc)

  const Shape& ShapeOf(XlaOp op) const;
  // `method` is what the caller called.
  XlaOp Constant(const char* method, const absl::StatusOr<Literal>& literal, SourceLocation loc);
  bool CheckParameterNumber(int64_t number);
  // Adds an instruction whose operands are known to be good; does nothing if the builder has failed.
  XlaOp Append(HloOpcode opcode, ArraySlice<XlaOp> operands, std::unique_ptr<Attributes> attributes = nullptr,
               ArraySlice<XlaComputation> called = {}, const Shape& shape = Shape());
  absl::Status InferAndVerify(HloInstruction& instruction);
  void NoteCallSite();
  void NoteAnnotations() {
    has_annotations_ = !metadata_.empty() || sharding_.has_value() || !frontend_attributes_.empty();
  }
  void Annotate(HloInstruction& instruction) const;
  std::string GeneratedName(absl::string_view base) const;
  std::string UniqueName(absl::string_view wanted);
  absl::Status CheckComplete() const;

  // ---- Families of operations

  XlaOp Unary(const char* name, HloOpcode opcode, XlaOp operand, SourceLocation loc);
  XlaOp Binary(const char* name, HloOpcode opcode, XlaOp lhs, XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions,
               SourceLocation loc);
  XlaOp LogicalBinary(const char* name, HloOpcode opcode, XlaOp lhs, XlaOp rhs,
                      ArraySlice<int64_t> broadcast_dimensions, SourceLocation loc);
  XlaOp CompareAs(const char* name, ComparisonDirection direction, absl::optional<ComparisonType> type, XlaOp lhs,
                  XlaOp rhs, ArraySlice<int64_t> broadcast_dimensions, SourceLocation loc);
  // Both operands with the dimensions that broadcasting.h gives them; false if none do.
  bool BroadcastOperands(XlaOp& lhs, XlaOp& rhs, ArraySlice<int64_t> broadcast_dimensions);
  // The operand within `dimensions`; dimension i becomes mapping[i], or is stretched to it if its size is 1.
  XlaOp Stretch(XlaOp operand, ArraySlice<int64_t> dimensions, ArraySlice<int64_t> mapping);
  XlaOp SelectLeaves(XlaOp pred, XlaOp on_true, XlaOp on_false);
  XlaOp ReshapeTo(XlaOp operand, ArraySlice<int64_t> sizes);
  // A vector of start indices as scalars, one for each dimension of `shape`.
  absl::InlinedVector<XlaOp, 4> UnpackStartIndices(XlaOp start_indices, const Shape& shape);
  // The sizes of the window are those of the kernel. False if the kernel's dimensions do not fit.
  bool KernelWindow(XlaOp rhs, ArraySlice<int64_t> window_strides, const ConvolutionDimensionNumbers& dimension_numbers,
                    Window* window);
  XlaOp AppendConvolution(XlaOp lhs, XlaOp rhs, Window window, const ConvolutionDimensionNumbers& dimension_numbers,
                          const ConvolutionOptions& options);
  bool CheckConvolutionRanks(XlaOp lhs, XlaOp rhs);
  bool CheckFactorTypes(XlaOp lhs, XlaOp rhs, PrimitiveType preferred);
  // Padding of `window`, which moves over the given dimensions of `base`.
  bool PadWindow(Padding padding, const Shape& base, ArraySlice<int64_t> dimensions, Window* window);
  bool MakeWindow(XlaOp operand, ArraySlice<int64_t> window_dimensions, ArraySlice<int64_t> window_strides,
                  Window* window);
  bool SetPadding(ArraySlice<std::pair<int64_t, int64_t>> padding, Window* window);
  bool SetDilations(ArraySlice<int64_t> base, ArraySlice<int64_t> window_dilations, Window* window);
  XlaOp AppendReduceWindow(ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values, const XlaComputation& computation,
                           Window window);
  XlaOp AppendRng(RandomDistribution distribution, XlaOp a, XlaOp b, const Shape& shape);
  bool CheckFeedShape(const Shape& shape);
  XlaOp AppendInfeed(XlaOp token, const Shape& shape, absl::string_view config);
  XlaOp AppendOutfeed(XlaOp operand, XlaOp token, const Shape& shape_with_layout, absl::string_view config);
  XlaOp AppendTransfer(HloOpcode opcode, ArraySlice<XlaOp> operands, const SendRecvOptions& options,
                       const Shape& shape = Shape());
  XlaOp AppendTransferDone(HloOpcode opcode, HloOpcode start_opcode, XlaOp start);
  XlaOp MapWithArrays(ArraySlice<XlaOp> operands, const XlaComputation& computation, ArraySlice<XlaOp> static_operands);
  XlaOp AppendCollective(HloOpcode opcode, ArraySlice<XlaOp> operands, ArraySlice<XlaComputation> called,
                         const CollectiveOptions& options, absl::optional<int64_t> dimension = absl::nullopt,
                         const Shape& shape = Shape());
  // The operands' shapes with one dimension `times` as large, or 1 / `times`; nullopt if that is not a size.
  absl::optional<Shape> ShardedShape(ArraySlice<XlaOp> operands, int64_t dimension, int64_t shard_count, bool gather);
  XlaOp AppendPermute(HloOpcode opcode, ArraySlice<XlaOp> operands,
                      ArraySlice<std::pair<int64_t, int64_t>> source_target_pairs, absl::optional<int64_t> channel_id,
                      const Shape& shape = Shape());
  absl::Status CheckInfeedOrder() const;

  std::string name_;
  uint64_t id_;
  absl::Status first_error_;
  bool finished_ = false;
  ActiveCall* call_ = nullptr;
  const OperationScope* scope_ = nullptr;

  // Holds the configuration that rules of collectives ask for; its computation is that of the node.
  std::unique_ptr<HloModule> module_;
  std::shared_ptr<ComputationNode> node_;
  HloInstruction* last_ = nullptr;
  absl::flat_hash_map<int64_t, const HloInstruction*> parameters_;
  absl::flat_hash_set<std::string> given_names_;           // not those of GeneratedName
  absl::flat_hash_map<std::string, int64_t> next_suffix_;  // of names that were given more than once

  OpMetadata metadata_;
  absl::optional<Sharding> sharding_;
  FrontendAttributes frontend_attributes_;
  bool has_annotations_ = false;  // any of the three
  bool keep_source_locations_ = true;

  XlaOp infeed_token_;
  XlaOp outfeed_token_;
  // Instructions that read the infeed in program order: infeeds, and calls of computations with infeeds.
  std::vector<HloInstruction*> ordered_infeeds_;
};

// Makes a function outside of ComputationBuilder one operation for its callers: errors name it, and say where it was
// called, and metadata has that place too.
//
//   XlaOp Softmax(XlaOp x, SourceLocation loc = SourceLocation::Current()) {
//     OperationScope scope(x.builder(), "Softmax", {x}, loc);
//     ...
//   }
//
// The message of an error within is `model.cc:42: Softmax(f32[3]): Reduce(f32[3], s32[]): ...`. Of nested scopes the
// outermost counts. `builder` may be nullptr, as that of an invalid XlaOp; `name` must live as long as the scope.
class OperationScope {
 public:
  OperationScope(ComputationBuilder* builder, absl::string_view name, ArraySlice<XlaOp> operands, SourceLocation loc);
  ~OperationScope();
  OperationScope(const OperationScope&) = delete;
  OperationScope& operator=(const OperationScope&) = delete;

 private:
  friend class ComputationBuilder;
  ComputationBuilder* builder_;  // nullptr: an outer scope counts
  absl::string_view name_;
  SourceLocation loc_;
  absl::InlinedVector<XlaOp, 3> operands_;
};

// Operations added while it lives get this metadata; then what was set before.
class ScopedOpMetadata {
 public:
  ScopedOpMetadata(ComputationBuilder* builder, OpMetadata metadata)
      : builder_(builder), before_(builder->op_metadata()) {
    builder_->SetOpMetadata(std::move(metadata));
  }
  ~ScopedOpMetadata() { builder_->SetOpMetadata(before_); }
  ScopedOpMetadata(const ScopedOpMetadata&) = delete;
  ScopedOpMetadata& operator=(const ScopedOpMetadata&) = delete;

 private:
  ComputationBuilder* const builder_;
  const OpMetadata before_;
};

// ... this sharding; nullopt: none.
class ScopedSharding {
 public:
  ScopedSharding(ComputationBuilder* builder, absl::optional<Sharding> sharding)
      : builder_(builder), before_(builder->sharding()) {
    builder_->SetSharding(std::move(sharding));
  }
  ~ScopedSharding() { builder_->SetSharding(before_); }
  ScopedSharding(const ScopedSharding&) = delete;
  ScopedSharding& operator=(const ScopedSharding&) = delete;

 private:
  ComputationBuilder* const builder_;
  const absl::optional<Sharding> before_;
};

// ... these frontend attributes besides those that are set already.
class ScopedFrontendAttributes {
 public:
  ScopedFrontendAttributes(ComputationBuilder* builder, FrontendAttributes attributes)
      : builder_(builder), before_(builder->frontend_attributes()) {
    attributes.insert(before_.begin(), before_.end());
    builder_->SetFrontendAttributes(std::move(attributes));
  }
  ~ScopedFrontendAttributes() { builder_->SetFrontendAttributes(before_); }
  ScopedFrontendAttributes(const ScopedFrontendAttributes&) = delete;
  ScopedFrontendAttributes& operator=(const ScopedFrontendAttributes&) = delete;

 private:
  ComputationBuilder* const builder_;
  const FrontendAttributes before_;
};

// ---- Templates

template <typename T>
XlaOp ComputationBuilder::ConstantR0(T value, SourceLocation loc) {
  return Constant("ConstantR0", Literal::Scalar<T>(value), loc);
}
template <typename T>
XlaOp ComputationBuilder::ConstantR1(ArraySlice<T> values, SourceLocation loc) {
  return Constant("ConstantR1", LiteralUtil::FromValues<T>({static_cast<int64_t>(values.size())}, values), loc);
}
template <typename T>
XlaOp ComputationBuilder::ConstantR1(int64_t length, T value, SourceLocation loc) {
  return Constant("ConstantR1", LiteralUtil::Filled<T>({length}, value), loc);
}
template <typename T>
XlaOp ComputationBuilder::ConstantR2(NestedList2<T> values, SourceLocation loc) {
  return Constant("ConstantR2", LiteralUtil::CreateR2<T>(values), loc);
}
template <typename T>
XlaOp ComputationBuilder::ConstantR3(NestedList3<T> values, SourceLocation loc) {
  return Constant("ConstantR3", LiteralUtil::CreateR3<T>(values), loc);
}
template <typename T>
XlaOp ComputationBuilder::ConstantR4(NestedList4<T> values, SourceLocation loc) {
  return Constant("ConstantR4", LiteralUtil::CreateR4<T>(values), loc);
}
template <typename T>
XlaOp ComputationBuilder::ConstantArray(ArraySlice<int64_t> dimensions, ArraySlice<T> values, SourceLocation loc) {
  return Constant("ConstantArray", LiteralUtil::FromValues<T>(dimensions, values), loc);
}

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_COMPUTATION_BUILDER_H_
