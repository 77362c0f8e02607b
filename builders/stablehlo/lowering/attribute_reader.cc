#include "builders/stablehlo/lowering/attribute_reader.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status WrongKind(absl::string_view name, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("the attribute '", name, "' must be ", expected));
}

}  // namespace

AttributeId AttributeReader::FindId(absl::string_view name) const {
  // Sorted by name.
  const auto it = std::lower_bound(
      attributes_.begin(), attributes_.end(), name,
      [](const NamedAttribute& attribute, absl::string_view wanted) { return attribute.name < wanted; });
  return it == attributes_.end() || it->name != name ? AttributeId() : it->value;
}

const Attribute* AttributeReader::Find(absl::string_view name) const {
  const AttributeId id = FindId(name);
  return id.ok() ? &module_->attribute(id) : nullptr;
}

absl::StatusOr<const Attribute*> AttributeReader::Required(absl::string_view name) const {
  const Attribute* const attribute = Find(name);
  if (attribute != nullptr) return attribute;
  return absl::InvalidArgumentError(absl::StrCat("requires attribute '", name, "'"));
}

absl::StatusOr<int64_t> AttributeReader::IntOfWidth(absl::string_view name, uint32_t width) const {
  ASSIGN_OR_RETURN(const Attribute* const attribute, Required(name));
  if (attribute->kind != AttributeKind::kInteger || !attribute->words.empty()) return WrongKind(name, "an integer");
  const Type& type = module_->type(attribute->type);
  const bool fits = width == kAnyWidth || (type.kind == TypeKind::kInteger && type.width == width &&
                                           type.signedness == Signedness::kSignless);
  if (!fits) return WrongKind(name, absl::StrCat("an integer of type i", width));
  return attribute->integer;
}

absl::StatusOr<int64_t> AttributeReader::IntOr(absl::string_view name, int64_t otherwise) const {
  return Has(name) ? Int(name) : otherwise;
}

absl::StatusOr<int64_t> AttributeReader::Int32Or(absl::string_view name, int64_t otherwise) const {
  return Has(name) ? Int32(name) : otherwise;
}

absl::StatusOr<int64_t> AttributeReader::AnyIntOr(absl::string_view name, int64_t otherwise) const {
  return Has(name) ? AnyInt(name) : otherwise;
}

absl::StatusOr<float> AttributeReader::Float32(absl::string_view name) const {
  ASSIGN_OR_RETURN(const Attribute* const attribute, Required(name));
  const Type* const type = attribute->type.ok() ? &module_->type(attribute->type) : nullptr;
  const bool is_f32 = attribute->kind == AttributeKind::kFloat && type != nullptr && type->kind == TypeKind::kFloat &&
                      type->float_kind == FloatKind::kF32;
  if (!is_f32) return WrongKind(name, "a float of type f32");
  return static_cast<float>(attribute->real);
}

absl::StatusOr<double> AttributeReader::NumberOr(absl::string_view name, double otherwise) const {
  const Attribute* const attribute = Find(name);
  if (attribute == nullptr) return otherwise;
  if (attribute->kind == AttributeKind::kFloat) return attribute->real;
  if (attribute->kind == AttributeKind::kInteger) return static_cast<double>(attribute->integer);
  return WrongKind(name, "a number");
}

absl::StatusOr<bool> AttributeReader::Bool(absl::string_view name) const {
  ASSIGN_OR_RETURN(const Attribute* const attribute, Required(name));
  if (attribute->kind != AttributeKind::kBool) return WrongKind(name, "true or false");
  return attribute->integer != 0;
}

absl::StatusOr<bool> AttributeReader::Flag(absl::string_view name) const {
  const Attribute* const attribute = Find(name);
  if (attribute == nullptr) return false;
  if (attribute->kind == AttributeKind::kUnit) return true;
  if (attribute->kind == AttributeKind::kBool) return attribute->integer != 0;
  return WrongKind(name, "true or false");
}

absl::StatusOr<std::string> AttributeReader::TextOr(absl::string_view name, absl::string_view otherwise) const {
  return Has(name) ? Text(name) : std::string(otherwise);
}

