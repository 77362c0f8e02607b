#include "builders/nnef2/lowering/scalar_emission.h"

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/scalar_computations.h"

namespace xla {
namespace nnef2 {
namespace {

PrimitiveType TypeOf(XlaOp x) { return x.builder()->ShapeOrInvalid(x).element_type(); }

bool IsReal(PrimitiveType type) { return type != S32 && type != PRED; }

// Quotients of ints that do not come out even, and have signs that differ or not.
XlaOp IsUneven(XlaOp x, XlaOp y, bool signs_differ) {
  ComputationBuilder& b = *x.builder();
  const XlaOp remainder = b.Rem(x, y);
  const XlaOp differ = b.Ne(b.Lt(remainder, ScalarLike(x, 0)), b.Lt(y, ScalarLike(y, 0)));
  return b.And(b.Ne(remainder, ScalarLike(x, 0)), signs_differ ? differ : b.Not(differ));
}

XlaOp EmitDivision(Operator op, XlaOp x, XlaOp y) {
  ComputationBuilder& b = *x.builder();
  if (IsReal(TypeOf(x))) {
    return op == Operator::kModulo ? b.Rem(x, y) : op == Operator::kDivide ? b.Div(x, y) : b.Ceil(b.Div(x, y));
  }
  if (op == Operator::kModulo) {
    const XlaOp correction = EmitConvert(S32, IsUneven(x, y, /*signs_differ=*/true));
    return b.Add(b.Rem(x, y), b.Mul(correction, y));
  }
  const bool rounds_down = op == Operator::kDivide;
  const XlaOp correction = EmitConvert(S32, IsUneven(x, y, rounds_down));
  return rounds_down ? b.Sub(b.Div(x, y), correction) : b.Add(b.Div(x, y), correction);
}

// The type in which two values of different types are compared.
PrimitiveType WiderType(PrimitiveType x, PrimitiveType y) { return IsReal(x) ? x : IsReal(y) ? y : S32; }

}  // namespace

XlaOp EmitBinary(Operator op, XlaOp x, XlaOp y) {
  if (!x.valid() || !y.valid()) return XlaOp();
  ComputationBuilder& b = *x.builder();
  if (op >= Operator::kLess && op <= Operator::kNotEqual && TypeOf(x) != TypeOf(y)) {
    const PrimitiveType type = WiderType(TypeOf(x), TypeOf(y));
    x = EmitConvert(type, x);
    y = EmitConvert(type, y);
  }
  switch (op) {
    case Operator::kPower:
      return b.Pow(x, y);
    case Operator::kMultiply:
      return b.Mul(x, y);
    case Operator::kDivide:
    case Operator::kCeilDivide:
    case Operator::kModulo:
      return EmitDivision(op, x, y);
    case Operator::kAdd:
      return b.Add(x, y);
    case Operator::kSubtract:
      return b.Sub(x, y);
    case Operator::kMinimum:
      return b.Min(x, y);
    case Operator::kMaximum:
      return b.Max(x, y);
    case Operator::kLess:
      return b.Lt(x, y);
    case Operator::kLessEqual:
      return b.Le(x, y);
    case Operator::kGreater:
      return b.Gt(x, y);
    case Operator::kGreaterEqual:
      return b.Ge(x, y);
    case Operator::kEqual:
      return b.Eq(x, y);
    case Operator::kNotEqual:
      return b.Ne(x, y);
    case Operator::kAnd:
      return b.And(x, y);
    case Operator::kOr:
      return b.Or(x, y);
    case Operator::kXor:
      return b.Xor(x, y);
    case Operator::kImply:
      return b.Or(b.Not(x), y);
    case Operator::kUniform:
    case Operator::kIs:
    case Operator::kIn:
    case Operator::kNot:
    case Operator::kIsGiven:
      break;
  }
  return b.ReportError(absl::InternalError(absl::StrCat("operator ", OperatorSymbol(op), " is not one of values")));
}

XlaOp EmitUnary(Operator op, XlaOp x) {
  if (!x.valid()) return x;
  return op == Operator::kNot ? x.builder()->Not(x) : x.builder()->Neg(x);
}

XlaOp EmitBuiltin(absl::string_view function, XlaOp x) {
  if (!x.valid()) return x;
  using Unary = XlaOp (ComputationBuilder::*)(XlaOp, SourceLocation);
  struct Row {
    absl::string_view name;
    Unary function;
  };
  static constexpr Row kRows[] = {
      {"abs", &ComputationBuilder::Abs},     {"sign", &ComputationBuilder::Sign},
      {"sqrt", &ComputationBuilder::Sqrt},   {"exp", &ComputationBuilder::Exp},
      {"log", &ComputationBuilder::Log},     {"sin", &ComputationBuilder::Sin},
      {"cos", &ComputationBuilder::Cos},     {"tan", &ComputationBuilder::Tan},
      {"asin", &ComputationBuilder::Asin},   {"acos", &ComputationBuilder::Acos},
      {"atan", &ComputationBuilder::Atan},   {"sinh", &ComputationBuilder::Sinh},
      {"cosh", &ComputationBuilder::Cosh},   {"tanh", &ComputationBuilder::Tanh},
      {"asinh", &ComputationBuilder::Asinh}, {"acosh", &ComputationBuilder::Acosh},
      {"atanh", &ComputationBuilder::Atanh}, {"erf", &ComputationBuilder::Erf},
      {"round", &ComputationBuilder::Round}, {"floor", &ComputationBuilder::Floor},
      {"ceil", &ComputationBuilder::Ceil},
  };
  ComputationBuilder& b = *x.builder();
  if (function == "frac") {
    const XlaOp whole = b.Select(b.Lt(x, ZerosLike(x)), b.Ceil(x), b.Floor(x));
    return b.Sub(x, whole);
  }
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.name == function; });
  if (row == std::end(kRows)) {
    return b.ReportError(absl::InternalError(absl::StrCat("there is no function '", function, "'")));
  }
  return (b.*row->function)(x, SourceLocation::Current());
}

