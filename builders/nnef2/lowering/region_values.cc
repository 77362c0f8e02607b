// What tensors and extents of a region are: arrays and scalars.
#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/nnef2/lowering/region_lowering.h"
#include "builders/nnef2/lowering/scalar_emission.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace nnef2 {
namespace {

Operator OperatorOf(SymbolicOp op) {
  switch (op) {
    case SymbolicOp::kFloorDivide:
    case SymbolicOp::kRealDivide:
      return Operator::kDivide;
    case SymbolicOp::kCeilDivide:
    case SymbolicOp::kRealCeilDivide:
      return Operator::kCeilDivide;
    case SymbolicOp::kModulo:
    case SymbolicOp::kRealModulo:
      return Operator::kModulo;
    case SymbolicOp::kMinimum:
    case SymbolicOp::kRealMinimum:
      return Operator::kMinimum;
    case SymbolicOp::kMaximum:
    case SymbolicOp::kRealMaximum:
      return Operator::kMaximum;
    case SymbolicOp::kLess:
    case SymbolicOp::kRealLess:
      return Operator::kLess;
    case SymbolicOp::kEqual:
    case SymbolicOp::kRealEqual:
      return Operator::kEqual;
    case SymbolicOp::kRealAdd:
      return Operator::kAdd;
    case SymbolicOp::kRealSubtract:
      return Operator::kSubtract;
    case SymbolicOp::kRealMultiply:
      return Operator::kMultiply;
    case SymbolicOp::kPower:
    case SymbolicOp::kRealPower:
    case SymbolicOp::kSelect:
    case SymbolicOp::kReal:
    case SymbolicOp::kToReal:
    case SymbolicOp::kToInt:
    case SymbolicOp::kRealFunction:
      break;
  }
  return Operator::kPower;
}

// What an expression is computed from.
std::vector<const Symbolic*> PartsOf(const Symbolic& node) {
  std::vector<const Symbolic*> parts = node.operands;
  for (const Symbolic::Term& term : node.terms) parts.insert(parts.end(), term.factors.begin(), term.factors.end());
  return parts;
}

}  // namespace

XlaOp RegionLowering::ConstantOf(const ComposedTensor& tensor) {
  const PrimitiveType type = TypeOf(tensor.element.base);
  std::vector<int64_t> bounds;
  for (const Scalar& extent : tensor.shape) {
    bounds.push_back(extent.kind == Scalar::Kind::kInt ? extent.integer : extent.symbolic->upper);
  }
  const auto number = [&](const Scalar& value) -> absl::StatusOr<Literal> {
    switch (value.kind) {
      case Scalar::Kind::kReal:
        return LiteralUtil::Number(type, value.real);
      case Scalar::Kind::kInt:
        return LiteralUtil::Number(type, value.integer);
      case Scalar::Kind::kBool:
        return Literal::Scalar<bool>(value.integer != 0);
      default:
        return absl::UnimplementedError(
            absl::StrCat("a constant of type ", tensor.element.ToString(), " cannot be run"));
    }
  };
  // A dynamic extent is a value, too.
  const auto emit = [&](const Scalar& value) {
    return value.kind == Scalar::Kind::kSymbolic ? EmitConvert(type, Extent(value))
                                                 : builder_.ConstantLiteral(number(value));
  };
  if (tensor.values.size() == 1) {
    const XlaOp scalar = emit(tensor.values[0]);
    return bounds.empty() ? scalar : builder_.Broadcast(scalar, bounds);
  }
  if (std::any_of(tensor.values.begin(), tensor.values.end(),
                  [](const Scalar& value) { return value.kind == Scalar::Kind::kSymbolic; })) {
    std::vector<XlaOp> items;
    for (const Scalar& value : tensor.values) items.push_back(builder_.Reshape(emit(value), {1}));
    return builder_.Reshape(builder_.ConcatInDim(items, 0), bounds);
  }
  absl::StatusOr<Literal> literal = Literal::Zeros(xla::Shape::Array(type, bounds));
  for (size_t i = 0; literal.ok() && i < tensor.values.size(); ++i) {
    const absl::StatusOr<Literal> item = number(tensor.values[i]);
    if (!item.ok()) {
      literal = item.status();
      break;
    }
    const size_t width = static_cast<size_t>(item->size_bytes());
    std::copy_n(static_cast<const char*>(item->untyped_data()), width,
                static_cast<char*>(literal->untyped_mutable_data()) + i * width);
  }
  return builder_.ConstantLiteral(literal);
}

XlaOp RegionLowering::Array(int number) {
  const auto found = arrays_.find(number);
  if (found != arrays_.end()) return found->second;
  auto pack = packs_.upper_bound(number);
  XlaOp array;
  if (pack != packs_.begin() && number < (--pack)->first + pack->second.size) {
    const std::vector<int64_t> bounds = BoundsOf(number);
    std::vector<int64_t> begin(bounds.size() + 1, 0), end = bounds;
    begin[0] = number - pack->first;
    end.insert(end.begin(), begin[0] + 1);
    array = builder_.Reshape(builder_.Slice(pack->second.array, begin, end), bounds);
  } else if (tensor(number).kind == ComposedTensor::Kind::kConstant) {
    array = ConstantOf(tensor(number));
  } else {
    return builder_.ReportError(
        absl::InternalError(absl::StrCat("tensor '", tensor(number).name, "' is used before it is computed")));
  }
  SetArray(number, array);
  return array;
}

