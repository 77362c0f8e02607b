// Rules of the group `approximate`: identities of real numbers that round in another place than what they replace.
//
// They apply to f16, bf16, f32, f64 alone. Results may differ in the last bits; rules that can turn a number into a
// NaN or an infinity, or back, by another intermediate overflow or domain need no-nans too: exp(x) * exp(y) overflows
// for x = 100, y = -100 where exp(x + y) does not.
#include <cmath>

#include "passes/algebra/elementwise_rules.h"
#include "passes/algebra/splat_number.h"
#include "passes/algebra/value_facts.h"

namespace xla {
namespace {

// Of floats that are wide enough for what comes out of functions.
bool IsFloatMath(const HloInstruction& x) { return IsIeeeFloat(x.shape().element_type()); }

HloInstruction* DivideConstant(HloInstruction* root, const RuleContext& context) {
  const auto c = SplatFloat(*root->operand(1));
  if (!IsFloatMath(*root) || !c.has_value() || !std::isnormal(*c) || IsConstantLike(*root->operand(0))) return nullptr;
  HloInstruction* const reciprocal = context.build.SplatFloat(root->shape(), 1 / *c);
  const auto rounded = SplatFloat(*reciprocal);
  if (!rounded.has_value() || !std::isnormal(*rounded)) return nullptr;
  return context.build.Mul(root->operand(0), reciprocal);
}

// One division for each element of b instead of one for each of the result.
HloInstruction* DivideBroadcast(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& divisor = *root->operand(1);
  if (!IsFloatMath(*root) || divisor.opcode() != HloOpcode::kBroadcast || IsConstantLike(divisor)) return nullptr;
  HloInstruction* const b = divisor.operand(0);
  if (b->shape().ElementCount() >= root->shape().ElementCount() || IsNumber(*root->operand(0), 1)) return nullptr;
  HloInstruction* const reciprocal = context.build.Div(context.build.Splat(b->shape(), 1), b);
  return context.build.Mul(root->operand(0),
                           context.build.Broadcast(reciprocal, root->shape().dimensions(),
                                                   divisor.attributes<BroadcastAttributes>().dimensions));
}

HloInstruction* MultiplyReciprocal(HloInstruction* root, const RuleContext& context) {
  if (!IsFloatMath(*root)) return nullptr;
  for (int i = 0; i < 2; ++i) {
    const HloInstruction& quotient = *root->operand(i);
    if (quotient.opcode() != HloOpcode::kDivide || !IsNumber(*quotient.operand(0), 1)) continue;
    if (quotient.users().size() != 1) continue;
    return context.build.Div(root->operand(1 - i), quotient.operand(1));
  }
  return nullptr;
}

// Two divisions become a division and a multiplication, which is cheaper and rounds otherwise.
HloInstruction* DivideQuotients(HloInstruction* root, const RuleContext& context) {
  if (!IsFloatMath(*root)) return nullptr;
  HloInstruction *a, *b, *c;
  InstructionBuilder& build = context.build;
  if (Match(root, m::Op(HloOpcode::kDivide, m::Op(HloOpcode::kDivide, m::Any(&a), m::Any(&b)).OneUse(), m::Any(&c)),
            context.log)) {
    return build.Div(a, build.Mul(b, c));
  }
  if (Match(root, m::Op(HloOpcode::kDivide, m::Any(&a), m::Op(HloOpcode::kDivide, m::Any(&b), m::Any(&c)).OneUse()),
            context.log)) {
    return build.Div(build.Mul(a, c), b);
  }
  return nullptr;
}

// a / sqrt(b), a / rsqrt(b), a / exp(b), a / power(b, c) as products.
HloInstruction* DivideFunction(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& f = *root->operand(1);
  if (!IsFloatMath(*root) || f.users().size() != 1) return nullptr;
  InstructionBuilder& build = context.build;
  HloInstruction* const a = root->operand(0);
  if (f.opcode() == HloOpcode::kSqrt) return build.Mul(a, build.Unary(HloOpcode::kRsqrt, f.operand(0)));
  if (f.opcode() == HloOpcode::kRsqrt) return build.Mul(a, build.Unary(HloOpcode::kSqrt, f.operand(0)));
  if (f.opcode() == HloOpcode::kExp) {
    return build.Mul(a, build.Unary(HloOpcode::kExp, build.Unary(HloOpcode::kNegate, f.operand(0))));
  }
  if (f.opcode() == HloOpcode::kPower) {
    return build.Mul(a, build.Binary(HloOpcode::kPower, f.operand(0), build.Unary(HloOpcode::kNegate, f.operand(1))));
  }
  return nullptr;
}

HloInstruction* RootsMultiplied(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& f = *root->operand(0);
  if (!IsFloatMath(*root) || root->operand(0) != root->operand(1)) return nullptr;
  HloInstruction* const x = f.operand_count() == 1 ? f.operand(0) : nullptr;
  if (f.opcode() == HloOpcode::kSqrt) return x;
  if (f.opcode() != HloOpcode::kRsqrt) return nullptr;
  return context.build.Div(context.build.Splat(root->shape(), 1), x);
}

HloInstruction* ExponentialsMultiplied(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& a = *root->operand(0);
  const HloInstruction& b = *root->operand(1);
  if (!IsFloatMath(*root) || a.opcode() != HloOpcode::kExp || b.opcode() != HloOpcode::kExp) return nullptr;
  if (a.users().size() != 1 || b.users().size() != 1) return nullptr;
  return context.build.Unary(HloOpcode::kExp, context.build.Add(a.operand(0), b.operand(0)));
}

// A function of its inverse.
HloInstruction* InverseFunction(HloInstruction* root, const RuleContext&) {
  static constexpr struct {
    HloOpcode outer;
    HloOpcode inner;
  } kPairs[] = {{HloOpcode::kLog, HloOpcode::kExp},
                {HloOpcode::kLog1p, HloOpcode::kExpm1},
                {HloOpcode::kExpm1, HloOpcode::kLog1p}};
  const HloInstruction& inner = *root->operand(0);
  if (!IsFloatMath(*root)) return nullptr;
  for (const auto& pair : kPairs) {
    if (root->opcode() == pair.outer && inner.opcode() == pair.inner) return inner.operand(0);
  }
  return nullptr;
}
HloInstruction* ExponentialOfLog(HloInstruction* root, const RuleContext&) {
  const HloInstruction& inner = *root->operand(0);
  return IsFloatMath(*root) && inner.opcode() == HloOpcode::kLog ? inner.operand(0) : nullptr;
}

// A power that has a logarithm is positive, and of a negative number it is the same as of its magnitude then.
HloInstruction* LogOfPower(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& inner = *root->operand(0);
  if (!IsFloatMath(*root) || inner.users().size() != 1) return nullptr;
  InstructionBuilder& build = context.build;
  const auto times_log = [&](HloInstruction* base, HloInstruction* factor) {
    return build.Mul(build.Unary(HloOpcode::kLog, base), factor);
  };
  if (inner.opcode() == HloOpcode::kPower) {
    HloInstruction* const x = inner.operand(0);
    return times_log(SignIsClear(*x) ? x : build.Unary(HloOpcode::kAbs, x), inner.operand(1));
  }
  if (inner.opcode() == HloOpcode::kSqrt) return times_log(inner.operand(0), build.SplatFloat(root->shape(), 0.5));
  if (inner.opcode() == HloOpcode::kRsqrt) return times_log(inner.operand(0), build.SplatFloat(root->shape(), -0.5));
  return nullptr;
}

// log(1 + x), exp(x) - 1.
HloInstruction* LogOfOnePlus(HloInstruction* root, const RuleContext& context) {
  HloInstruction* x;
  if (!IsFloatMath(*root)) return nullptr;
  if (!Match(root, m::Op(HloOpcode::kLog, m::AnyOrder(HloOpcode::kAdd, m::Any(&x), m::Splat(1))), context.log)) {
    return nullptr;
  }
  return context.build.Unary(HloOpcode::kLog1p, x);
}
HloInstruction* ExponentialLessOne(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& exponential = *root->operand(0);
  if (!IsFloatMath(*root) || exponential.opcode() != HloOpcode::kExp || !IsNumber(*root->operand(1), -1)) {
    return nullptr;
  }
  return context.build.Unary(HloOpcode::kExpm1, exponential.operand(0));
}

// 1 / (1 + exp(-x))
HloInstruction* FormLogistic(HloInstruction* root, const RuleContext& context) {
  HloInstruction* x;
  if (!IsFloatMath(*root) || !IsNumber(*root->operand(0), 1)) return nullptr;
  const auto negated = m::Op(HloOpcode::kExp, m::Op(HloOpcode::kNegate, m::Any(&x)));
  if (!Match(root->operand(1), m::AnyOrder(HloOpcode::kAdd, negated, m::Splat(1)), context.log)) return nullptr;
  return context.build.Unary(HloOpcode::kLogistic, x);
}

// ---- power

HloInstruction* PowerWhole(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const x = root->operand(0);
  if (!IsFloatMath(*root)) return nullptr;
  InstructionBuilder& build = context.build;
  if (IsNumber(*root->operand(1), 2)) return build.Mul(x, x);
  if (IsNumber(*root->operand(1), 3)) return build.Mul(build.Mul(x, x), x);
  if (IsNumber(*root->operand(1), -1)) return build.Div(build.Splat(root->shape(), 1), x);
  return nullptr;
}
HloInstruction* PowerHalf(HloInstruction* root, const RuleContext& context) {
  if (!IsFloatMath(*root)) return nullptr;
  if (IsNumber(*root->operand(1), 0.5)) return context.build.Unary(HloOpcode::kSqrt, root->operand(0));
  if (IsNumber(*root->operand(1), -0.5)) return context.build.Unary(HloOpcode::kRsqrt, root->operand(0));
  return nullptr;
}
HloInstruction* PowerOfExponential(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& base = *root->operand(0);
  if (!IsFloatMath(*root) || base.opcode() != HloOpcode::kExp) return nullptr;
  return context.build.Unary(HloOpcode::kExp, context.build.Mul(base.operand(0), root->operand(1)));
}

// sqrt(x * x)
HloInstruction* SqrtOfSquare(HloInstruction* root, const RuleContext& context) {
  const HloInstruction& square = *root->operand(0);
  if (!IsFloatMath(*root) || square.opcode() != HloOpcode::kMultiply) return nullptr;
  if (square.operand(0) != square.operand(1)) return nullptr;
  return context.build.Unary(HloOpcode::kAbs, square.operand(0));
}

}  // namespace

const RuleList& ApproximationRules() {
  static const std::vector<HloOpcode> divide = {HloOpcode::kDivide};
  static const std::vector<HloOpcode> multiply = {HloOpcode::kMultiply};
  static const std::vector<HloOpcode> log = {HloOpcode::kLog};
  static const std::vector<HloOpcode> power = {HloOpcode::kPower};
  static const auto* const rules = new RuleList{
      {"form-logistic", "divide(1, add(exp(negate(x)), 1)) => logistic(x)", divide, &FormLogistic, kApproximate},
      {"divide-constant", "divide(x, c) => multiply(x, 1 / c)", divide, &DivideConstant, kApproximate},
      {"divide-function", "divide(x, sqrt(y)) => multiply(x, rsqrt(y))  (also rsqrt, exp, power)", divide,
       &DivideFunction, kApproximate},
      {"divide-quotients",
       "divide(divide(x, y), z) => divide(x, multiply(y, z)), divide(x, divide(y, z)) => "
       "divide(multiply(x, z), y)",
       divide, &DivideQuotients, kApproximate},
      {"divide-broadcast", "divide(x, broadcast(y)) => multiply(x, broadcast(divide(1, y)))", divide, &DivideBroadcast,
       kApproximate},
      {"multiply-reciprocal", "multiply(x, divide(1, y)) => divide(x, y)", multiply, &MultiplyReciprocal, kApproximate},
      {"multiply-roots", "multiply(sqrt(x), sqrt(x)) => x, multiply(rsqrt(x), rsqrt(x)) => divide(1, x)", multiply,
       &RootsMultiplied, kApproximate | kNoNans},
      {"multiply-exponentials", "multiply(exp(x), exp(y)) => exp(add(x, y))", multiply, &ExponentialsMultiplied,
       kApproximate | kNoNans},
      {"function-of-inverse",
       "log(exp(x)) => x, log-plus-one(exponential-minus-one(x)) => x  (and the other way)",
       {HloOpcode::kLog, HloOpcode::kLog1p, HloOpcode::kExpm1},
       &InverseFunction,
       kApproximate},
      {"exponential-of-log", "exp(log(x)) => x", {HloOpcode::kExp}, &ExponentialOfLog, kApproximate | kNoNans},
      {"log-of-power", "log(power(x, y)) => multiply(log(abs(x)), y)  (also sqrt, rsqrt, whose x is positive)", log,
       &LogOfPower, kApproximate | kNoNans},
      {"log-of-one-plus", "log(add(x, 1)) => log-plus-one(x)", log, &LogOfOnePlus, kApproximate},
      {"exponential-less-one",
       "add(exp(x), -1) => exponential-minus-one(x)",
       {HloOpcode::kAdd},
       &ExponentialLessOne,
       kApproximate},
      {"power-whole",
       "power(x, 2) => multiply(x, x), power(x, 3) => multiply(multiply(x, x), x), power(x, -1) => "
       "divide(1, x)",
       power, &PowerWhole, kApproximate},
      {"power-half", "power(x, 0.5) => sqrt(x), power(x, -0.5) => rsqrt(x)", power, &PowerHalf,
       kApproximate | kNoNans | kNoSignedZeros},
      {"power-of-exponential", "power(exp(x), y) => exp(multiply(x, y))", power, &PowerOfExponential,
       kApproximate | kNoNans},
      {"sqrt-of-square", "sqrt(multiply(x, x)) => abs(x)", {HloOpcode::kSqrt}, &SqrtOfSquare, kApproximate},
  };
  return *rules;
}

}  // namespace xla
