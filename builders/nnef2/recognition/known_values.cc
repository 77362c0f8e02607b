#include "builders/nnef2/recognition/known_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "builders/nnef2/evaluation/scalar_operations.h"
#include "builders/nnef2/recognition/affine_index.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = NestNode::Kind;

// More iterations are not looked at one by one.
constexpr int64_t kMaxKnown = int64_t{1} << 17;
// So many nodes of the most iterations take 64 MB.
constexpr size_t kMaxNodes = 64;

Scalar ScalarOf(BaseType type, double value) {
  if (type == BaseType::kReal) return Scalar::Real(value);
  const auto integer = static_cast<int64_t>(value);
  return type == BaseType::kInt ? Scalar::Int(integer) : Scalar::Bool(integer != 0);
}

double NumberOf(const Scalar& scalar) {
  return scalar.kind == Scalar::Kind::kReal ? scalar.real : static_cast<double>(scalar.integer);
}

// Functions of reals whose results are exact, and the same in each element type that holds the operand.
bool IsExact(absl::string_view function) {
  static constexpr absl::string_view kExact[] = {"abs", "sign", "round", "floor", "ceil", "frac"};
  return std::find(std::begin(kExact), std::end(kExact), function) != std::end(kExact);
}

// Operations that are computed exactly in double and rounded then.
bool IsRoundedOnce(const NestNode& node) {
  if (node.operands[0]->type != BaseType::kReal) return true;
  return node.op != Operator::kPower && node.op != Operator::kCeilDivide;
}

// What most nodes are; nullptr: another operation. Products of ints that are not exact do not fit 32 bits either.
double (*PlainOperation(Operator op))(double, double) {
  switch (op) {
    case Operator::kAdd:
      return [](double x, double y) { return x + y; };
    case Operator::kSubtract:
      return [](double x, double y) { return x - y; };
    case Operator::kMultiply:
      return [](double x, double y) { return x * y; };
    case Operator::kMinimum:
      return [](double x, double y) { return std::min(x, y); };
    case Operator::kMaximum:
      return [](double x, double y) { return std::max(x, y); };
    case Operator::kLess:
      return [](double x, double y) { return x < y ? 1.0 : 0.0; };
    case Operator::kGreaterEqual:
      return [](double x, double y) { return x >= y ? 1.0 : 0.0; };
    default:
      return nullptr;
  }
}

}  // namespace

KnownValues::KnownValues(const StatementNest& nest, std::vector<int> loops, PrimitiveType real_type)
    : nest_(nest), loops_(std::move(loops)), real_type_(real_type) {
  for (const int loop : loops_) {
    const bool is_known = IsStatic(nest_.loops[loop]);
    if (count_ >= 0 && is_known && !__builtin_mul_overflow(count_, nest_.loops[loop].bound, &count_) &&
        count_ <= kMaxKnown) {
      continue;
    }
    count_ = -1;
  }
}

int64_t KnownValues::IndexOf(int loop, int64_t iteration) const {
  for (size_t i = loops_.size(); i > 0; --i) {
    const int64_t bound = nest_.loops[loops_[i - 1]].bound;
    if (loops_[i - 1] == loop) return iteration % bound;
    iteration /= bound;
  }
  return 0;
}

const std::vector<double>* KnownValues::ValuesOf(const NestNode& node) {
  const auto known = values_.find(&node);
  if (known != values_.end()) return known->second.get();
  auto values = std::make_unique<Values>(static_cast<size_t>(count_));
  bool is_known = values_.size() < kMaxNodes && Compute(node, values.get());
  for (double& value : *values) is_known = is_known && Round(node.type, &value);
  if (!is_known) values = nullptr;
  return values_.emplace(&node, std::move(values)).first->second.get();
}

bool KnownValues::Round(BaseType type, double* value) const {
  switch (type) {
    case BaseType::kBool:
      return true;
    case BaseType::kInt:
      return *value >= std::numeric_limits<int32_t>::min() && *value <= std::numeric_limits<int32_t>::max();
    case BaseType::kReal:
      if (real_type_ != F64) *value = static_cast<double>(static_cast<float>(*value));
      return std::isfinite(*value);
    default:
      return false;
  }
}

