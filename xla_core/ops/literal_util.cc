#include "xla_core/ops/literal_util.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status CheckHasElements(PrimitiveType type) {
  if (IsArrayType(type)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("expected an element type of arrays, got ", PrimitiveTypeName(type)));
}

absl::StatusOr<Literal> ConvertScalar(const Literal& scalar, PrimitiveType type) {
  return LiteralUtil::Convert(scalar, type);
}

absl::Status OutOfRange(PrimitiveType type, const std::string& value) {
  return absl::InvalidArgumentError(absl::StrCat("the number ", value, " is no value of ", PrimitiveTypeName(type)));
}

// The largest value of an integer type, or of pred.
uint64_t MaxInteger(PrimitiveType type) {
  if (type == PRED) return 1;
  const int bits = BitWidth(type) - (IsSignedInt(type) ? 1 : 0);
  return bits == 64 ? std::numeric_limits<uint64_t>::max() : (uint64_t{1} << bits) - 1;
}

int64_t MinInteger(PrimitiveType type) { return IsSignedInt(type) ? -static_cast<int64_t>(MaxInteger(type)) - 1 : 0; }

bool IsIntegerOrPred(PrimitiveType type) { return IsInt(type) || type == PRED; }

struct FloatLimits {
  double lowest;  // finite
  double max;
  double epsilon;
  bool has_infinity;
};

template <typename T>
FloatLimits LimitsOf() {
  using Limits = std::numeric_limits<T>;
  return {Limits::lowest(), Limits::max(), Limits::epsilon(), true};
}

FloatLimits LimitsOf(PrimitiveType type) {
  if (type == F64) return LimitsOf<double>();
  if (type == F32) return LimitsOf<float>();
  const NarrowFormat format = NarrowFormatOf(type);
  const FloatTraits traits = TraitsOf(format);
  return {traits.lowest, traits.max, traits.epsilon, FormatOf(format).has_infinity};
}

absl::Status NoOrder(PrimitiveType type) {
  return absl::InvalidArgumentError(
      absl::StrCat(PrimitiveTypeName(type), " has no least and no greatest value, as complex numbers have no order"));
}

// A shape of memory; the size that stands for a dimension without a bound is as wrong as other negative ones.
absl::Status CheckAllocatable(const Shape& shape) {
  RETURN_IF_ERROR(CheckHasElements(shape.element_type()));
  RETURN_IF_ERROR(ValidateShape(shape));
  if (!shape.IsUnboundedDynamic()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the shape ", shape.ToString(), " has a dimension without a bound; give it a size"));
}

}  // namespace

absl::StatusOr<Literal> LiteralUtil::Allocate(PrimitiveType type, absl::Span<const int64_t> dimensions) {
  const Shape shape = Shape::Array(type, dimensions);
  RETURN_IF_ERROR(CheckAllocatable(shape));
  return Literal::Allocate(shape);
}

absl::StatusOr<Literal> LiteralUtil::AllocateFor(PrimitiveType type, absl::Span<const int64_t> dimensions,
                                                 size_t value_count) {
  const Shape shape = Shape::Array(type, dimensions);
  RETURN_IF_ERROR(CheckAllocatable(shape));
  if (shape.ElementCount() != static_cast<int64_t>(value_count)) {
    return absl::InvalidArgumentError(
        absl::StrCat("an array ", shape.ToString(), " has ", shape.ElementCount(), " elements, got ", value_count));
  }
  return Literal::Allocate(shape);
}

absl::Status LiteralUtil::UnequalLengths(size_t dimension, int64_t expected, size_t found) {
  return absl::InvalidArgumentError(absl::StrCat("the lists of dimension ", dimension,
                                                 " must be equally long: the first ", "has ", expected,
                                                 " entries, another ", found));
}

// The array's own dimensions and dynamic sizes do not matter: element i becomes element i.
absl::StatusOr<Literal> LiteralUtil::Convert(const Literal& array, PrimitiveType type) {
  const Shape& shape = array.shape();
  if (!shape.IsArray()) {
    return absl::InvalidArgumentError(absl::StrCat("only arrays can be converted, got ", shape.ToString()));
  }
  RETURN_IF_ERROR(CheckHasElements(type));
  if (!CanConvert(shape.element_type(), type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("complex numbers cannot become the real type ", PrimitiveTypeName(type)));
  }
  Shape converted = shape;
  converted.set_element_type(type);
  ASSIGN_OR_RETURN(Literal result, Literal::Allocate(converted));
  ConvertElements(shape.element_type(), type, array.element_count(), array.untyped_data(),
                  result.untyped_mutable_data());
  return result;
}

