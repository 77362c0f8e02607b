#include "builders/nnef1/language/operators.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace nnef1 {
namespace {

struct OperatorRow {
  absl::string_view symbol;
  absl::string_view unary;  // operation on tensors
  absl::string_view binary;
};
// By Operator.
constexpr OperatorRow kOperators[] = {
    {"+", "copy", "add"}, {"-", "neg", "sub"}, {"*", "", "mul"}, {"/", "", "div"}, {"^", "", "pow"},
    {"<", "", "lt"},      {"<=", "", "le"},    {">", "", "gt"},  {">=", "", "ge"}, {"==", "", "eq"},
    {"!=", "", "ne"},     {"&&", "", "and"},   {"||", "", "or"}, {"!", "not", ""}, {"in", "", ""},
};

// By Builtin.
constexpr absl::string_view kBuiltins[] = {"shape_of", "length_of", "range_of", "integer",
                                           "scalar",   "logical",   "string"};

const OperatorRow& RowOf(Operator op) { return kOperators[static_cast<int>(op)]; }

absl::Status Overflow(Operator op, int64_t a, int64_t b) {
  return absl::InvalidArgumentError(
      absl::StrCat("the integer ", a, " ", OperatorSymbol(op), " ", b, " does not fit 64 bits"));
}

// base ^ exponent with exponent >= 0; false on overflow.
bool CheckedPower(int64_t base, int64_t exponent, int64_t* result) {
  *result = 1;
  if (base == 0 || base == 1) {
    *result = exponent == 0 ? 1 : base;
    return true;
  }
  if (base == -1) {
    *result = exponent % 2 == 0 ? 1 : -1;
    return true;
  }
  for (int64_t i = 0; i < exponent; ++i) {
    if (!CheckedMul(*result, base, result)) return false;
  }
  return true;
}

// Integers of 64 bits; overflow and division by zero are errors. Quotients round towards zero.
absl::StatusOr<Value> IntegerArithmetic(Operator op, int64_t a, int64_t b) {
  int64_t result = 0;
  bool fits = true;
  switch (op) {
    case Operator::kAdd:
      fits = CheckedAdd(a, b, &result);
      break;
    case Operator::kSubtract:
      fits = CheckedSub(a, b, &result);
      break;
    case Operator::kMultiply:
      fits = CheckedMul(a, b, &result);
      break;
    case Operator::kDivide:
      if (b == 0) return absl::InvalidArgumentError(absl::StrCat("the integer ", a, " is divided by zero"));
      fits = !(b == -1 && a == std::numeric_limits<int64_t>::min());
      if (fits) result = a / b;
      break;
    default:  // kPower; with a negative exponent what is left of 1 / a ^ -b, as division drops the fraction
      if (b >= 0) {
        fits = CheckedPower(a, b, &result);
      } else if (a == 0) {
        return absl::InvalidArgumentError(absl::StrCat("the integer 0 ^ ", b, " is a division by zero"));
      } else {
        result = a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
      }
  }
  if (!fits) return Overflow(op, a, b);
  return Value::Integer(result);
}

Value ScalarArithmetic(Operator op, double a, double b) {
  switch (op) {
    case Operator::kAdd:
      return Value::Scalar(a + b);
    case Operator::kSubtract:
      return Value::Scalar(a - b);
    case Operator::kMultiply:
      return Value::Scalar(a * b);
    case Operator::kDivide:
      return Value::Scalar(a / b);
    default:
      return Value::Scalar(std::pow(a, b));
  }
}

template <typename T>
bool Compare(Operator op, T a, T b) {
  switch (op) {
    case Operator::kLess:
      return a < b;
    case Operator::kLessEqual:
      return a <= b;
    case Operator::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

absl::Status TooLong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(what, " of more than ", kMaxValues, " items is refused"));
}

absl::StatusOr<Value> Join(const Value& a, const Value& b) {
  if (a.is_string()) {
    if (static_cast<int64_t>(a.string().size() + b.string().size()) > kMaxValues) return TooLong("a string");
    return Value::String(a.string() + b.string());
  }
  if (a.total_values() + b.total_values() > kMaxValues) return TooLong("an array");
  std::vector<Value> items = a.items();
  items.insert(items.end(), b.items().begin(), b.items().end());
  return Value::Array(std::move(items));
}

// Repeats a string or array. The result's size is checked before it is made.
absl::StatusOr<Value> Repeat(const Value& x, int64_t times) {
  if (times < 0) return absl::InvalidArgumentError(absl::StrCat("expected to repeat 0 times or more, got ", times));
  const int64_t size = x.is_string() ? static_cast<int64_t>(x.string().size()) : x.total_values();
  int64_t total = 0;
  if (!CheckedMul(size, times, &total) || total > kMaxValues) return TooLong(x.is_string() ? "a string" : "an array");
  if (x.is_string()) {
    if (total == 0) return Value::String("");
    // Doubled, because a single character may be repeated millions of times.
    std::string text = x.string();
    text.reserve(total);
    while (static_cast<int64_t>(text.size()) <= total / 2) text += text;
    text.append(text, 0, total - text.size());
    return Value::String(std::move(text));
  }
  std::vector<Value> items;
  items.reserve(times * x.items().size());
  for (int64_t i = 0; i < times && !x.items().empty(); ++i) {
    items.insert(items.end(), x.items().begin(), x.items().end());
  }
  return Value::Array(std::move(items));
}

// A numeric literal of the language, with a sign.
bool IsNumericLiteral(absl::string_view text) {
  size_t i = !text.empty() && text[0] == '-' ? 1 : 0;
  const auto digits = [&] {
    const size_t begin = i;
    while (i < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[i]))) ++i;
    return i > begin;
  };
  if (!digits()) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    digits();
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

