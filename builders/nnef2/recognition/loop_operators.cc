// Operators and functions of scalars as instructions over the loops.
#include <utility>

#include "builders/computation_builder/constants.h"
#include "builders/nnef2/lowering/scalar_emission.h"
#include "builders/nnef2/recognition/loop_values.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = NestNode::Kind;

bool IsKnownReal(const NestNode& node, double value) {
  return node.is_known() && node.scalar.kind == Scalar::Kind::kReal && node.scalar.real == value;
}

bool IsBinary(const NestNode& node, Operator op) { return node.kind == Kind::kBinary && node.op == op; }
bool IsCall(const NestNode& node, absl::string_view function) {
  return node.kind == Kind::kBuiltin && node.function == function;
}

// The other operand of a sum or product with this number; nullptr if it is another node.
const NestNode* Besides(const NestNode& node, Operator op, double value) {
  if (!IsBinary(node, op) || node.type != BaseType::kReal) return nullptr;
  if (IsKnownReal(*node.operands[0], value)) return node.operands[1];
  return IsKnownReal(*node.operands[1], value) ? node.operands[0] : nullptr;
}

// Of ints that are not negative: what HLO has an instruction for; invalid otherwise.
XlaOp DivideNaturals(Operator op, XlaOp x, XlaOp y) {
  if (op == Operator::kDivide) return x.builder()->Div(x, y);
  return op == Operator::kModulo ? x.builder()->Rem(x, y) : XlaOp();
}

}  // namespace

LoopArray LoopValues::ValueOf(const NestNode& node) {
  const auto known = values_.find(&node);
  if (known != values_.end()) return known->second;
  LoopArray value = Compute(node);
  values_.emplace(&node, value);
  return value;
}

LoopArray LoopValues::Compute(const NestNode& node) {
  switch (node.kind) {
    case Kind::kScalar:
      return Known(node);
    case Kind::kLoop:
      if (RunsOnce(nest_.loops[node.loop])) return {Number(S32, 0), {}};
      return {b_.Iota(xla::Shape::Array(S32, {nest_.loops[node.loop].bound}), 0), {node.loop}};
    case Kind::kUnary:
      return Unary(node);
    case Kind::kBinary: {
      LoopArray idiom = Idiom(node);
      return idiom.array.valid() ? idiom : Binary(node);
    }
    case Kind::kBuiltin: {
      // log(1 + x)
      const NestNode* const x = IsCall(node, "log") ? Besides(*node.operands[0], Operator::kAdd, 1) : nullptr;
      const LoopArray operand = ValueOf(x == nullptr ? *node.operands[0] : *x);
      return {x == nullptr ? EmitBuiltin(node.function, operand.array) : b_.Log1p(operand.array), operand.loops};
    }
    case Kind::kConvert:
      return Convert(node);
    case Kind::kSelect:
      return Choose(ValueOf(*node.operands[0]), ValueOf(*node.operands[1]), ValueOf(*node.operands[2]));
    case Kind::kRemap:
      return Remap(node);
    case Kind::kTable:
      return Table(node);
    case Kind::kLoad:
      return LoadOf(loads_.at(&node), XlaOp());
  }
  return {};
}

LoopArray LoopValues::Known(const NestNode& node) {
  if (node.scalar.kind == Scalar::Kind::kSymbolic) return {lowering_.Extent(node.scalar), {}};
  const PrimitiveType type = lowering_.TypeOf(node.type);
  if (node.type == BaseType::kReal) return {Number(type, node.scalar.real), {}};
  return {b_.ConstantLiteral(LiteralUtil::Number(type, node.scalar.integer)), {}};
}

LoopArray LoopValues::Unary(const NestNode& node) {
  const LoopArray x = ValueOf(*node.operands[0]);
  return {EmitUnary(node.op, x.array), x.loops};
}

LoopArray LoopValues::Binary(const NestNode& node) {
  const NestNode* left = node.operands[0];
  const NestNode* right = node.operands[1];
  // A factor that is a number comes last.
  if (node.op == Operator::kMultiply && left->is_known()) std::swap(left, right);
  const bool are_naturals = left->type == BaseType::kInt && left->lower >= 0 && right->lower > 0;
  return Together(ValueOf(*left), ValueOf(*right), [&](XlaOp x, XlaOp y) {
    const XlaOp natural = are_naturals && x.valid() ? DivideNaturals(node.op, x, y) : XlaOp();
    return natural.valid() ? natural : EmitBinary(node.op, x, y);
  });
}

// What HLO has an instruction for: logistic, x * logistic, exponential-minus-one, rsqrt; and factors of 1.
LoopArray LoopValues::Idiom(const NestNode& node) {
  if (node.type != BaseType::kReal) return {};
  if (const NestNode* const x = Besides(node, Operator::kMultiply, 1)) return ValueOf(*x);
  if (node.op == Operator::kSubtract && IsKnownReal(*node.operands[1], 1) && IsCall(*node.operands[0], "exp")) {
    const LoopArray x = ValueOf(*node.operands[0]->operands[0]);
    return {b_.Expm1(x.array), x.loops};
  }
  if (node.op != Operator::kDivide) return {};
  const NestNode& dividend = *node.operands[0];
  const bool has_dividend = !IsKnownReal(dividend, 1);
  if (!has_dividend && IsCall(*node.operands[1], "sqrt")) {
    const LoopArray x = ValueOf(*node.operands[1]->operands[0]);
    return {b_.Rsqrt(x.array), x.loops};
  }
  // 1 + exp(-x), or 1 + exp(-2 * x)
  const NestNode* const power = Besides(*node.operands[1], Operator::kAdd, 1);
  if (power == nullptr || !IsCall(*power, "exp")) return {};
  const NestNode& exponent = *power->operands[0];
  LoopArray x;
  if (exponent.kind == Kind::kUnary && exponent.op == Operator::kSubtract) {
    x = ValueOf(*exponent.operands[0]);
  } else if (IsBinary(exponent, Operator::kMultiply) && exponent.operands[0]->is_known() &&
             exponent.operands[0]->scalar.real < 0) {
    x = ValueOf(*exponent.operands[1]);
    x.array = b_.Mul(x.array, Number(lowering_.TypeOf(BaseType::kReal), -exponent.operands[0]->scalar.real));
  } else {
    return {};
  }
  const LoopArray logistic{b_.Logistic(x.array), x.loops};
  if (!has_dividend) return logistic;
  return Together(ValueOf(dividend), logistic, [this](XlaOp a, XlaOp b) { return b_.Mul(a, b); });
}

LoopArray LoopValues::Convert(const NestNode& node) {
  const LoopArray x = ValueOf(*node.operands[0]);
  return {EmitConvert(lowering_.TypeOf(node.type), x.array), x.loops};
}

LoopArray LoopValues::Remap(const NestNode& node) {
  const LoopArray index = ValueOf(*node.operands[0]);
  const LoopArray extent = node.scalar.kind == Scalar::Kind::kSymbolic
                               ? LoopArray{lowering_.Extent(node.scalar), {}}
                               : LoopArray{b_.ConstantLiteral(LiteralUtil::Number(S32, node.scalar.integer)), {}};
  const LoopArray is_below{b_.Lt(index.array, ScalarLike(index.array, 0)), index.loops};
  const LoopArray is_beyond = Together(index, extent, [this](XlaOp x, XlaOp y) { return b_.Ge(x, y); });
  return Choose(is_below, ValueOf(*node.operands[1]), Choose(is_beyond, ValueOf(*node.operands[2]), index));
}

}  // namespace nnef2
}  // namespace xla
