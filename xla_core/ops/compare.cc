// compare: result[i] = lhs[i] direction rhs[i].
//
//   lhs, rhs: T[d0..dn]; result pred[d0..dn]
// The comparison type should suit T: FLOAT or TOTALORDER for floats, SIGNED, UNSIGNED (also for pred), FLOAT for
// complex, which knows EQ and NE only. Another one counts as T's own, but signed integers cannot be compared as
// UNSIGNED, which XLA refuses too, because it might be meant. FLOAT is IEEE's comparison: with NaN, only NE holds.
// TOTALORDER compares the bits, as sign and magnitude: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN. Source:
// StableHLO spec, section `compare`.
#include <complex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/elementwise_kernel.h"
#include "xla_core/ops/elementwise_op.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

struct Equal {
  template <typename T>
  static bool Of(T x, T y) {
    return x == y;
  }
};
struct NotEqual {
  template <typename T>
  static bool Of(T x, T y) {
    return x != y;
  }
};
struct Less {
  template <typename T>
  static bool Of(T x, T y) {
    return x < y;
  }
};
struct LessOrEqual {
  template <typename T>
  static bool Of(T x, T y) {
    return x <= y;
  }
};
// GT and GE: the same with the operands exchanged, which is right for NaN too.
template <typename Relation>
struct Exchanged {
  template <typename T>
  static bool Of(T x, T y) {
    return Relation::Of(y, x);
  }
};

template <typename Relation, typename T>
void CompareLoop(const LoopParameters&, int64_t n, const void* const* inputs, void* result) {
  const T* const x = static_cast<const T*>(inputs[0]);
  const T* const y = static_cast<const T*>(inputs[1]);
  bool* const r = static_cast<bool*>(result);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) r[i] = Relation::Of(x[i], y[i]);
}

// Calls fn with the relation that a direction stands for.
template <typename Fn>
ElementwiseLoop DispatchDirection(ComparisonDirection direction, Fn&& fn) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return fn(Equal());
    case ComparisonDirection::kNe:
      return fn(NotEqual());
    case ComparisonDirection::kLt:
      return fn(Less());
    case ComparisonDirection::kLe:
      return fn(LessOrEqual());
    case ComparisonDirection::kGt:
      return fn(Exchanged<Less>());
    case ComparisonDirection::kGe:
      return fn(Exchanged<LessOrEqual>());
  }
  return nullptr;
}

ElementwiseLoop ValueLoop(PrimitiveType type, ComparisonDirection direction) {
  if (type == PRED) type = U8;
  if (IsNarrowFloatType(type)) type = F32;
  return DispatchNative(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    return DispatchDirection(direction, [](auto relation) -> ElementwiseLoop {
      using Relation = decltype(relation);
      if constexpr (std::is_arithmetic_v<T> || std::is_same_v<Relation, Equal> || std::is_same_v<Relation, NotEqual>) {
        return &CompareLoop<Relation, T>;
      } else {
        return nullptr;  // complex numbers have no order
      }
    });
  });
}

// A signed integer in the order of the float whose bits these are: -1 - magnitude with the sign bit, else the
// magnitude.
template <typename Key, typename Bits>
Key TotalOrderKey(Bits bits, Bits sign_mask) {
  const Bits magnitude = bits & static_cast<Bits>(~sign_mask);
  return (bits & sign_mask) != 0 ? static_cast<Key>(-1 - static_cast<Key>(magnitude)) : static_cast<Key>(magnitude);
}

uint64_t SignMask(PrimitiveType type) {
  if (type == F64) return uint64_t{1} << 63;
  if (type == F32) return uint64_t{1} << 31;
  return TraitsOf(NarrowFormatOf(type)).sign_mask;
}

template <typename Relation, typename Bits>
void TotalOrderLoop(const LoopParameters& parameters, int64_t n, const void* const* inputs, void* result) {
  using Key = std::conditional_t<sizeof(Bits) == 8, int64_t, int32_t>;
  const Bits* const x = static_cast<const Bits*>(inputs[0]);
  const Bits* const y = static_cast<const Bits*>(inputs[1]);
  bool* const r = static_cast<bool*>(result);
  const Bits sign_mask = static_cast<Bits>(SignMask(parameters.from));
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    r[i] = Relation::Of(TotalOrderKey<Key>(x[i], sign_mask), TotalOrderKey<Key>(y[i], sign_mask));
  }
}

ElementwiseLoop TotalLoop(PrimitiveType type, ComparisonDirection direction) {
  return DispatchDirection(direction, [&](auto relation) -> ElementwiseLoop {
    using Relation = decltype(relation);
    switch (ByteWidth(type)) {
      case 1:
        return &TotalOrderLoop<Relation, uint8_t>;
      case 2:
        return &TotalOrderLoop<Relation, uint16_t>;
      case 4:
        return &TotalOrderLoop<Relation, uint32_t>;
      default:
        return &TotalOrderLoop<Relation, uint64_t>;
    }
  });
}

absl::StatusOr<Shape> InferShapeOfCompare(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckOperandClasses(instruction, element_class::kAny));
  RETURN_IF_ERROR(CheckSameElementType(instruction, 0, 1));
  ASSIGN_OR_RETURN(Shape shape,
                   MergeDimensions(instruction.operand(0)->shape(), instruction.operand(1)->shape(), "operands"));
  shape.set_element_type(PRED);
  return shape;
}

void VerifyCompare(const HloInstruction& instruction, Violations& violations) {
  const Shape& lhs = instruction.operand(0)->shape();
  if (!lhs.IsArray()) return;
  const auto& attributes = instruction.attributes<CompareAttributes>();
  const PrimitiveType type = lhs.element_type();
  const ComparisonType expected = DefaultComparisonType(type);
  const bool total_order_of_floats = attributes.type == ComparisonType::kTotalOrder && IsFloat(type);
  const bool is_ambiguous = IsSignedInt(type) && attributes.type == ComparisonType::kUnsigned;
  if (attributes.type != expected && !total_order_of_floats) {
    const auto& names = ComparisonTypeNames().names;
    std::string message = absl::StrCat("comparison type of ", PrimitiveTypeName(type), " operands must be ",
                                       names[static_cast<int>(expected)], IsFloat(type) ? " or TOTALORDER" : "",
                                       ", got ", names[static_cast<int>(attributes.type)]);
    if (is_ambiguous) {
      violations.Add(std::move(message));
    } else {
      violations.Warn(absl::StrCat(message, "; they are compared as ", names[static_cast<int>(expected)]));
    }
  }
  const bool is_equality =
      attributes.direction == ComparisonDirection::kEq || attributes.direction == ComparisonDirection::kNe;
  if (IsComplex(type) && !is_equality) {
    violations.Add(absl::StrCat("complex numbers have no order: direction must be EQ or NE, got ",
                                ComparisonDirectionNames().names[static_cast<int>(attributes.direction)]));
  }
}

}  // namespace

ElementwiseLoop FindCompareLoop(const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes<CompareAttributes>();
  const PrimitiveType type = instruction.operand(0)->shape().element_type();
  if (attributes.type == ComparisonType::kTotalOrder && IsFloat(type)) return TotalLoop(type, attributes.direction);
  return ValueLoop(type, attributes.direction);
}

OpDefinition Define_kCompare() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = 2;
  op.make_attributes = &MakeAttributes<CompareAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfCompare;
  op.verify = &VerifyCompare;
  op.evaluate = &EvaluateElementwise;
  return op;
}

}  // namespace xla
