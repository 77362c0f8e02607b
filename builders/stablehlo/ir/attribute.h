// Attribute: an attribute of MLIR, as far as StableHLO programs have them.
#ifndef BUILDERS_STABLEHLO_IR_ATTRIBUTE_H_
#define BUILDERS_STABLEHLO_IR_ATTRIBUTE_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/stablehlo/ir/ids.h"

namespace xla {
namespace stablehlo {

enum class AttributeKind : uint8_t {
  kUnit,           // a flag: that it is there says all
  kBool,           // integer: 0 or 1
  kInteger,        // type; integer, or words if the type is wider than 64 bits
  kFloat,          // type, real, integer: the bits
  kString,         // text
  kSymbol,         // text; elements: the nested symbols of @a::@b
  kType,           // type
  kArray,          // elements
  kDictionary,     // fields
  kDenseArray,     // type: of the elements; data
  kDenseElements,  // type: a tensor type; data, is_splat
  kResource,       // type: a tensor type; text: the key of the module's resource
  kEnum,           // name, text: `#stablehlo<precision HIGH>` is "stablehlo.precision", "HIGH"
  kStruct,         // name, fields: `#stablehlo.gather<...>` is "stablehlo.gather"
  kOpaque,         // name: the dialect, text: what we do not know of a dialect whose attributes mean nothing to us
};

// An entry of a dictionary, of a struct, or of the attributes of an operation.
struct NamedAttribute {
  absl::string_view name;
  AttributeId value;
};

// Only the fields that `kind` names above have a meaning; the others keep their defaults. Attributes of one module are
// interned: equal attributes have one id, except elements of more than kMaxInternedBytes. The parts of an attribute
// have smaller ids than it. `fields` are sorted by name, and each name occurs once.
//
// `data` has the elements as a Literal has them: row-major, little-endian, one element per ElementBytes (module.h), so
// a byte for each element narrower than one; signed ones are sign-extended, i1 is 0 or 1. If is_splat, one element
// stands for all; a tensor of one element is not a splat.
struct Attribute {
  AttributeKind kind = AttributeKind::kUnit;
  bool is_splat = false;
  TypeId type;
  int64_t integer = 0;  // sign-extended, zero-extended for unsigned types
  double real = 0;
  absl::string_view text;
  absl::string_view name;
  absl::Span<const uint64_t> words;  // the lowest first
  absl::Span<const AttributeId> elements;
  absl::Span<const NamedAttribute> fields;
  absl::string_view data;
};

inline constexpr size_t kMaxInternedBytes = 256;

inline Attribute UnitAttribute() { return {}; }
inline Attribute BoolAttribute(bool value) {
  Attribute attribute;
  attribute.kind = AttributeKind::kBool;
  attribute.integer = value;
  return attribute;
}
inline Attribute IntegerAttribute(TypeId type, int64_t value) {
  Attribute attribute;
  attribute.kind = AttributeKind::kInteger;
  attribute.type = type;
  attribute.integer = value;
  return attribute;
}
// kString and kSymbol.
inline Attribute TextAttribute(AttributeKind kind, absl::string_view text) {
  Attribute attribute;
  attribute.kind = kind;
  attribute.text = text;
  return attribute;
}
inline Attribute TypeAttribute(TypeId type) {
  Attribute attribute;
  attribute.kind = AttributeKind::kType;
  attribute.type = type;
  return attribute;
}
inline Attribute ArrayAttribute(absl::Span<const AttributeId> elements) {
  Attribute attribute;
  attribute.kind = AttributeKind::kArray;
  attribute.elements = elements;
  return attribute;
}
inline Attribute DictionaryAttribute(absl::Span<const NamedAttribute> fields) {
  Attribute attribute;
  attribute.kind = AttributeKind::kDictionary;
  attribute.fields = fields;
  return attribute;
}
inline Attribute DenseArrayAttribute(TypeId element, absl::string_view data) {
  Attribute attribute;
  attribute.kind = AttributeKind::kDenseArray;
  attribute.type = element;
  attribute.data = data;
  return attribute;
}
inline Attribute DenseElementsAttribute(TypeId tensor, absl::string_view data, bool is_splat) {
  Attribute attribute;
  attribute.kind = AttributeKind::kDenseElements;
  attribute.type = tensor;
  attribute.data = data;
  attribute.is_splat = is_splat;
  return attribute;
}
inline Attribute ResourceAttribute(TypeId tensor, absl::string_view key) {
  Attribute attribute;
  attribute.kind = AttributeKind::kResource;
  attribute.type = tensor;
  attribute.text = key;
  return attribute;
}
inline Attribute EnumAttribute(absl::string_view name, absl::string_view value) {
  Attribute attribute;
  attribute.kind = AttributeKind::kEnum;
  attribute.name = name;
  attribute.text = value;
  return attribute;
}
inline Attribute StructAttribute(absl::string_view name, absl::Span<const NamedAttribute> fields) {
  Attribute attribute;
  attribute.kind = AttributeKind::kStruct;
  attribute.name = name;
  attribute.fields = fields;
  return attribute;
}

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_IR_ATTRIBUTE_H_
