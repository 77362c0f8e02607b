#include "tests/random_nnef2/direct_numbers.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace xla {
namespace nnef2 {
namespace {

constexpr double kLargestInt = std::numeric_limits<int32_t>::max();
constexpr double kSmallestInt = std::numeric_limits<int32_t>::min();

double Wrap(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(x))); }

double PowerOf(int64_t x, int64_t y, std::string* error) {
  if (y < 0) *error = "the exponent of an int is negative";
  uint32_t result = 1;
  uint32_t base = static_cast<uint32_t>(x);
  for (; y > 0; y /= 2) {
    if (y % 2 == 1) result *= base;
    base *= base;
  }
  return Wrap(static_cast<int64_t>(result));
}

double ApplyToInts(Operator op, int64_t x, int64_t y, std::string* error) {
  const bool divides = op == Operator::kDivide || op == Operator::kCeilDivide || op == Operator::kModulo;
  if (divides && y == 0) {
    *error = "division by zero";
    return 0;
  }
  switch (op) {
    case Operator::kAdd:
      return Wrap(x + y);
    case Operator::kSubtract:
      return Wrap(x - y);
    case Operator::kMultiply:
      return Wrap(x * y);
    case Operator::kDivide:
      return Wrap(static_cast<int64_t>(std::floor(static_cast<double>(x) / static_cast<double>(y))));
    case Operator::kCeilDivide:
      return Wrap(static_cast<int64_t>(std::ceil(static_cast<double>(x) / static_cast<double>(y))));
    case Operator::kModulo:
      return Wrap(((x % y) + y) % y);
    case Operator::kPower:
      return PowerOf(x, y, error);
    default:
      *error = "an operator that ints do not have";
      return 0;
  }
}

double ApplyToReals(Operator op, double x, double y, std::string* error) {
  switch (op) {
    case Operator::kAdd:
      return x + y;
    case Operator::kSubtract:
      return x - y;
    case Operator::kMultiply:
      return x * y;
    case Operator::kDivide:
      return x / y;
    case Operator::kCeilDivide:
      return std::ceil(x / y);
    case Operator::kModulo:
      return std::fmod(x, y);
    case Operator::kPower:
      return std::pow(x, y);
    default:
      *error = "an operator that reals do not have";
      return 0;
  }
}

bool Holds(Operator op, double x, double y) {
  switch (op) {
    case Operator::kLess:
      return x < y;
    case Operator::kLessEqual:
      return x <= y;
    case Operator::kGreater:
      return x > y;
    case Operator::kGreaterEqual:
      return x >= y;
    case Operator::kEqual:
    case Operator::kIs:
      return x == y;
    case Operator::kNotEqual:
    case Operator::kXor:
      return x != y;
    case Operator::kAnd:
      return x != 0 && y != 0;
    case Operator::kOr:
      return x != 0 || y != 0;
    default:  // kImply
      return x == 0 || y != 0;
  }
}

}  // namespace

bool IsComparison(Operator op) { return op >= Operator::kLess && op <= Operator::kNotEqual; }

double ApplyDirectly(Operator op, BaseType base, double x, double y, std::string* error) {
  if (IsComparison(op) || op == Operator::kIs || (op >= Operator::kAnd && op <= Operator::kImply)) {
    return Holds(op, x, y) ? 1 : 0;
  }
  if (op == Operator::kMinimum || op == Operator::kMaximum) {
    if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
    return (op == Operator::kMinimum) == (x < y) ? x : y;
  }
  if (base == BaseType::kReal) return ApplyToReals(op, x, y, error);
  return ApplyToInts(op, static_cast<int64_t>(x), static_cast<int64_t>(y), error);
}

double CallDirectly(absl::string_view function, BaseType base, double x) {
  if (function == "abs") return base == BaseType::kInt ? Wrap(std::abs(static_cast<int64_t>(x))) : std::fabs(x);
  if (function == "sign") return x > 0 ? 1 : x < 0 ? -1 : x;
  if (function == "sqrt") return std::sqrt(x);
  if (function == "exp") return std::exp(x);
  if (function == "log") return std::log(x);
  if (function == "sin") return std::sin(x);
  if (function == "cos") return std::cos(x);
  if (function == "tan") return std::tan(x);
  if (function == "asin") return std::asin(x);
  if (function == "acos") return std::acos(x);
  if (function == "atan") return std::atan(x);
  if (function == "sinh") return std::sinh(x);
  if (function == "cosh") return std::cosh(x);
  if (function == "tanh") return std::tanh(x);
  if (function == "asinh") return std::asinh(x);
  if (function == "acosh") return std::acosh(x);
  if (function == "atanh") return std::atanh(x);
  if (function == "erf") return std::erf(x);
  if (function == "round") return std::round(x);
  if (function == "floor") return std::floor(x);
  if (function == "ceil") return std::ceil(x);
  return x - std::trunc(x);  // frac
}

double ConvertDirectly(double x, BaseType from, BaseType to) {
  if (to == BaseType::kBool) return x != 0 ? 1 : 0;
  if (to != BaseType::kInt || from != BaseType::kReal) return x;
  if (std::isnan(x)) return 0;
  const double whole = std::trunc(x);
  return whole > kLargestInt ? kLargestInt : whole < kSmallestInt ? kSmallestInt : whole + 0.0;
}

double NeutralOf(Operator op, BaseType base) {
  const bool is_real = base == BaseType::kReal;
  switch (op) {
    case Operator::kMultiply:
    case Operator::kAnd:
      return 1;
    case Operator::kMinimum:
      return is_real ? std::numeric_limits<double>::infinity() : kLargestInt;
    case Operator::kMaximum:
      return is_real ? -std::numeric_limits<double>::infinity() : kSmallestInt;
    default:
      return 0;
  }
}

}  // namespace nnef2
}  // namespace xla
