// A small face of whatever writes code: scalars and vectors look alike, and arithmetic reads as arithmetic.
//
//   V y = Fma(x, x, x.Like(0.5));       // f32 or <16 x float>, whatever x is
//   y = Select(x < 0.0, -y, y);
//
// The CPU's LlvmIr writes LLVM IR, Vulkan's SpirvIr SPIR-V: what is written through this face is written once. Operands
// of unequal lane counts are made equal by repeating the scalar one. Floats are compared ordered (any comparison with
// NaN is false, but != is true), integers signed.
#ifndef BACKENDS_SCALAR_CODE_IR_H_
#define BACKENDS_SCALAR_CODE_IR_H_

#include <cstdint>
#include <type_traits>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

namespace xla {
namespace codegen {

// The types of a lane that emitted code computes in. There are no narrower floats: emission holds them as f32 and
// integers of their bits.
enum class Kind : uint8_t { kI1, kI8, kI16, kI32, kI64, kI128, kF32, kF64, kPointer };
inline bool IsFloatKind(Kind kind) { return kind == Kind::kF32 || kind == Kind::kF64; }
int BitsOf(Kind kind);
// The integer kind of as many bits.
Kind IntKind(int bits);

class Ir;
class RareOperations;

// A value: a scalar (one lane) or a vector.
struct V {
  Ir* ir = nullptr;
  void* value = nullptr;  // of a type that its Ir alone knows
  Kind kind = Kind::kI1;
  int lanes = 1;
  int memory = -1;  // of a pointer: see LlvmIr::TellApart

  explicit operator bool() const = delete;
  bool exists() const { return value != nullptr; }
  // A constant of this value's kind and lanes.
  V Like(double x) const;
  V LikeInt(int64_t x) const;
  template <typename Number>
  V LikeNumber(Number x) const {
    if (IsFloatKind(kind)) return Like(static_cast<double>(x));
    return LikeInt(static_cast<int64_t>(x));
  }
};

// Writes instructions on scalars and vectors into a function.
class Ir {
 public:
  virtual ~Ir() = default;

  // ---- Constants. ConstantInt and ConstantFloat know those that were made so, and what an Ir folds.
  virtual V Int(Kind kind, int64_t x, int lanes = 1) = 0;
  virtual V Float(Kind kind, double x, int lanes = 1) = 0;
  virtual absl::optional<int64_t> ConstantInt(V x) = 0;
  // The number, if it is a known one, the same in all lanes.
  virtual absl::optional<double> ConstantFloat(V x) = 0;

  // ---- Arithmetic. See the operators below.
  enum class Op : uint8_t {
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kUnsignedDivide,
    kRemainder,
    kUnsignedRemainder,
    kAnd,
    kOr,
    kXor,
    kShiftLeft,
    kShiftRight,
    kShiftRightArithmetic,
  };
  virtual V Binary(Op op, V x, V y) = 0;
  enum class Relation : uint8_t { kEq, kNe, kLt, kLe, kGt, kGe, kUnsignedLt, kUnsignedGe, kEqOrNan };
  virtual V Compare(Relation relation, V x, V y) = 0;
  virtual V Select(V condition, V on_true, V on_false) = 0;
  virtual V Negate(V x) = 0;
  virtual V Intrinsic1(absl::string_view name, V x) = 0;  // "sqrt", "floor", "fabs", "ctpop" ...
  virtual V Intrinsic2(absl::string_view name, V x, V y) = 0;
  // The upper half of the product of integers of `bits` bits, which their kind holds extended.
  virtual V MultiplyHigh(V x, V y, int bits, bool is_signed) = 0;
  virtual V Fma(V x, V y, V z) = 0;  // rounded once
  // x y + z, rounded once or twice, whichever is quicker: for the inner steps of polynomials.
  virtual V MultiplyAdd(V x, V y, V z) = 0;
  // x 2^n of an integer n, rounded once; nothing where that is not one instruction.
  virtual absl::optional<V> ScaledAtOnce(V x, V n) = 0;

