#include "builders/nnef2/lowering/node_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/scalar_operations.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kGreatest = std::numeric_limits<int64_t>::max();

bool IsComparisonOrLogic(Operator op) { return op >= Operator::kLess && op <= Operator::kImply; }

struct Bounds {
  int64_t lower = kLeast;
  int64_t upper = kGreatest;
};

Bounds BoundsOf(const NestNode& node) { return {node.lower, node.upper}; }

int64_t Clamped(__int128 value) {
  return value < kLeast ? kLeast : value > kGreatest ? kGreatest : static_cast<int64_t>(value);
}

// A bound that is not known stays so.
__int128 Wide(int64_t bound) {
  constexpr int kFar = 100;
  return bound == kLeast      ? -(static_cast<__int128>(1) << kFar)
         : bound == kGreatest ? static_cast<__int128>(1) << kFar
                              : static_cast<__int128>(bound);
}

Bounds BoundsOfProduct(const Bounds& x, const Bounds& y) {
  // A factor of at most 2^63 and one that is not known make a product that is not known, or 0.
  const auto times = [](int64_t a, int64_t b) -> __int128 {
    if (a == 0 || b == 0) return 0;
    const bool is_open = a == kLeast || a == kGreatest || b == kLeast || b == kGreatest;
    if (is_open) return (a < 0) == (b < 0) ? Wide(kGreatest) : Wide(kLeast);
    return static_cast<__int128>(a) * b;
  };
  const __int128 corners[] = {times(x.lower, y.lower), times(x.lower, y.upper), times(x.upper, y.lower),
                              times(x.upper, y.upper)};
  return {Clamped(*std::min_element(corners, corners + 4)), Clamped(*std::max_element(corners, corners + 4))};
}

int64_t FloorDivide(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0); }

// Of a division by a number that is positive.
Bounds BoundsOfDivision(Operator op, const Bounds& x, int64_t divisor) {
  if (op == Operator::kModulo) {
    // The rest of what lies in one period is known.
    const bool is_identity = x.lower >= 0 && x.upper < divisor;
    return is_identity ? x : Bounds{0, divisor - 1};
  }
  const auto divide = [&](int64_t a) {
    if (a == kLeast || a == kGreatest) return a;
    const int64_t quotient = FloorDivide(a, divisor);
    return op == Operator::kCeilDivide && a % divisor != 0 ? quotient + 1 : quotient;
  };
  return {divide(x.lower), divide(x.upper)};
}

Bounds BoundsOfBinary(Operator op, const NestNode& a, const NestNode& b) {
  const Bounds x = BoundsOf(a), y = BoundsOf(b);
  switch (op) {
    case Operator::kAdd:
      return {Clamped(Wide(x.lower) + Wide(y.lower)), Clamped(Wide(x.upper) + Wide(y.upper))};
    case Operator::kSubtract:
      return {Clamped(Wide(x.lower) - Wide(y.upper)), Clamped(Wide(x.upper) - Wide(y.lower))};
    case Operator::kMultiply:
      return BoundsOfProduct(x, y);
    case Operator::kDivide:
    case Operator::kCeilDivide:
    case Operator::kModulo:
      if (y.lower == y.upper && y.lower > 0) return BoundsOfDivision(op, x, y.lower);
      return {};
    case Operator::kMinimum:
      return {std::min(x.lower, y.lower), std::min(x.upper, y.upper)};
    case Operator::kMaximum:
      return {std::max(x.lower, y.lower), std::max(x.upper, y.upper)};
    default:
      return {};
  }
}

Bounds Union(const Bounds& x, const Bounds& y) { return {std::min(x.lower, y.lower), std::max(x.upper, y.upper)}; }

// Whether an int can be nothing else.
bool IsZero(const NestNode& node) { return node.type == BaseType::kInt && node.lower == 0 && node.upper == 0; }

