#include "builders/nnef2/evaluation/scalar_operations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/symbolic/real_operations.h"

namespace xla {
namespace nnef2 {
namespace {

using ItemKind = Scalar::Kind;

bool Fails(std::string message, std::string* error) {
  *error = std::move(message);
  return false;
}

bool PowerOfInts(int64_t base, int64_t exponent, int64_t* result) {
  *result = 1;
  if (base == 1 || exponent == 0) return true;
  if (base == 0 || base == -1) {
    *result = base == 0 ? 0 : exponent % 2 == 0 ? 1 : -1;
    return true;
  }
  for (int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(*result, base, result)) return false;
  }
  return true;
}

// / rounds down, \ up; % has the sign of the divisor.
bool DivideInts(Operator op, int64_t x, int64_t y, int64_t* result, std::string* error) {
  if (y == 0) return Fails("division by zero", error);
  if (y == -1) {
    if (op == Operator::kModulo) {
      *result = 0;
      return true;
    }
    return !__builtin_sub_overflow(int64_t{0}, x, result) || Fails("the result does not fit 64 bits", error);
  }
  const int64_t remainder = x % y;
  const bool has_other_sign = remainder != 0 && (remainder < 0) != (y < 0);
  if (op == Operator::kModulo) {
    *result = has_other_sign ? remainder + y : remainder;
  } else if (op == Operator::kDivide) {
    *result = x / y - (has_other_sign ? 1 : 0);
  } else {
    *result = x / y + (remainder != 0 && !has_other_sign ? 1 : 0);
  }
  return true;
}

bool ApplyToInts(Operator op, int64_t x, int64_t y, Scalar* result, std::string* error) {
  int64_t value = 0;
  bool overflows = false;
  switch (op) {
    case Operator::kAdd:
      overflows = __builtin_add_overflow(x, y, &value);
      break;
    case Operator::kSubtract:
      overflows = __builtin_sub_overflow(x, y, &value);
      break;
    case Operator::kMultiply:
      overflows = __builtin_mul_overflow(x, y, &value);
      break;
    case Operator::kPower:
      if (y < 0) return Fails(absl::StrCat("the exponent of an int is negative: ", y), error);
      overflows = !PowerOfInts(x, y, &value);
      break;
    case Operator::kMinimum:
      value = std::min(x, y);
      break;
    case Operator::kMaximum:
      value = std::max(x, y);
      break;
    default:
      if (!DivideInts(op, x, y, &value, error)) return false;
  }
  if (overflows) return Fails(absl::StrCat(x, " ", OperatorSymbol(op), " ", y, " does not fit 64 bits"), error);
  *result = Scalar::Int(value);
  return true;
}

// Of reals.
SymbolicOp RealOperation(Operator op) {
  switch (op) {
    case Operator::kAdd:
      return SymbolicOp::kRealAdd;
    case Operator::kSubtract:
      return SymbolicOp::kRealSubtract;
    case Operator::kMultiply:
      return SymbolicOp::kRealMultiply;
    case Operator::kDivide:
      return SymbolicOp::kRealDivide;
    case Operator::kCeilDivide:
      return SymbolicOp::kRealCeilDivide;
    case Operator::kModulo:
      return SymbolicOp::kRealModulo;
    case Operator::kPower:
      return SymbolicOp::kRealPower;
    case Operator::kMinimum:
      return SymbolicOp::kRealMinimum;
    default:  // kMaximum
      return SymbolicOp::kRealMaximum;
  }
}

double RealOf(const Scalar& x) { return x.kind == ItemKind::kReal ? x.real : static_cast<double>(x.integer); }

// -1, 0, 1; 2: not comparable. Of different types, the wider one counts.
int Compare(const Scalar& x, const Scalar& y) {
  if (x.kind == ItemKind::kReal || y.kind == ItemKind::kReal) {
    const double a = RealOf(x), b = RealOf(y);
    return a < b ? -1 : a == b ? 0 : a > b ? 1 : 2;
  }
  if (x.kind == ItemKind::kString) return x.text < y.text ? -1 : x.text == y.text ? 0 : 1;
  return x.integer < y.integer ? -1 : x.integer == y.integer ? 0 : 1;
}

bool IsComparison(Operator op) { return op >= Operator::kLess && op <= Operator::kNotEqual; }
bool IsLogical(Operator op) { return op >= Operator::kAnd && op <= Operator::kImply; }

bool CompareKnown(Operator op, const Scalar& x, const Scalar& y) {
  const int order = Compare(x, y);
  switch (op) {
    case Operator::kLess:
      return order == -1;
    case Operator::kLessEqual:
      return order == -1 || order == 0;
    case Operator::kGreater:
      return order == 1;
    case Operator::kGreaterEqual:
      return order == 1 || order == 0;
    case Operator::kEqual:
      return order == 0;
    default:  // kNotEqual
      return order != 0;
  }
}

bool Logic(Operator op, bool x, bool y) {
  return op == Operator::kAnd ? x && y : op == Operator::kOr ? x || y : op == Operator::kXor ? x != y : !x || y;
}

// An expression that is 0 or 1 is a bool.
Scalar Condition(const Symbolic* expression) {
  Scalar result = Scalar::Of(expression);
  return result.kind == ItemKind::kInt ? Scalar::Bool(result.integer != 0) : result;
}

const Symbolic* CompareSymbolic(SymbolTable& symbols, Operator op, const Symbolic* x, const Symbolic* y) {
  switch (op) {
    case Operator::kLess:
      return symbols.Operation(SymbolicOp::kLess, {x, y});
    case Operator::kGreater:
      return symbols.Operation(SymbolicOp::kLess, {y, x});
    case Operator::kLessEqual:
      return symbols.Not(symbols.Operation(SymbolicOp::kLess, {y, x}));
    case Operator::kGreaterEqual:
      return symbols.Not(symbols.Operation(SymbolicOp::kLess, {x, y}));
    case Operator::kEqual:
      return symbols.Operation(SymbolicOp::kEqual, {x, y});
    default:  // kNotEqual
      return symbols.Not(symbols.Operation(SymbolicOp::kEqual, {x, y}));
  }
}

// With conditions as 0 and 1: and is a product.
const Symbolic* LogicOf(SymbolTable& symbols, Operator op, const Symbolic* x, const Symbolic* y) {
  const Symbolic* const both = symbols.Multiply(x, y);
  switch (op) {
    case Operator::kAnd:
      return both;
    case Operator::kOr:
      return symbols.Subtract(symbols.Add(x, y), both);
    case Operator::kXor:
      return symbols.Subtract(symbols.Subtract(symbols.Add(x, y), both), both);
    default:  // kImply: !x || y
      return symbols.Add(symbols.Not(x), both);
  }
}

const Symbolic* ArithmeticOf(SymbolTable& symbols, Operator op, const Symbolic* x, const Symbolic* y) {
  switch (op) {
    case Operator::kAdd:
      return symbols.Add(x, y);
    case Operator::kSubtract:
      return symbols.Subtract(x, y);
    case Operator::kMultiply:
      return symbols.Multiply(x, y);
    case Operator::kDivide:
      return symbols.Operation(SymbolicOp::kFloorDivide, {x, y});
    case Operator::kCeilDivide:
      return symbols.Operation(SymbolicOp::kCeilDivide, {x, y});
    case Operator::kModulo:
      return symbols.Operation(SymbolicOp::kModulo, {x, y});
    case Operator::kMinimum:
      return symbols.Operation(SymbolicOp::kMinimum, {x, y});
    case Operator::kMaximum:
      return symbols.Operation(SymbolicOp::kMaximum, {x, y});
    default:  // kPower
      return symbols.Operation(SymbolicOp::kPower, {x, y});
  }
}

bool IsReal(const Scalar& x) {
  return x.kind == ItemKind::kReal || (x.kind == ItemKind::kSymbolic && x.symbolic->is_real);
}

// An int as the real that it is.
const Symbolic* AsReal(SymbolTable& symbols, const Scalar& x) {
  const Symbolic* const symbolic = AsSymbolic(symbols, x);
  return symbolic == nullptr || symbolic->is_real ? symbolic : symbols.Operation(SymbolicOp::kToReal, {symbolic});
}

// One of the comparisons, of reals. That of NaN does not hold, != excepted.
Scalar CompareReals(SymbolTable& symbols, Operator op, const Symbolic* x, const Symbolic* y) {
  const auto less = [&](const Symbolic* a, const Symbolic* b) {
    return symbols.Operation(SymbolicOp::kRealLess, {a, b});
  };
  const Symbolic* const equal = symbols.Operation(SymbolicOp::kRealEqual, {x, y});
  switch (op) {
    case Operator::kLess:
      return Condition(less(x, y));
    case Operator::kGreater:
      return Condition(less(y, x));
    case Operator::kLessEqual:
      return Condition(symbols.Add(less(x, y), equal));
    case Operator::kGreaterEqual:
      return Condition(symbols.Add(less(y, x), equal));
    case Operator::kEqual:
      return Condition(equal);
    default:  // kNotEqual
      return Condition(symbols.Not(equal));
  }
}

Scalar ApplyToSymbolicReals(SymbolTable& symbols, Operator op, const Scalar& x, const Scalar& y) {
  const Symbolic* const a = AsReal(symbols, x);
  const Symbolic* const b = AsReal(symbols, y);
  if (a == nullptr || b == nullptr || IsLogical(op)) return Scalar();
  return IsComparison(op) ? CompareReals(symbols, op, a, b) : Scalar::Of(symbols.Operation(RealOperation(op), {a, b}));
}

bool ApplySymbolic(SymbolTable& symbols, Operator op, const Scalar& x, const Scalar& y, Scalar* result,
                   std::string* error) {
  if (x.kind == ItemKind::kString || x.kind == ItemKind::kTensor) return true;
  if (IsReal(x) || IsReal(y)) {
    *result = ApplyToSymbolicReals(symbols, op, x, y);
    return true;
  }
  const Symbolic* const a = AsSymbolic(symbols, x);
  const Symbolic* const b = AsSymbolic(symbols, y);
  const bool divides = op == Operator::kDivide || op == Operator::kCeilDivide || op == Operator::kModulo;
  if (divides && y.kind == ItemKind::kInt && y.integer == 0) return Fails("division by zero", error);
  if (IsComparison(op)) {
    *result = Condition(CompareSymbolic(symbols, op, a, b));
  } else if (IsLogical(op)) {
    *result = Condition(LogicOf(symbols, op, a, b));
  } else {
    *result = Scalar::Of(ArithmeticOf(symbols, op, a, b));
  }
  return true;
}

Scalar ApplyToSymbolic(SymbolTable& symbols, absl::string_view name, const Symbolic* x) {
  if (x->is_real) return Scalar::Of(symbols.Apply(*FindRealFunction(name), x));
  const Symbolic* const zero = symbols.Constant(0);
  const Symbolic* const negated = symbols.Subtract(zero, x);
  if (name == "abs") return Scalar::Of(symbols.Operation(SymbolicOp::kMaximum, {x, negated}));
  return Scalar::Of(symbols.Subtract(symbols.Operation(SymbolicOp::kLess, {zero, x}),
                                     symbols.Operation(SymbolicOp::kLess, {x, zero})));
}

}  // namespace

const Symbolic* AsSymbolic(SymbolTable& symbols, const Scalar& x) {
  if (x.kind == ItemKind::kSymbolic) return x.symbolic;
  if (x.kind == ItemKind::kReal) return symbols.tracks_reals() ? symbols.Real(x.real) : nullptr;
  return x.kind == ItemKind::kInt || x.kind == ItemKind::kBool ? symbols.Constant(x.integer) : nullptr;
}

bool ApplyBinary(SymbolTable& symbols, Operator op, const Scalar& x, const Scalar& y, Scalar* result,
                 std::string* error) {
  *result = Scalar();
  if (!x.is_known() || !y.is_known()) return ApplySymbolic(symbols, op, x, y, result, error);
  if (IsComparison(op)) {
    *result = Scalar::Bool(CompareKnown(op, x, y));
  } else if (IsLogical(op)) {
    *result = Scalar::Bool(Logic(op, x.integer != 0, y.integer != 0));
  } else if (x.kind == ItemKind::kReal) {
    *result = Scalar::Real(ApplyToReals(RealOperation(op), x.real, y.real));
  } else {
    return ApplyToInts(op, x.integer, y.integer, result, error);
  }
  return true;
}

bool ApplyUnary(SymbolTable& symbols, Operator op, const Scalar& x, Scalar* result, std::string* error) {
  if (op == Operator::kAdd) {
    *result = x;
  } else if (op == Operator::kNot) {
    *result = x.kind == ItemKind::kBool       ? Scalar::Bool(x.integer == 0)
              : x.kind == ItemKind::kSymbolic ? Condition(symbols.Not(x.symbolic))
                                              : Scalar();
  } else if (x.kind == ItemKind::kReal) {
    *result = Scalar::Real(-x.real);
  } else {
    return ApplyBinary(symbols, Operator::kSubtract, Scalar::Int(0), x, result, error);
  }
  return true;
}

Scalar Convert(SymbolTable& symbols, const Scalar& x, BaseType from, BaseType to) {
  if (from == to || x.kind == ItemKind::kUnknown) return x;
  if (x.kind == ItemKind::kSymbolic) {
    if (to == BaseType::kReal) return symbols.tracks_reals() ? Scalar::Of(AsReal(symbols, x)) : Scalar();
    if (from == BaseType::kReal && to == BaseType::kInt) {
      return Scalar::Of(symbols.Operation(SymbolicOp::kToInt, {x.symbolic}));
    }
    if (from == BaseType::kReal) {
      return Condition(symbols.Not(symbols.Operation(SymbolicOp::kRealEqual, {x.symbolic, symbols.Real(0)})));
    }
    if (from == BaseType::kBool) return x;
    const Symbolic* const is_zero = symbols.Operation(SymbolicOp::kEqual, {x.symbolic, symbols.Constant(0)});
    return Condition(symbols.Not(is_zero));
  }
  if (to == BaseType::kReal) return Scalar::Real(static_cast<double>(x.integer));
  if (to == BaseType::kBool) return Scalar::Bool(from == BaseType::kReal ? x.real != 0 : x.integer != 0);
  return Scalar::Int(from == BaseType::kReal ? TruncateToInt(x.real) : x.integer);
}

absl::Span<const absl::string_view> BuiltinNames() {
  static const auto* const names = [] {
    auto* const all = new std::vector<absl::string_view>;
    for (const RealFunction& function : RealFunctions()) all->push_back(function.name);
    return all;
  }();
  return *names;
}

Scalar ApplyBuiltin(absl::string_view name, const Scalar& x) {
  if (x.kind == ItemKind::kInt) {
    if (name == "sign") return Scalar::Int(x.integer > 0 ? 1 : x.integer < 0 ? -1 : 0);
    if (x.integer == std::numeric_limits<int64_t>::min()) return Scalar();
    return Scalar::Int(std::abs(x.integer));
  }
  return x.kind == ItemKind::kReal ? Scalar::Real(FindRealFunction(name)->apply(x.real)) : Scalar();
}

Scalar ApplyBuiltin(SymbolTable& symbols, absl::string_view name, const Scalar& x) {
  return x.kind == ItemKind::kSymbolic ? ApplyToSymbolic(symbols, name, x.symbolic) : ApplyBuiltin(name, x);
}

}  // namespace nnef2
}  // namespace xla
