#include "builders/stablehlo/ir/attribute_values.h"

#include <algorithm>
#include <cstring>

namespace xla {
namespace stablehlo {
namespace {

constexpr int64_t kMaxListSize = 1 << 20;

// The integer in the `size` lowest bytes of a word.
int64_t ReadInteger(const char* bytes, size_t size, bool is_signed) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  const int unused_bits = 64 - 8 * static_cast<int>(size);
  if (!is_signed || unused_bits == 0) return static_cast<int64_t>(word);
  return static_cast<int64_t>(word << unused_bits) >> unused_bits;
}

absl::optional<std::vector<int64_t>> ElementsList(const Module& module, const Attribute& attribute) {
  const bool is_array = attribute.kind == AttributeKind::kDenseArray;
  const TypeId element_id = is_array ? attribute.type : module.type(attribute.type).element;
  const Type& element = module.type(element_id);
  if (element.kind != TypeKind::kInteger && element.kind != TypeKind::kIndex) return absl::nullopt;
  const size_t size = static_cast<size_t>(ElementBytes(module, element_id));
  if (size == 0 || size > sizeof(int64_t)) return absl::nullopt;
  const bool is_pred = element.kind == TypeKind::kInteger && element.width == 1;
  const bool is_signed = element.signedness != Signedness::kUnsigned && !is_pred;
  if (attribute.is_splat) {
    const int64_t count = ElementCount(module.type(attribute.type));
    if (count < 0 || count > kMaxListSize || attribute.data.size() < size) return absl::nullopt;
    return std::vector<int64_t>(count, ReadInteger(attribute.data.data(), size, is_signed));
  }
  std::vector<int64_t> values(attribute.data.size() / size);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = ReadInteger(attribute.data.data() + i * size, size, is_signed);
  }
  return values;
}

}  // namespace

absl::optional<int64_t> IntegerValue(const Module& module, AttributeId attribute) {
  if (!attribute.ok()) return absl::nullopt;
  const Attribute& value = module.attribute(attribute);
  const bool is_integer = value.kind == AttributeKind::kInteger && value.words.empty();
  if (!is_integer && value.kind != AttributeKind::kBool) return absl::nullopt;
  return value.integer;
}

absl::optional<double> FloatValue(const Module& module, AttributeId attribute) {
  if (!attribute.ok() || module.attribute(attribute).kind != AttributeKind::kFloat) return absl::nullopt;
  return module.attribute(attribute).real;
}

absl::optional<bool> FlagValue(const Module& module, AttributeId attribute) {
  if (!attribute.ok()) return false;
  const Attribute& value = module.attribute(attribute);
  if (value.kind == AttributeKind::kUnit) return true;
  if (value.kind != AttributeKind::kBool) return absl::nullopt;
  return value.integer != 0;
}

absl::optional<absl::string_view> TextValue(const Module& module, AttributeId attribute) {
  if (!attribute.ok()) return absl::nullopt;
  const Attribute& value = module.attribute(attribute);
  const AttributeKind kind = value.kind;
  if (kind != AttributeKind::kString && kind != AttributeKind::kSymbol && kind != AttributeKind::kEnum) {
    return absl::nullopt;
  }
  return value.text;
}

absl::optional<std::vector<int64_t>> IntegerList(const Module& module, AttributeId attribute) {
  if (!attribute.ok()) return absl::nullopt;
  const Attribute& value = module.attribute(attribute);
  if (value.kind == AttributeKind::kDenseArray || value.kind == AttributeKind::kDenseElements) {
    return ElementsList(module, value);
  }
  if (value.kind != AttributeKind::kArray) return absl::nullopt;
  std::vector<int64_t> values;
  values.reserve(value.elements.size());
  for (const AttributeId element : value.elements) {
    const absl::optional<int64_t> integer = IntegerValue(module, element);
    if (!integer.has_value()) return absl::nullopt;
    values.push_back(*integer);
  }
  return values;
}

AttributeId FieldOf(const Module& module, AttributeId attribute, absl::string_view name) {
  if (!attribute.ok()) return {};
  const absl::Span<const NamedAttribute> fields = module.attribute(attribute).fields;
  const auto found =
      std::lower_bound(fields.begin(), fields.end(), name,
                       [](const NamedAttribute& field, absl::string_view wanted) { return field.name < wanted; });
  return found == fields.end() || found->name != name ? AttributeId() : found->value;
}

}  // namespace stablehlo
}  // namespace xla