// x op y where that is x or y, or 0.
const NestNode* Simplified(Operator op, const NestNode* x, const NestNode* y) {
  const auto is = [](const NestNode* node, int64_t value) {
    return node->is_known() && node->scalar.kind != Scalar::Kind::kReal && node->scalar.integer == value;
  };
  switch (op) {
    case Operator::kAdd:
      return is(x, 0) ? y : is(y, 0) ? x : nullptr;
    case Operator::kSubtract:
      return is(y, 0) ? x : nullptr;
    case Operator::kMultiply:
      if (is(x, 1) || is(y, 0)) return y;
      if (is(y, 1) || is(x, 0)) return x;
      // The index of a single group, times an extent that varies.
      if (IsZero(*x) && !y->is_known()) return x;
      return IsZero(*y) && !x->is_known() ? y : nullptr;
    case Operator::kDivide:
    case Operator::kCeilDivide:
      return is(y, 1) ? x : nullptr;
    case Operator::kMinimum:
    case Operator::kMaximum:
      if (x == y) return x;
      if (x->type != BaseType::kInt) return nullptr;
      if (x->upper <= y->lower) return op == Operator::kMinimum ? x : y;
      if (y->upper <= x->lower) return op == Operator::kMinimum ? y : x;
      return nullptr;
    case Operator::kModulo:
      if (y->is_known() && x->lower >= 0 && x->type == BaseType::kInt && x->upper < y->scalar.integer) return x;
      return nullptr;
    case Operator::kAnd:
      return is(x, 0) || is(y, 1) ? x : is(y, 0) || is(x, 1) ? y : nullptr;
    case Operator::kOr:
      return is(x, 1) || is(y, 0) ? x : is(y, 1) || is(x, 0) ? y : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

int64_t LowerBound(const Scalar& extent) {
  return extent.kind == Scalar::Kind::kSymbolic ? extent.symbolic->lower : extent.integer;
}

int64_t UpperBound(const Scalar& extent) {
  return extent.kind == Scalar::Kind::kSymbolic ? extent.symbolic->upper : extent.integer;
}

const NestNode* NodeBuilder::Add(NestNode node, std::string* error) {
  const NestNode* const added = nodes_.Add(std::move(node));
  if (added->depth <= kMaxNestDepth) return added;
  *error = absl::StrCat("an expression with its local values is nested more than ", kMaxNestDepth, " deep");
  return nullptr;
}

const NestNode* NodeBuilder::Known(const Scalar& scalar, BaseType type) {
  NestNode node;
  node.kind = NestNode::Kind::kScalar;
  node.type = type;
  node.scalar = scalar;
  node.lower = type == BaseType::kInt ? LowerBound(scalar) : kLeast;
  node.upper = type == BaseType::kInt ? UpperBound(scalar) : kGreatest;
  return nodes_.Add(std::move(node));
}

const NestNode* NodeBuilder::Loop(int loop, int64_t bound) {
  NestNode node;
  node.kind = NestNode::Kind::kLoop;
  node.type = BaseType::kInt;
  node.loop = loop;
  node.lower = 0;
  node.upper = bound - 1;
  return nodes_.Add(std::move(node));
}

const NestNode* NodeBuilder::Unary(Operator op, const NestNode* x, std::string* error) {
  if (op == Operator::kAdd) return x;
  if (x->kind == NestNode::Kind::kScalar) {
    Scalar result;
    if (!ApplyUnary(symbols_, op, x->scalar, &result, error)) return nullptr;
    if (result.kind != Scalar::Kind::kUnknown) return Known(result, x->type);
  }
  NestNode node;
  node.kind = NestNode::Kind::kUnary;
  node.type = x->type;
  node.op = op;
  node.operands = {x};
  node.lower = Clamped(-Wide(x->upper));
  node.upper = Clamped(-Wide(x->lower));
  return Add(std::move(node), error);
}

const NestNode* NodeBuilder::Binary(Operator op, const NestNode* x, const NestNode* y, std::string* error) {
  const BaseType type = IsComparisonOrLogic(op) ? BaseType::kBool : x->type;
  if (x->kind == NestNode::Kind::kScalar && y->kind == NestNode::Kind::kScalar) {
    Scalar result;
    if (!ApplyBinary(symbols_, op, x->scalar, y->scalar, &result, error)) return nullptr;
    if (result.kind != Scalar::Kind::kUnknown) return Known(result, type);
  }
  if (const NestNode* const simple = x->type == BaseType::kReal ? nullptr : Simplified(op, x, y)) return simple;
  const bool divides = op == Operator::kDivide || op == Operator::kCeilDivide || op == Operator::kModulo;
  if (divides && x->type == BaseType::kInt && y->is_known() && y->scalar.integer == 0) {
    *error = "division by zero";
    return nullptr;
  }
  NestNode node;
  node.kind = NestNode::Kind::kBinary;
  node.type = type;
  node.op = op;
  node.operands = {x, y};
  const Bounds bounds = type == BaseType::kInt ? BoundsOfBinary(op, *x, *y) : Bounds();
  node.lower = bounds.lower;
  node.upper = bounds.upper;
  return Add(std::move(node), error);
}

const NestNode* NodeBuilder::Builtin(absl::string_view function, const NestNode* x, std::string* error) {
  if (x->is_known()) {
    const Scalar result = ApplyBuiltin(symbols_, function, x->scalar);
    if (result.kind != Scalar::Kind::kUnknown) return Known(result, x->type);
  }
  NestNode node;
  node.kind = NestNode::Kind::kBuiltin;
  node.type = x->type;
  node.function = function;
  node.operands = {x};
  node.lower = kLeast;
  node.upper = kGreatest;
  return Add(std::move(node), error);
}

const NestNode* NodeBuilder::Convert(BaseType type, const NestNode* x, std::string* error) {
  if (x->type == type) return x;
  if (x->kind == NestNode::Kind::kScalar) {
    const Scalar result = nnef2::Convert(symbols_, x->scalar, x->type, type);
    if (result.kind != Scalar::Kind::kUnknown) return Known(result, type);
  }
  NestNode node;
  node.kind = NestNode::Kind::kConvert;
  node.type = type;
  node.operands = {x};
  node.lower = x->type == BaseType::kBool ? 0 : kLeast;
  node.upper = x->type == BaseType::kBool ? 1 : kGreatest;
  return Add(std::move(node), error);
}

const NestNode* NodeBuilder::Select(const NestNode* condition, const NestNode* x, const NestNode* y,
                                    std::string* error) {
  if (condition->is_known()) return condition->scalar.integer != 0 ? x : y;
  if (x == y) return x;
  NestNode node;
  node.kind = NestNode::Kind::kSelect;
  node.type = x->type;
  node.operands = {condition, x, y};
  const Bounds bounds = Union(BoundsOf(*x), BoundsOf(*y));
  node.lower = bounds.lower;
  node.upper = bounds.upper;
  return Add(std::move(node), error);
}

const NestNode* NodeBuilder::Remap(const NestNode* index, const NestNode* below, const NestNode* beyond,
                                   const Scalar& extent, std::string* error) {
  if (index->lower >= 0 && index->upper < LowerBound(extent)) return index;
  if (index->upper < 0) return below;
  if (index->lower >= UpperBound(extent)) return beyond;
  NestNode node;
  node.kind = NestNode::Kind::kRemap;
  node.type = BaseType::kInt;
  node.scalar = extent;
  node.operands = {index, below, beyond};
  Bounds bounds{std::max<int64_t>(index->lower, 0), std::min(index->upper, UpperBound(extent) - 1)};
  if (index->lower < 0) bounds = Union(bounds, BoundsOf(*below));
  if (index->upper >= LowerBound(extent)) bounds = Union(bounds, BoundsOf(*beyond));
  node.lower = bounds.lower;
  node.upper = bounds.upper;
  return Add(std::move(node), error);
}

const NestNode* NodeBuilder::Table(const std::vector<const NestNode*>& items, const NestNode* index,
                                   std::string* error) {
  const int64_t size = static_cast<int64_t>(items.size());
  if (size == 0 || index->upper < -size || index->lower >= size) {
    *error = absl::StrCat("an index of a pack is out of range: the pack has ", size, size == 1 ? " item" : " items");
    return nullptr;
  }
  if (index->is_known()) return items[index->scalar.integer < 0 ? index->scalar.integer + size : index->scalar.integer];
  const bool is_uniform = std::all_of(items.begin(), items.end(), [&](const NestNode* x) { return x == items[0]; });
  if (is_uniform) return items[0];
  NestNode node;
  node.kind = NestNode::Kind::kTable;
  node.type = items[0]->type;
  node.operands = {index};
  node.operands.insert(node.operands.end(), items.begin(), items.end());
  Bounds bounds = BoundsOf(*items[0]);
  for (const NestNode* const item : items) bounds = Union(bounds, BoundsOf(*item));
  node.lower = bounds.lower;
  node.upper = bounds.upper;
  return Add(std::move(node), error);
}

const NestNode* NodeBuilder::Load(BaseType type, const std::vector<int>& tensors, const NestNode* item,
                                  std::vector<const NestNode*> indices, bool reads_output, std::string* error) {
  NestNode node;
  node.kind = NestNode::Kind::kLoad;
  node.type = type;
  node.tensors = tensors;
  node.item = item;
  node.operands = std::move(indices);
  node.reads_output = reads_output;
  node.lower = type == BaseType::kInt ? std::numeric_limits<int32_t>::min() : kLeast;
  node.upper = type == BaseType::kInt ? std::numeric_limits<int32_t>::max() : kGreatest;
  return Add(std::move(node), error);
}

}  // namespace nnef2
}  // namespace xla