  // ---- Conversions.
  virtual V Bitcast(V x, Kind kind) = 0;
  virtual V SignExtend(V x, Kind kind) = 0;  // or truncates, as the next does
  virtual V ZeroExtend(V x, Kind kind) = 0;
  virtual V IntToFloat(V x, Kind kind, bool is_signed) = 0;
  virtual V FloatToIntInRange(V x, Kind kind, bool is_signed) = 0;  // truncates; the value must fit
  virtual V FloatToFloat(V x, Kind kind) = 0;
  virtual bool has_half() const = 0;
  virtual V HalfBitsToFloat(V bits) = 0;  // where has_half()
  virtual V FloatToHalfBits(V x) = 0;
  virtual bool has_half_arithmetic() const = 0;
  virtual V HalfBinary(Op op, V x_bits, V y_bits) = 0;  // where has_half_arithmetic()

  // Whether functions of f32 are computed in f64 where that takes less: not where f64 is slow, or missing.
  virtual bool has_fast_double() const = 0;
  // Whether there is f64 at all.
  virtual bool has_double() const = 0;

  // What there is no code for: see elementwise_emitter.h.
  virtual RareOperations& rare() = 0;
};

template <typename T>
using IfNumber = std::enable_if_t<std::is_arithmetic_v<T>, int>;

#define HALO_IR_OPERATOR(symbol, call)                      \
  inline V operator symbol(V x, V y) { return x.ir->call; } \
  template <typename Number, IfNumber<Number> = 0>          \
  V operator symbol(V x, Number number) {                   \
    const V y = x.LikeNumber(number);                       \
    return x.ir->call;                                      \
  }                                                         \
  template <typename Number, IfNumber<Number> = 0>          \
  V operator symbol(Number number, V y) {                   \
    const V x = y.LikeNumber(number);                       \
    return x.ir->call;                                      \
  }
HALO_IR_OPERATOR(+, Binary(Ir::Op::kAdd, x, y))
HALO_IR_OPERATOR(-, Binary(Ir::Op::kSubtract, x, y))
HALO_IR_OPERATOR(*, Binary(Ir::Op::kMultiply, x, y))
HALO_IR_OPERATOR(/, Binary(Ir::Op::kDivide, x, y))
HALO_IR_OPERATOR(&, Binary(Ir::Op::kAnd, x, y))
HALO_IR_OPERATOR(|, Binary(Ir::Op::kOr, x, y))
HALO_IR_OPERATOR(^, Binary(Ir::Op::kXor, x, y))
HALO_IR_OPERATOR(<<, Binary(Ir::Op::kShiftLeft, x, y))
HALO_IR_OPERATOR(>>, Binary(Ir::Op::kShiftRight, x, y))  // zeros come in
HALO_IR_OPERATOR(==, Compare(Ir::Relation::kEq, x, y))
HALO_IR_OPERATOR(!=, Compare(Ir::Relation::kNe, x, y))
HALO_IR_OPERATOR(<, Compare(Ir::Relation::kLt, x, y))
HALO_IR_OPERATOR(<=, Compare(Ir::Relation::kLe, x, y))
HALO_IR_OPERATOR(>, Compare(Ir::Relation::kGt, x, y))
HALO_IR_OPERATOR(>=, Compare(Ir::Relation::kGe, x, y))
#undef HALO_IR_OPERATOR

inline V operator-(V x) { return x.ir->Negate(x); }
inline V Select(V condition, V on_true, V on_false) { return on_true.ir->Select(condition, on_true, on_false); }
inline V Select(V condition, V on_true, double on_false) {
  return on_true.ir->Select(condition, on_true, on_true.LikeNumber(on_false));
}
inline V Select(V condition, double on_true, V on_false) {
  return on_false.ir->Select(condition, on_false.LikeNumber(on_true), on_false);
}
inline V Fma(V x, V y, V z) { return x.ir->Fma(x, y, z); }
inline V Abs(V x) { return x.ir->Intrinsic1("fabs", x); }
inline V Sqrt(V x) { return x.ir->Intrinsic1("sqrt", x); }
inline V CopySign(V x, V sign) { return x.ir->Intrinsic2("copysign", x, sign); }
inline V Not(V condition) { return condition ^ condition.LikeInt(-1); }
inline V IsNan(V x) { return x != x; }
// Bits of a float, float of bits.
inline V ToBits(V x) { return x.ir->Bitcast(x, IntKind(BitsOf(x.kind))); }
inline V FromBits(V x) { return x.ir->Bitcast(x, x.kind == Kind::kI32 ? Kind::kF32 : Kind::kF64); }
// c[0] + c[1] x + c[2] x^2 ... by Horner's rule, by MultiplyAdd.
V Polynomial(V x, absl::Span<const double> coefficients);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_IR_H_
