// XlaOp: a value of a computation that is being built, and the operators on it.
#ifndef BUILDERS_COMPUTATION_BUILDER_XLA_OP_H_
#define BUILDERS_COMPUTATION_BUILDER_XLA_OP_H_

#include <cstdint>
#include <type_traits>

#include "builders/computation_builder/source_location.h"

namespace xla {

class ComputationBuilder;
class HloInstruction;

// What every operation of a ComputationBuilder takes and returns: a handle, as cheap to copy as three pointers. It is
// good for as long as its builder lives. A default-constructed handle, and one that a failed builder returns, refers to
// no value: it may be handed to every operation, which then reports it or does nothing.
class XlaOp {
 public:
  XlaOp() = default;

  // Whether it refers to a value.
  bool valid() const { return instruction_ != nullptr; }
  // The builder that returned it; nullptr for a default-constructed one.
  ComputationBuilder* builder() const { return builder_; }

  // The same value of the same builder. (There is no operator==, which a reader could take for Eq.)
  bool IsSameAs(XlaOp other) const {
    return instruction_ == other.instruction_ && builder_id_ == other.builder_id_ && valid();
  }

 private:
  friend class ComputationBuilder;
  XlaOp(ComputationBuilder* builder, uint64_t builder_id, HloInstruction* instruction)
      : builder_(builder), builder_id_(builder_id), instruction_(instruction) {}

  ComputationBuilder* builder_ = nullptr;
  // Builders on the stack follow each other at one address; their numbers differ.
  uint64_t builder_id_ = 0;
  HloInstruction* instruction_ = nullptr;
};

// The name of XlaOp in the document of 2017.
using ComputationDataHandle = XlaOp;

// An operand of an operator, with the place where the operator stands: it comes into being by conversion, whose default
// argument is evaluated there.
struct LocatedOp {
  LocatedOp(XlaOp op, SourceLocation loc = SourceLocation::Current()) : op(op), loc(loc) {}  // NOLINT: implicit
  XlaOp op;
  SourceLocation loc;
};

// The operations of the same meaning: Add, Sub, Mul, Div, Rem, And, Or, Xor, ShiftLeft, and for >> ShiftRightArithmetic
// of signed and ShiftRightLogical of unsigned integers. Scalars and dimensions of size 1 are broadcast.
XlaOp operator+(LocatedOp lhs, LocatedOp rhs);
XlaOp operator-(LocatedOp lhs, LocatedOp rhs);
XlaOp operator*(LocatedOp lhs, LocatedOp rhs);
XlaOp operator/(LocatedOp lhs, LocatedOp rhs);
XlaOp operator%(LocatedOp lhs, LocatedOp rhs);
XlaOp operator&(LocatedOp lhs, LocatedOp rhs);
XlaOp operator|(LocatedOp lhs, LocatedOp rhs);
XlaOp operator^(LocatedOp lhs, LocatedOp rhs);
XlaOp operator<<(LocatedOp lhs, LocatedOp rhs);
XlaOp operator>>(LocatedOp lhs, LocatedOp rhs);
// Neg, Not.
XlaOp operator-(LocatedOp operand);
XlaOp operator~(LocatedOp operand);

// Comparisons: the operators == and < on handles would look as if they compared handles.
XlaOp Eq(LocatedOp lhs, LocatedOp rhs);
XlaOp Ne(LocatedOp lhs, LocatedOp rhs);
XlaOp Ge(LocatedOp lhs, LocatedOp rhs);
XlaOp Gt(LocatedOp lhs, LocatedOp rhs);
XlaOp Le(LocatedOp lhs, LocatedOp rhs);
XlaOp Lt(LocatedOp lhs, LocatedOp rhs);

// ---- Operators with one C++ number: `x * 2.0f`, `1 - x`. The number becomes a constant of x's element type.

namespace xla_op_internal {
// A scalar constant of the element type of `like.op`; an error of the builder if the type cannot hold `value`.
XlaOp NumberLike(LocatedOp like, double value);
XlaOp NumberLike(LocatedOp like, int64_t value);
XlaOp NumberLike(LocatedOp like, uint64_t value);

template <typename T>
XlaOp ToOperand(LocatedOp like, T value) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double,
                                  std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;
  return NumberLike(like, static_cast<Wide>(value));
}
template <typename T>
using IfNumber = std::enable_if_t<std::is_arithmetic_v<T>, int>;
}  // namespace xla_op_internal

#define HALO_OPERATOR_WITH_NUMBER(symbol)                                       \
  template <typename T, xla_op_internal::IfNumber<T> = 0>                       \
  XlaOp operator symbol(LocatedOp lhs, T rhs) {                                 \
    return lhs symbol LocatedOp(xla_op_internal::ToOperand(lhs, rhs), lhs.loc); \
  }                                                                             \
  template <typename T, xla_op_internal::IfNumber<T> = 0>                       \
  XlaOp operator symbol(T lhs, LocatedOp rhs) {                                 \
    return LocatedOp(xla_op_internal::ToOperand(rhs, lhs), rhs.loc) symbol rhs; \
  }
HALO_OPERATOR_WITH_NUMBER(+)
HALO_OPERATOR_WITH_NUMBER(-)
HALO_OPERATOR_WITH_NUMBER(*)
HALO_OPERATOR_WITH_NUMBER(/)
HALO_OPERATOR_WITH_NUMBER(%)
HALO_OPERATOR_WITH_NUMBER(&)
HALO_OPERATOR_WITH_NUMBER(|)
HALO_OPERATOR_WITH_NUMBER(^)
HALO_OPERATOR_WITH_NUMBER(<<)
HALO_OPERATOR_WITH_NUMBER(>>)
#undef HALO_OPERATOR_WITH_NUMBER

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_XLA_OP_H_