absl::StatusOr<Value> ToScalar(const Value& x) {
  if (x.is_scalar()) return x;
  if (x.is_integer()) return Value::Scalar(static_cast<double>(x.integer()));
  if (x.is_logical()) return Value::Scalar(x.logical() ? 1.0 : 0.0);
  double number = 0;
  if (!IsNumericLiteral(x.string()) || !absl::SimpleAtod(x.string(), &number)) {
    return absl::InvalidArgumentError(absl::StrCat("the string ", x.ToString(), " is not a number"));
  }
  return Value::Scalar(number);
}

// Logical values count as 0 and 1, scalars lose their fraction, strings must spell an integer.
absl::StatusOr<Value> ToInteger(const Value& x) {
  if (x.is_integer()) return x;
  if (x.is_logical()) return Value::Integer(x.logical() ? 1 : 0);
  if (x.is_scalar()) {
    // The fraction is dropped as in HLO's convert. 2^63 is the first that does not fit.
    const double number = std::trunc(x.scalar());
    if (!(number >= -0x1p63 && number < 0x1p63)) {
      return absl::InvalidArgumentError(absl::StrCat("no integer can hold the scalar ", x.ToString()));
    }
    return Value::Integer(static_cast<int64_t>(number));
  }
  const std::string& text = x.string();
  int64_t number = 0;
  const bool is_integer = IsNumericLiteral(text) && text.find_first_of(".eE") == std::string::npos;
  if (!is_integer || !absl::SimpleAtoi(text, &number)) {
    return absl::InvalidArgumentError(absl::StrCat("the string ", x.ToString(), " is not an integer"));
  }
  return Value::Integer(number);
}

Value ToLogical(const Value& x) {
  if (x.is_logical()) return x;
  if (x.is_integer()) return Value::Logical(x.integer() != 0);
  if (x.is_scalar()) return Value::Logical(x.scalar() != 0.0);
  return Value::Logical(!x.string().empty());
}

}  // namespace

absl::string_view OperatorSymbol(Operator op) { return RowOf(op).symbol; }
absl::string_view BuiltinName(Builtin builtin) { return kBuiltins[static_cast<int>(builtin)]; }
absl::string_view OperationOfUnary(Operator op) { return RowOf(op).unary; }
absl::string_view OperationOfBinary(Operator op) { return RowOf(op).binary; }

