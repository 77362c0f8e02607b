// What tensors and extents of a region are: arrays and scalars.
#include <algorithm>

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
      return Operator::kDivide;
    case SymbolicOp::kCeilDivide:
      return Operator::kCeilDivide;
    case SymbolicOp::kModulo:
      return Operator::kModulo;
    case SymbolicOp::kMinimum:
      return Operator::kMinimum;
    case SymbolicOp::kMaximum:
      return Operator::kMaximum;
    case SymbolicOp::kLess:
      return Operator::kLess;
    case SymbolicOp::kEqual:
      return Operator::kEqual;
    case SymbolicOp::kPower:
    case SymbolicOp::kSelect:
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
  if (tensor.values.size() == 1) {
    const Scalar& value = tensor.values[0];
    // A dynamic extent is a value, too.
    const XlaOp scalar = value.kind == Scalar::Kind::kSymbolic ? EmitConvert(type, Extent(value))
                                                               : builder_.ConstantLiteral(number(value));
    return bounds.empty() ? scalar : builder_.Broadcast(scalar, bounds);
  }
  if (std::any_of(tensor.values.begin(), tensor.values.end(),
                  [](const Scalar& value) { return value.kind == Scalar::Kind::kSymbolic; })) {
    std::vector<XlaOp> items;
    for (const Scalar& value : tensor.values) items.push_back(builder_.Reshape(EmitConvert(type, Extent(value)), {1}));
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

bool RegionLowering::KnowsExtent(const Scalar& extent) const {
  bool is_known = true;
  if (extent.kind == Scalar::Kind::kSymbolic) {
    ForEachSymbol(extent.symbolic,
                  [&](const Symbolic* symbol) { is_known = is_known && symbols_.count(symbol->id) > 0; });
  }
  return is_known;
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
    const auto value = [&](const Symbolic* part) { return symbols_.at(part->id); };
    XlaOp result;
    if (node.kind == Symbolic::Kind::kSymbol) {
      return builder_.ReportError(
          absl::UnimplementedError(absl::StrCat("the extent '", node.name, "' is not known here when the graph runs")));
    }
    if (node.kind == Symbolic::Kind::kPolynomial) {
      for (const Symbolic::Term& term : node.terms) {
        XlaOp product;
        for (const Symbolic* const factor : term.factors) {
          product = product.valid() ? builder_.Mul(product, value(factor)) : value(factor);
        }
        if (!product.valid()) {
          product = xla::Scalar(&builder_, S32, term.coefficient);
        } else if (term.coefficient != 1) {
          product = builder_.Mul(product, xla::Scalar(&builder_, S32, term.coefficient));
        }
        result = result.valid() ? builder_.Add(result, product) : product;
      }
      if (!result.valid()) result = Zero(&builder_, S32);
    } else if (node.op == SymbolicOp::kSelect) {
      const XlaOp holds = builder_.Ne(value(node.operands[0]), Zero(&builder_, S32));
      result = builder_.Select(holds, value(node.operands[1]), value(node.operands[2]));
    } else {
      result = EmitConvert(S32, EmitBinary(OperatorOf(node.op), value(node.operands[0]), value(node.operands[1])));
    }
    symbols_.emplace(node.id, result);
  }
  return symbols_.at(extent.symbolic->id);
}

}  // namespace nnef2
}  // namespace xla