XlaOp EmitConvert(PrimitiveType type, XlaOp x) {
  if (!x.valid() || TypeOf(x) == type) return x;
  return x.builder()->ConvertElementType(x, type);
}

XlaOp NeutralElement(ComputationBuilder* builder, Operator op, PrimitiveType type) {
  switch (op) {
    case Operator::kMultiply:
    case Operator::kAnd:
      return One(builder, type);
    case Operator::kMinimum:
      return MaxValue(builder, type);
    case Operator::kMaximum:
      return MinValue(builder, type);
    default:
      return Zero(builder, type);
  }
}

XlaComputation CombinerOf(Operator op, PrimitiveType type) {
  switch (op) {
    case Operator::kMultiply:
      return CreateScalarMultiplyComputation(type);
    case Operator::kAnd:
      return CreateScalarAndComputation(type);
    case Operator::kOr:
      return CreateScalarOrComputation(type);
    case Operator::kMinimum:
      return CreateScalarMinComputation(type);
    case Operator::kMaximum:
      return CreateScalarMaxComputation(type);
    default:
      return CreateScalarAddComputation(type);
  }
}

XlaOp StackArrays(ComputationBuilder* builder, const std::vector<XlaOp>& arrays) {
  std::vector<int64_t> greatest;
  for (const XlaOp array : arrays) {
    if (!array.valid()) return array;
    const xla::Shape shape = builder->ShapeOrInvalid(array);
    greatest.resize(shape.dimensions().size(), 0);
    for (size_t d = 0; d < greatest.size(); ++d) greatest[d] = std::max(greatest[d], shape.dimensions()[d]);
  }
  std::vector<int64_t> one = greatest;
  one.insert(one.begin(), 1);
  std::vector<XlaOp> padded;
  for (XlaOp array : arrays) {
    const xla::Shape shape = builder->ShapeOrInvalid(array);
    for (size_t d = 0; d < greatest.size(); ++d) {
      const int64_t missing = greatest[d] - shape.dimensions()[d];
      if (missing > 0) {
        array = builder->PadInDim(array, Zero(builder, shape.element_type()), static_cast<int64_t>(d), 0, missing);
      }
    }
    padded.push_back(builder->Reshape(array, one));
  }
  return padded.size() == 1 ? padded[0] : builder->ConcatInDim(padded, 0);
}

}  // namespace nnef2
}  // namespace xla
