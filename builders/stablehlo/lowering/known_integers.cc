#include "builders/stablehlo/lowering/known_integers.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/lowering/attribute_reader.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace stablehlo {
namespace {

// Shapes have no more dimensions; what is larger is data.
constexpr size_t kMostIntegers = 1024;
// Programs compute shapes in a few steps.
constexpr int kDeepestFold = 200;

using Integers = absl::optional<DimensionVector>;

// `value` as the element type stores it.
int64_t Wrapped(int64_t value, PrimitiveType type) {
  if (type == PRED) return value != 0;
  const int bits = BitWidth(type);
  if (bits >= 64) return value;
  const uint64_t low = static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1);
  const bool is_negative = IsSignedInt(type) && ((low >> (bits - 1)) & 1) != 0;
  return static_cast<int64_t>(is_negative ? low | ~((uint64_t{1} << bits) - 1) : low);
}

Integers Binary(absl::string_view name, int64_t a, int64_t b) {
  int64_t result;
  if (name == "stablehlo.add") {
    if (!CheckedAdd(a, b, &result)) return absl::nullopt;
  } else if (name == "stablehlo.subtract") {
    if (__builtin_sub_overflow(a, b, &result)) return absl::nullopt;
  } else if (name == "stablehlo.multiply") {
    if (__builtin_mul_overflow(a, b, &result)) return absl::nullopt;
  } else if (name == "stablehlo.divide" || name == "stablehlo.remainder") {
    if (b == 0 || (b == -1 && a == std::numeric_limits<int64_t>::min())) return absl::nullopt;
    result = name == "stablehlo.divide" ? a / b : a % b;
  } else if (name == "stablehlo.maximum") {
    result = std::max(a, b);
  } else if (name == "stablehlo.minimum") {
    result = std::min(a, b);
  } else if (name == "stablehlo.and") {
    result = a & b;
  } else if (name == "stablehlo.or") {
    result = a | b;
  } else {
    return absl::nullopt;
  }
  return DimensionVector{result};
}

Integers Compared(absl::string_view direction, int64_t a, int64_t b) {
  bool holds;
  if (direction == "EQ") {
    holds = a == b;
  } else if (direction == "NE") {
    holds = a != b;
  } else if (direction == "GE") {
    holds = a >= b;
  } else if (direction == "GT") {
    holds = a > b;
  } else if (direction == "LE") {
    holds = a <= b;
  } else {
    holds = a < b;
  }
  return DimensionVector{holds};
}

// Each value is looked at once in its computation.
class Folder {
 public:
  explicit Folder(ComputationLowering& scope) : scope_(scope), module_(scope.module()) {}

  Integers Fold(ValueId value, int depth) {
    if (const Integers* const known = scope_.FindKnownIntegers(value)) return *known;
    Integers result = FoldNew(value, depth);
    if (result.has_value() && result->size() > kMostIntegers) result.reset();
    scope_.SetKnownIntegers(value, result);
    return result;
  }

 private:
  Integers FoldNew(ValueId value, int depth) {
    const OperationId id = module_.value(value).operation;
    if (!id.ok() || depth > kDeepestFold || module_.value(value).index != 0) return absl::nullopt;
    const absl::StatusOr<Shape>& type = scope_.program().shapes().Of(module_.value(value).type);
    if (!type.ok() || (type->element_type() != PRED && !IsInt(type->element_type()))) return absl::nullopt;
    const Operation& operation = module_.operation(id);
    const AttributeReader attributes(module_, operation.attributes);
    if (operation.name == "stablehlo.constant") return FoldConstant(operation);
    if (operation.name == "stablehlo.get_dimension_size") return FoldSize(operation, attributes);
    if (operation.name == "stablehlo.iota") return FoldIota(*type, attributes);
    std::vector<DimensionVector> operands;
    for (const ValueId operand : operation.operands) {
      Integers integers = Fold(operand, depth + 1);
      if (!integers.has_value()) return absl::nullopt;
      operands.push_back(*std::move(integers));
    }
    return FoldOperation(operation, attributes, *type, operands);
  }

  Integers FoldConstant(const Operation& operation) const {
    const absl::optional<std::vector<int64_t>> list = IntegerList(module_, operation.attribute("value"));
    if (!list.has_value()) return absl::nullopt;
    return DimensionVector(list->begin(), list->end());
  }

  // Of a dimension that is static, where it has been lowered.
  Integers FoldSize(const Operation& operation, const AttributeReader& attributes) const {
    const Shape shape = scope_.ShapeOf(operation.operands[0]);
    const absl::StatusOr<int64_t> dimension = attributes.Int("dimension");
    if (!dimension.ok() || *dimension < 0 || *dimension >= shape.rank()) return absl::nullopt;
    if (shape.is_dynamic_dimension(static_cast<int>(*dimension))) return absl::nullopt;
    return DimensionVector{shape.dimension(static_cast<int>(*dimension))};
  }