XlaOp RegionLowering::Stacked(const std::vector<int>& numbers) {
  const auto pack = packs_.find(numbers.front());
  bool is_pack = pack != packs_.end() && pack->second.size == static_cast<int64_t>(numbers.size());
  for (size_t i = 1; i < numbers.size() && is_pack; ++i) is_pack = numbers[i] == numbers[0] + static_cast<int>(i);
  if (is_pack) return pack->second.array;
  if (std::any_of(numbers.begin(), numbers.end(), [this](int number) { return assigned_.count(number) > 0; })) {
    std::vector<XlaOp> arrays;
    for (const int number : numbers) arrays.push_back(Array(number));
    return StackArrays(&builder_, arrays);
  }
  const auto inserted = stacked_.emplace(numbers, XlaOp());
  if (!inserted.second) return inserted.first->second;
  std::vector<XlaOp> arrays;
  for (const int number : numbers) arrays.push_back(Array(number));
  return inserted.first->second = StackArrays(&builder_, arrays);
}

bool RegionLowering::KnowsSymbol(int symbol) const {
  if (symbols_.count(symbol) > 0) return true;
  const auto pack = extent_packs_.upper_bound(symbol);
  return pack != extent_packs_.begin() && symbol < std::prev(pack)->first + std::prev(pack)->second.size;
}

bool RegionLowering::KnowsExtent(const Scalar& extent) const {
  bool is_known = true;
  if (extent.kind == Scalar::Kind::kSymbolic) {
    ForEachSymbol(extent.symbolic, [&](const Symbolic* symbol) { is_known = is_known && KnowsSymbol(symbol->id); });
  }
  return is_known;
}

// Of reals in f64, as they are computed while composing.
XlaOp RegionLowering::EmitNode(const Symbolic& node) {
  const auto value = [&](size_t i) { return symbols_.at(node.operands[i]->id); };
  if (node.kind == Symbolic::Kind::kPolynomial) return EmitPolynomial(node);
  switch (node.op) {
    case SymbolicOp::kSelect:
      return builder_.Select(builder_.Ne(value(0), Zero(&builder_, S32)), value(1), value(2));
    case SymbolicOp::kReal:
      return builder_.ConstantR0<double>(node.real);
    case SymbolicOp::kToReal:
      return EmitConvert(F64, value(0));
    case SymbolicOp::kToInt:
      return EmitConvert(S32, value(0));
    case SymbolicOp::kRealFunction:
      return EmitBuiltin(node.function->name, value(0));
    default: {
      const XlaOp result = EmitBinary(OperatorOf(node.op), value(0), value(1));
      return node.is_real ? result : EmitConvert(S32, result);
    }
  }
}

XlaOp RegionLowering::EmitPolynomial(const Symbolic& node) {
  XlaOp result;
  for (const Symbolic::Term& term : node.terms) {
    XlaOp product;
    for (const Symbolic* const factor : term.factors) {
      const XlaOp value = symbols_.at(factor->id);
      product = product.valid() ? builder_.Mul(product, value) : value;
    }
    if (!product.valid()) {
      product = xla::Scalar(&builder_, S32, term.coefficient);
    } else if (term.coefficient != 1) {
      product = builder_.Mul(product, xla::Scalar(&builder_, S32, term.coefficient));
    }
    result = result.valid() ? builder_.Add(result, product) : product;
  }
  return result.valid() ? result : Zero(&builder_, S32);
}

// The item of an extent that each iteration of a loop made; invalid if the symbol is not one.
XlaOp RegionLowering::ExtentOfIteration(int symbol) {
  auto pack = extent_packs_.upper_bound(symbol);
  if (pack == extent_packs_.begin() || symbol >= (--pack)->first + pack->second.size) return XlaOp();
  const int64_t place = symbol - pack->first;
  return builder_.Reshape(builder_.Slice(pack->second.array, {place}, {place + 1}), {});
}

// Expressions may nest deep and share parts: each is computed once, those that it is computed from first.
XlaOp RegionLowering::Extent(const Scalar& extent) {
  if (extent.kind != Scalar::Kind::kSymbolic) return xla::Scalar(&builder_, S32, extent.integer);
  std::vector<const Symbolic*> pending = {extent.symbolic};
  while (!pending.empty()) {
    const Symbolic& node = *pending.back();
    if (symbols_.count(node.id) > 0) {
      pending.pop_back();
      continue;
    }
    const size_t before = pending.size();
    for (const Symbolic* const part : PartsOf(node)) {
      if (symbols_.count(part->id) == 0) pending.push_back(part);
    }
    if (pending.size() > before) continue;
    pending.pop_back();
    const bool is_symbol = node.kind == Symbolic::Kind::kSymbol;
    const XlaOp result = is_symbol ? ExtentOfIteration(node.id) : EmitNode(node);
    if (is_symbol && !result.valid()) {
      return builder_.ReportError(
          absl::UnimplementedError(absl::StrCat("the extent '", node.name, "' is not known here when the graph runs")));
    }
    symbols_.emplace(node.id, result);
  }
  const XlaOp value = symbols_.at(extent.symbolic->id);
  return extent.symbolic->is_real ? EmitConvert(TypeOf(BaseType::kReal), value) : value;
}

}  // namespace nnef2
}  // namespace xla