absl::StatusOr<Literal> LiteralUtil::Number(PrimitiveType type, int64_t value) {
  RETURN_IF_ERROR(CheckHasElements(type));
  if (value >= 0) return Number(type, static_cast<uint64_t>(value));
  if (IsIntegerOrPred(type) && value < MinInteger(type)) return OutOfRange(type, absl::StrCat(value));
  return ConvertScalar(Literal::Scalar<int64_t>(value), type);
}

absl::StatusOr<Literal> LiteralUtil::Number(PrimitiveType type, uint64_t value) {
  RETURN_IF_ERROR(CheckHasElements(type));
  if (IsIntegerOrPred(type) && value > MaxInteger(type)) return OutOfRange(type, absl::StrCat(value));
  return ConvertScalar(Literal::Scalar<uint64_t>(value), type);
}

absl::StatusOr<Literal> LiteralUtil::Number(PrimitiveType type, double value) {
  RETURN_IF_ERROR(CheckHasElements(type));
  if (!IsIntegerOrPred(type)) return ConvertScalar(Literal::Scalar<double>(value), type);
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (std::trunc(value) != value || value < -kTwoTo63 || value >= 2 * kTwoTo63) {
    return OutOfRange(type, absl::StrCat(value));
  }
  return value < 0 ? Number(type, static_cast<int64_t>(value)) : Number(type, static_cast<uint64_t>(value));
}

absl::StatusOr<Literal> LiteralUtil::Number(PrimitiveType type, complex128 value) {
  RETURN_IF_ERROR(CheckHasElements(type));
  if (IsComplex(type)) return ConvertScalar(Literal::Scalar<complex128>(value), type);
  if (value.imag() == 0) return Number(type, value.real());
  return OutOfRange(type, absl::StrCat("(", value.real(), ", ", value.imag(), ")"));
}

absl::StatusOr<Literal> LiteralUtil::Zero(PrimitiveType type) { return Number(type, int64_t{0}); }
absl::StatusOr<Literal> LiteralUtil::One(PrimitiveType type) { return Number(type, int64_t{1}); }

absl::StatusOr<Literal> LiteralUtil::MinFiniteValue(PrimitiveType type) {
  if (IsComplex(type)) return NoOrder(type);
  if (IsFloat(type)) return Number(type, LimitsOf(type).lowest);
  RETURN_IF_ERROR(CheckHasElements(type));
  return Number(type, MinInteger(type));
}

absl::StatusOr<Literal> LiteralUtil::MaxFiniteValue(PrimitiveType type) {
  if (IsComplex(type)) return NoOrder(type);
  if (IsFloat(type)) return Number(type, LimitsOf(type).max);
  RETURN_IF_ERROR(CheckHasElements(type));
  return Number(type, MaxInteger(type));
}

absl::StatusOr<Literal> LiteralUtil::MinValue(PrimitiveType type) {
  if (!IsFloat(type) || !LimitsOf(type).has_infinity) return MinFiniteValue(type);
  return Number(type, -std::numeric_limits<double>::infinity());
}

absl::StatusOr<Literal> LiteralUtil::MaxValue(PrimitiveType type) {
  if (!IsFloat(type) || !LimitsOf(type).has_infinity) return MaxFiniteValue(type);
  return Number(type, std::numeric_limits<double>::infinity());
}

absl::StatusOr<Literal> LiteralUtil::Epsilon(PrimitiveType type) {
  if (IsFloat(type)) return Number(type, LimitsOf(type).epsilon);
  return absl::InvalidArgumentError(absl::StrCat("only float types have an epsilon, got ", PrimitiveTypeName(type)));
}

absl::StatusOr<Literal> LiteralUtil::Broadcast(const Literal& scalar, absl::Span<const int64_t> dimensions) {
  if (!scalar.shape().IsScalar()) {
    return absl::InvalidArgumentError(absl::StrCat("expected a scalar, got ", scalar.shape().ToString()));
  }
  ASSIGN_OR_RETURN(Literal result, Allocate(scalar.shape().element_type(), dimensions));
  const int64_t width = scalar.size_bytes();
  char* const bytes = result.mutable_data<char>();
  for (int64_t i = 0; i < result.element_count(); ++i) std::memcpy(bytes + i * width, scalar.untyped_data(), width);
  return result;
}

}  // namespace xla