  static Integers FoldIota(const Shape& type, const AttributeReader& attributes) {
    if (type.rank() != 1 || type.IsDynamic() || type.dimension(0) > static_cast<int64_t>(kMostIntegers)) {
      return absl::nullopt;
    }
    DimensionVector values(type.dimension(0));
    std::iota(values.begin(), values.end(), 0);
    return values;
  }

  Integers FoldOperation(const Operation& operation, const AttributeReader& attributes, const Shape& type,
                         const std::vector<DimensionVector>& operands) const {
    const absl::string_view name = operation.name;
    if (operands.empty()) return absl::nullopt;
    if (name == "stablehlo.reshape" || name == "stablehlo.dynamic_reshape" ||
        name == "builtin.unrealized_conversion_cast") {
      return operands[0];
    }
    if (name == "stablehlo.convert") {
      DimensionVector values = operands[0];
      for (int64_t& value : values) value = Wrapped(value, type.element_type());
      return values;
    }
    if (name == "stablehlo.concatenate") return type.rank() == 1 ? FoldConcatenate(operands) : absl::nullopt;
    if (name == "stablehlo.slice") return FoldSlice(operation, attributes, operands[0]);
    if (name == "stablehlo.broadcast_in_dim") {
      if (operands[0].size() != 1 || type.IsDynamic() || type.ElementCount() > static_cast<int64_t>(kMostIntegers)) {
        return absl::nullopt;
      }
      return DimensionVector(type.ElementCount(), operands[0][0]);
    }
    return FoldElements(name, attributes, type.element_type(), operands);
  }

  static Integers FoldConcatenate(const std::vector<DimensionVector>& operands) {
    DimensionVector all;
    for (const DimensionVector& operand : operands) {
      all.insert(all.end(), operand.begin(), operand.end());
      if (all.size() > kMostIntegers) return absl::nullopt;
    }
    return all;
  }

  static Integers FoldSlice(const Operation&, const AttributeReader& attributes, const DimensionVector& operand) {
    const absl::StatusOr<DimensionVector> start = attributes.Ints("start_indices");
    const absl::StatusOr<DimensionVector> limit = attributes.Ints("limit_indices");
    const absl::StatusOr<DimensionVector> stride = attributes.IntsOr("strides", {1});
    if (!start.ok() || !limit.ok() || !stride.ok()) return absl::nullopt;
    if (start->size() != 1 || limit->size() != 1 || stride->size() != 1) return absl::nullopt;
    const int64_t size = static_cast<int64_t>(operand.size());
    if ((*start)[0] < 0 || (*limit)[0] > size || (*stride)[0] < 1) return absl::nullopt;
    DimensionVector values;
    for (int64_t i = (*start)[0]; i < (*limit)[0]; i += std::min((*stride)[0], size)) values.push_back(operand[i]);
    return values;
  }

  static Integers FoldElements(absl::string_view name, const AttributeReader& attributes, PrimitiveType type,
                               const std::vector<DimensionVector>& operands) {
    const size_t count = operands.back().size();
    for (const DimensionVector& operand : operands) {
      if (operand.size() != count && operand.size() != 1) return absl::nullopt;
    }
    const auto at = [&](size_t k, size_t i) { return operands[k].size() == 1 ? operands[k][0] : operands[k][i]; };
    const absl::StatusOr<std::string> direction = attributes.WordOr("comparison_direction", "");
    DimensionVector values;
    for (size_t i = 0; i < count; ++i) {
      Integers value;
      if (name == "stablehlo.select" && operands.size() == 3) {
        value = DimensionVector{at(0, i) != 0 ? at(1, i) : at(2, i)};
      } else if (name == "stablehlo.clamp" && operands.size() == 3) {
        value = DimensionVector{std::min(std::max(at(1, i), at(0, i)), at(2, i))};
      } else if (name == "stablehlo.compare" && operands.size() == 2 && direction.ok()) {
        value = Compared(*direction, at(0, i), at(1, i));
      } else if (operands.size() == 2) {
        value = Binary(name, at(0, i), at(1, i));
      }
      if (!value.has_value()) return absl::nullopt;
      values.push_back(Wrapped((*value)[0], type));
    }
    return values;
  }

  ComputationLowering& scope_;
  const Module& module_;
};

}  // namespace

absl::optional<DimensionVector> KnownIntegers(ComputationLowering& scope, ValueId value) {
  return Folder(scope).Fold(value, 0);
}

}  // namespace stablehlo
}  // namespace xla