absl::StatusOr<std::string> AttributeReader::Text(absl::string_view name) const {
  ASSIGN_OR_RETURN(const Attribute* const attribute, Required(name));
  if (attribute->kind != AttributeKind::kString) return WrongKind(name, "a string");
  return std::string(attribute->text);
}

absl::StatusOr<std::string> AttributeReader::Word(absl::string_view name) const {
  ASSIGN_OR_RETURN(const Attribute* const attribute, Required(name));
  if (attribute->kind != AttributeKind::kEnum && attribute->kind != AttributeKind::kString) {
    return WrongKind(name, "a word of an enumeration");
  }
  return std::string(attribute->text);
}

absl::StatusOr<std::string> AttributeReader::WordOr(absl::string_view name, absl::string_view otherwise) const {
  if (!Has(name)) return std::string(otherwise);
  return Word(name);
}

absl::StatusOr<std::string> AttributeReader::Symbol(absl::string_view name) const {
  ASSIGN_OR_RETURN(const Attribute* const attribute, Required(name));
  if (attribute->kind != AttributeKind::kSymbol || !attribute->elements.empty()) {
    return WrongKind(name, "the name of a function, such as @f");
  }
  return std::string(attribute->text);
}

absl::StatusOr<DimensionVector> AttributeReader::Ints(absl::string_view name) const {
  RETURN_IF_ERROR(Required(name).status());
  const absl::optional<std::vector<int64_t>> values = IntegerList(*module_, FindId(name));
  if (!values.has_value()) return WrongKind(name, "a list of integers");
  return DimensionVector(values->begin(), values->end());
}

absl::StatusOr<DimensionVector> AttributeReader::IntsOr(absl::string_view name,
                                                        const DimensionVector& otherwise) const {
  if (!Has(name)) return otherwise;
  return Ints(name);
}

absl::StatusOr<IntPairs> AttributeReader::PairsOr(absl::string_view name, const IntPairs& otherwise) const {
  return Has(name) ? Pairs(name) : otherwise;
}

absl::StatusOr<IntPairs> AttributeReader::Pairs(absl::string_view name) const {
  ASSIGN_OR_RETURN(const Attribute* const attribute, Required(name));
  ASSIGN_OR_RETURN(const DimensionVector values, Ints(name));
  const bool is_tensor = attribute->kind == AttributeKind::kDenseElements;
  const absl::Span<const int64_t> sizes =
      is_tensor ? module_->type(attribute->type).dimensions : absl::Span<const int64_t>();
  // An empty tensor may leave out that its rows would have two entries.
  if (!is_tensor || ((sizes.size() != 2 || sizes[1] != 2) && !values.empty())) {
    return WrongKind(name, "a tensor of integers with rows of two");
  }
  IntPairs pairs;
  for (size_t i = 0; i + 1 < values.size(); i += 2) pairs.emplace_back(values[i], values[i + 1]);
  return pairs;
}

absl::StatusOr<absl::Span<const AttributeId>> AttributeReader::Elements(absl::string_view name) const {
  const Attribute* const attribute = Find(name);
  if (attribute == nullptr) return absl::Span<const AttributeId>();
  if (attribute->kind != AttributeKind::kArray) return WrongKind(name, "a list, such as [a, b]");
  return attribute->elements;
}

absl::StatusOr<AttributeReader> AttributeReader::Struct(absl::string_view name) const {
  RETURN_IF_ERROR(Required(name).status());
  return StructOrEmpty(name);
}

absl::StatusOr<AttributeReader> AttributeReader::StructOrEmpty(absl::string_view name) const {
  const Attribute* const attribute = Find(name);
  if (attribute == nullptr) return AttributeReader(*module_, {});
  if (attribute->kind != AttributeKind::kStruct && attribute->kind != AttributeKind::kDictionary) {
    return WrongKind(name, "a list of named fields");
  }
  return AttributeReader(*module_, attribute->fields);
}

}  // namespace stablehlo
}  // namespace xla
