#include "builders/webnn/number.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/check.h"

namespace xla {
namespace webnn {
namespace {

// The range of an integer type.
struct IntegerRange {
  int64_t min;
  uint64_t max;
};

IntegerRange RangeOf(MLOperandDataType type) {
  const int bits = BitsOf(type);
  if (IsUnsignedInt(PrimitiveTypeOf(type))) return {0, std::numeric_limits<uint64_t>::max() >> (64 - bits)};
  return {std::numeric_limits<int64_t>::min() >> (64 - bits), std::numeric_limits<uint64_t>::max() >> (65 - bits)};
}

// The integers of `range` are all of int64_t or all of uint64_t.
absl::StatusOr<Literal> Saturated(const MLNumber& number, PrimitiveType type, IntegerRange range) {
  if (number.IsDouble()) {
    const double value = std::trunc(number.AsDouble());
    if (std::isnan(value)) return LiteralUtil::Number(type, int64_t{0});
    if (value <= static_cast<double>(range.min)) return LiteralUtil::Number(type, range.min);
    // 2^63 and 2^64 are doubles, the maxima below them are not.
    if (value >= static_cast<double>(range.max)) return LiteralUtil::Number(type, range.max);
    return value < 0 ? LiteralUtil::Number(type, static_cast<int64_t>(value))
                     : LiteralUtil::Number(type, static_cast<uint64_t>(value));
  }
  if (const auto* value = absl::get_if<int64_t>(&number.value())) {
    if (*value < 0) return LiteralUtil::Number(type, std::max(*value, range.min));
    return LiteralUtil::Number(type, std::min(static_cast<uint64_t>(*value), range.max));
  }
  return LiteralUtil::Number(type, std::min(absl::get<uint64_t>(number.value()), range.max));
}

}  // namespace

bool MLNumber::IsNan() const { return IsDouble() && std::isnan(absl::get<double>(value_)); }

double MLNumber::AsDouble() const {
  return absl::visit([](auto value) { return static_cast<double>(value); }, value_);
}

std::string MLNumber::ToString() const {
  return absl::visit([](auto value) { return absl::StrCat(value); }, value_);
}

Literal MLNumber::ToLiteral(MLOperandDataType type) const {
  const PrimitiveType primitive_type = PrimitiveTypeOf(type);
  absl::StatusOr<Literal> literal =
      IsFloat(type) ? absl::visit([&](auto value) { return LiteralUtil::Number(primitive_type, value); }, value_)
                    : Saturated(*this, primitive_type, RangeOf(type));
  // Scalars need no memory, and the value is one of the type.
  CHECK(literal.ok());
  return *std::move(literal);
}

int Compare(const MLNumber& a, const MLNumber& b) {
  // A long double has the 64 bits of all three.
  const auto widen = [](const MLNumber& number) {
    return absl::visit([](auto value) { return static_cast<long double>(value); }, number.value());
  };
  const long double x = widen(a);
  const long double y = widen(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

}  // namespace webnn
}  // namespace xla