bool KnownValues::Compute(const NestNode& node, Values* values) {
  switch (node.kind) {
    case Kind::kScalar:
      if (!node.is_known()) return false;
      std::fill(values->begin(), values->end(), NumberOf(node.scalar));
      return true;
    case Kind::kLoop:
      if (!Contains(loops_, node.loop)) return RunsOnce(nest_.loops[node.loop]);
      for (int64_t i = 0; i < count_; ++i) (*values)[i] = static_cast<double>(IndexOf(node.loop, i));
      return true;
    case Kind::kUnary:
    case Kind::kBinary:
    case Kind::kBuiltin:
    case Kind::kConvert:
    case Kind::kSelect:
      return ComputeOperation(node, values);
    case Kind::kRemap:
      return ComputeRemap(node, values);
    case Kind::kTable:
      return ComputeTable(node, values);
    case Kind::kLoad:
      return false;
  }
  return false;
}

bool KnownValues::OperandsOf(const NestNode& node, std::vector<const Values*>* operands) {
  for (const NestNode* const operand : node.operands) {
    operands->push_back(ValuesOf(*operand));
    if (operands->back() == nullptr) return false;
  }
  return true;
}

bool KnownValues::ComputeOperation(const NestNode& node, Values* values) {
  const bool is_binary = node.kind == Kind::kBinary;
  if (is_binary && (node.operands[0]->type != node.operands[1]->type || !IsRoundedOnce(node))) return false;
  if (node.kind == Kind::kBuiltin && !IsExact(node.function)) return false;
  std::vector<const Values*> operands;
  if (!OperandsOf(node, &operands)) return false;
  if (const auto operation = is_binary ? PlainOperation(node.op) : nullptr) {
    std::transform(operands[0]->begin(), operands[0]->end(), operands[1]->begin(), values->begin(), operation);
    return true;
  }
  std::vector<double> items(operands.size());
  for (size_t i = 0; i < values->size(); ++i) {
    for (size_t k = 0; k < operands.size(); ++k) items[k] = (*operands[k])[i];
    if (!Apply(node, items, &(*values)[i])) return false;
  }
  return true;
}

bool KnownValues::Apply(const NestNode& node, const std::vector<double>& operands, double* result) {
  if (node.kind == Kind::kSelect) {
    *result = operands[0] != 0 ? operands[1] : operands[2];
    return true;
  }
  const Scalar x = ScalarOf(node.operands[0]->type, operands[0]);
  Scalar found;
  std::string error;
  if (node.kind == Kind::kUnary) {
    if (!ApplyUnary(symbols_, node.op, x, &found, &error)) return false;
  } else if (node.kind == Kind::kBinary) {
    const Scalar y = ScalarOf(node.operands[1]->type, operands[1]);
    if (!ApplyBinary(symbols_, node.op, x, y, &found, &error)) return false;
  } else if (node.kind == Kind::kBuiltin) {
    found = ApplyBuiltin(node.function, x);
  } else {
    found = nnef2::Convert(symbols_, x, node.operands[0]->type, node.type);
  }
  *result = NumberOf(found);
  return found.is_known();
}

bool KnownValues::ComputeRemap(const NestNode& node, Values* values) {
  std::vector<const Values*> operands;
  if (node.scalar.kind != Scalar::Kind::kInt || !OperandsOf(node, &operands)) return false;
  const auto extent = static_cast<double>(node.scalar.integer);
  for (size_t i = 0; i < values->size(); ++i) {
    const double index = (*operands[0])[i];
    (*values)[i] = index < 0 ? (*operands[1])[i] : index >= extent ? (*operands[2])[i] : index;
  }
  return true;
}

bool KnownValues::ComputeTable(const NestNode& node, Values* values) {
  std::vector<const Values*> operands;
  if (!OperandsOf(node, &operands)) return false;
  const auto size = static_cast<int64_t>(operands.size()) - 1;
  for (size_t i = 0; i < values->size(); ++i) {
    auto place = static_cast<int64_t>((*operands[0])[i]);
    if (place < 0) place += size;
    if (place < 0 || place >= size) return false;
    (*values)[i] = (*operands[static_cast<size_t>(place) + 1])[i];
  }
  return true;
}

}  // namespace nnef2
}  // namespace xla