absl::StatusOr<Value> ApplyUnary(Operator op, const Value& x) {
  if (op == Operator::kNot) return Value::Logical(!x.logical());
  if (op == Operator::kAdd) return x;
  if (x.is_integer()) return IntegerArithmetic(Operator::kSubtract, 0, x.integer());
  return Value::Scalar(-x.scalar());
}

// Applies an operator to two attributes, whose types were checked before.
absl::StatusOr<Value> ApplyBinary(Operator op, const Value& a, const Value& b) {
  switch (op) {
    case Operator::kAdd:
    case Operator::kSubtract:
    case Operator::kMultiply:
    case Operator::kDivide:
    case Operator::kPower:
      if (a.is_string() || a.is_array()) return op == Operator::kAdd ? Join(a, b) : Repeat(a, b.integer());
      if (a.is_integer()) return IntegerArithmetic(op, a.integer(), b.integer());
      return ScalarArithmetic(op, a.scalar(), b.scalar());
    case Operator::kLess:
    case Operator::kLessEqual:
    case Operator::kGreater:
    case Operator::kGreaterEqual:
      return Value::Logical(a.is_integer() ? Compare(op, a.integer(), b.integer())
                                           : Compare(op, a.scalar(), b.scalar()));
    case Operator::kEqual:
      return Value::Logical(a == b);
    case Operator::kNotEqual:
      return Value::Logical(a != b);
    case Operator::kAnd:
      return Value::Logical(a.logical() && b.logical());
    case Operator::kOr:
      return Value::Logical(a.logical() || b.logical());
    case Operator::kIn:
      return Value::Logical(std::find(b.items().begin(), b.items().end(), a) != b.items().end());
    case Operator::kNot:
      break;
  }
  return absl::InternalError("not a binary operator");
}

int64_t LengthOf(const Value& x) { return static_cast<int64_t>(x.is_string() ? x.string().size() : x.items().size()); }

// Applies a function of the language to an attribute, whose type was checked before.
absl::StatusOr<Value> ApplyBuiltin(Builtin builtin, const Value& x) {
  switch (builtin) {
    case Builtin::kShapeOf:
      break;
    case Builtin::kLengthOf:
      return Value::Integer(LengthOf(x));
    case Builtin::kRangeOf: {
      std::vector<Value> items;
      items.reserve(LengthOf(x));
      for (int64_t i = 0; i < LengthOf(x); ++i) items.push_back(Value::Integer(i));
      return Value::Array(std::move(items));
    }
    case Builtin::kInteger:
      return ToInteger(x);
    case Builtin::kScalar:
      return ToScalar(x);
    case Builtin::kLogical:
      return ToLogical(x);
    case Builtin::kString:
      return x.is_string() ? x : Value::String(x.ToString());
  }
  return absl::InternalError("shape_of has no value");
}

absl::StatusOr<Value> ItemAt(const Value& x, int64_t index) {
  const int64_t length = LengthOf(x);
  if (index < 0 || index >= length) {
    return absl::InvalidArgumentError(
        length == 0 ? absl::StrCat("subscript ", index, " into nothing: there are no items")
                    : absl::StrCat("expected a subscript from 0 to ", length - 1, ", got ", index));
  }
  if (x.is_string()) return Value::String(x.string().substr(index, 1));
  return x.items()[index];
}

absl::StatusOr<Value> ItemsBetween(const Value& x, int64_t begin, int64_t end) {
  const int64_t length = LengthOf(x);
  for (const int64_t bound : {begin, end}) {
    if (bound < 0 || bound > length) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected the bounds of a range to be from 0 to ", length, ", got ", bound));
    }
  }
  end = std::max(begin, end);
  if (x.is_string()) return Value::String(x.string().substr(begin, end - begin));
  return Value::Array({x.items().begin() + begin, x.items().begin() + end});
}

}  // namespace nnef1
}  // namespace xla
