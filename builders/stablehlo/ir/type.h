// Type: a type of MLIR, as far as StableHLO programs have them.
#ifndef BUILDERS_STABLEHLO_IR_TYPE_H_
#define BUILDERS_STABLEHLO_IR_TYPE_H_

#include <cstdint>
#include <limits>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/stablehlo/ir/float_kind.h"
#include "builders/stablehlo/ir/ids.h"

namespace xla {
namespace stablehlo {

// A dimension whose size the type does not say ("?").
inline constexpr int64_t kDynamic = std::numeric_limits<int64_t>::min();

enum class TypeKind : uint8_t {
  kInteger,         // width, signedness
  kIndex,           //
  kFloat,           // float_kind
  kComplex,         // element
  kTensor,          // dimensions, element, encoding
  kUnrankedTensor,  // element
  kMemRef,          // dimensions, element
  kQuantized,       // quantization, element: the expressed type
  kTuple,           // types
  kFunction,        // types (of arguments), results
  kFuture,          // types
  kToken,
  kNone,
  kWitness,
};

enum class Signedness : uint8_t {
  kSignless,  // i32, which HLO has as s32; i1 is pred
  kSigned,    // si32
  kUnsigned,  // ui32
};

// How numbers are stored in integers: number = (integer - zero point) * scale.
struct Quantization {
  TypeId storage;           // a signless integer type
  bool is_signed = true;    // how its bits are read: i8 or u8 in the text
  int64_t storage_min = 0;  // always given, also where the text leaves them out
  int64_t storage_max = 0;
  int32_t axis = -1;  // the dimension that has a scale for each index; -1: one for all
  absl::Span<const double> scales;
  absl::Span<const int64_t> zero_points;  // as many as there are scales
};

// Only the fields that `kind` names above have a meaning; the others keep their defaults. Types of one module are
// interned: equal types have one id. The parts of a type have smaller ids than the type.
struct Type {
  TypeKind kind = TypeKind::kNone;
  Signedness signedness = Signedness::kSignless;
  FloatKind float_kind = FloatKind::kF32;
  uint32_t width = 0;
  TypeId element;
  AttributeId encoding;                  // not ok(): none; else a struct "stablehlo.bounds" or any other attribute
  absl::Span<const int64_t> dimensions;  // kDynamic where unknown
  absl::Span<const TypeId> types;
  absl::Span<const TypeId> results;
  const Quantization* quantization = nullptr;
};

inline Type IntegerType(uint32_t width, Signedness signedness = Signedness::kSignless) {
  Type type;
  type.kind = TypeKind::kInteger;
  type.width = width;
  type.signedness = signedness;
  return type;
}
inline Type FloatType(FloatKind kind) {
  Type type;
  type.kind = TypeKind::kFloat;
  type.float_kind = kind;
  return type;
}
// Types without fields: kIndex, kToken, kNone, kWitness.
inline Type SimpleType(TypeKind kind) {
  Type type;
  type.kind = kind;
  return type;
}
inline Type ComplexType(TypeId element) {
  Type type;
  type.kind = TypeKind::kComplex;
  type.element = element;
  return type;
}
inline Type TensorType(absl::Span<const int64_t> dimensions, TypeId element, AttributeId encoding = {}) {
  Type type;
  type.kind = TypeKind::kTensor;
  type.dimensions = dimensions;
  type.element = element;
  type.encoding = encoding;
  return type;
}
// kTuple and kFuture.
inline Type ListType(TypeKind kind, absl::Span<const TypeId> types) {
  Type type;
  type.kind = kind;
  type.types = types;
  return type;
}
inline Type FunctionType(absl::Span<const TypeId> arguments, absl::Span<const TypeId> results) {
  Type type;
  type.kind = TypeKind::kFunction;
  type.types = arguments;
  type.results = results;
  return type;
}

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_IR_TYPE_H_
