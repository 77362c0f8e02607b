// The attributes of operations. Up to version 4 of the bytecode a dictionary has all of them; since then it has only
// those that the operation does not define itself, and the others are its properties.
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/bytecode/operation_reader.h"
#include "builders/stablehlo/bytecode/upgrade_properties.h"
#include "builders/stablehlo/text/dialect_attributes.h"

namespace xla {
namespace stablehlo {
namespace {

// The operations with elements that are in memory once, however many operations have them.
bool IsConstant(absl::string_view name) {
  return name == "stablehlo.constant" || name == "chlo.constant" || name == "sdy.constant";
}

bool IsBefore(const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; }

}  // namespace

// Operations of the same name whose attributes have the same numbers have the same attributes, so that these are
// upgraded once.
bool OperationReader::ReadAttributes(ByteReader& reader, int mask, AttributesKey key, Operation* operation) {
  const KnownOperation& known = Known(key.name);
  const bool needs_none = known.vhlo != nullptr ? known.vhlo->attributes.empty() : known.properties.empty();
  if (needs_none && (mask & (kHasAttributes | kHasProperties)) == 0) return true;
  uint32_t number = 0;
  if ((mask & kHasAttributes) != 0) {
    if (!reader.ReadIndex("an attribute", container_.attribute_count, &number)) return false;
    key.dictionary = number;
  }
  if ((mask & kHasProperties) != 0) {
    if (!reader.ReadIndex("properties", container_.properties.size(), &number)) return false;
    key.properties = number;
  }
  auto found = upgraded_.find(key);
  if (found == upgraded_.end()) {
    UpgradedAttributes upgraded;
    if (!Upgrade(reader, key, &upgraded)) return false;
    found = upgraded_.emplace(key, std::move(upgraded)).first;
  }
  operation->attributes = found->second.attributes;
  return Spend(reader, found->second.length);
}

bool OperationReader::Upgrade(const ByteReader& reader, const AttributesKey& key, UpgradedAttributes* upgraded) {
  const KnownOperation& known = Known(key.name);
  std::vector<NamedAttribute>& attributes = upgraded->attributes;
  if (!ReadGiven(reader, key, &attributes)) return false;
  upgraded->length = decoder_.TakeLength();
  std::sort(attributes.begin(), attributes.end(), IsBefore);
  for (size_t i = 1; i < attributes.size(); ++i) {
    if (attributes[i - 1].name != attributes[i].name) continue;
    return reader.Error(absl::StrCat("the attribute '", attributes[i].name, "' is duplicated"));
  }
  for (const NamedAttribute& attribute : attributes) {
    if (!IsConstant(known.name) || attribute.name != "value") continue;
    const auto elements = static_cast<int64_t>(module_.attribute(attribute.value).data.size());
    upgraded->length = std::max<int64_t>(upgraded->length - elements, 0);
  }
  if (known.vhlo != nullptr) return UpgradeVhlo(reader, known, &attributes);
  for (const KnownOperation::Property& property : known.properties) {
    const bool is_there =
        std::binary_search(attributes.begin(), attributes.end(), NamedAttribute{property.name, {}}, IsBefore);
    if (is_there || property.is_optional) continue;
    return reader.Error(absl::StrCat("the operation ", known.name, " requires the attribute '", property.name, "'"));
  }
  return known.name != "sdy.propagation_barrier" || UpgradeDirection(reader, &attributes);
}

bool OperationReader::ReadGiven(const ByteReader& reader, const AttributesKey& key,
                                std::vector<NamedAttribute>* given) {
  if (key.dictionary >= 0) {
    AttributeId dictionary;
    if (!decoder_.AttributeAt(reader, key.dictionary, &dictionary) || !AppendDictionary(reader, dictionary, given)) {
      return false;
    }
  }
  if (key.properties < 0) return true;
  ByteReader properties = container_.properties[key.properties];
  if (container_.version < 5) return reader.Error("operations have no properties before version 5 of the bytecode");
  return ReadProperties(properties, Known(key.name), given);
}

bool OperationReader::AppendDictionary(const ByteReader& reader, AttributeId dictionary,
                                       std::vector<NamedAttribute>* given) {
  const Attribute& value = module_.attribute(dictionary);
  if (value.kind != AttributeKind::kDictionary) return reader.Error("expected a dictionary of attributes");
  given->insert(given->end(), value.fields.begin(), value.fields.end());
  return true;
}

// In alphabetical order, without their names; those of an operation that the writer did not know are a dictionary.
bool OperationReader::ReadProperties(ByteReader properties, const KnownOperation& known,
                                     std::vector<NamedAttribute>* given) {
  AttributeId value;
  if (!known.is_registered) {
    return decoder_.ReadAttribute(properties, &value) && AppendDictionary(properties, value, given) &&
           properties.ExpectEnd("the properties of an operation");
  }
  if (known.vhlo != nullptr) {
    for (const absl::string_view name : known.vhlo->attributes) {
      if (!decoder_.ReadAttribute(properties, &value)) return false;
      given->push_back({name, value});
    }
  }
  for (const KnownOperation::Property& property : known.properties) {
    uint64_t number = 0;
    bool is_there = true;
    if (property.is_optional ? !properties.ReadFlagged(&number, &is_there) : !properties.ReadVarint(&number)) {
      return false;
    }
    if (!is_there) continue;
    if (!decoder_.AttributeAt(properties, number, &value)) return false;
    given->push_back({property.name, value});
  }
  return properties.ExpectEnd(absl::StrCat("the properties of ", known.name));
}

// `attributes`, sorted by name, are those of VHLO; what VHLO does not define is kept as it is.
bool OperationReader::UpgradeVhlo(const ByteReader& reader, const KnownOperation& known,
                                  std::vector<NamedAttribute>* attributes) {
  std::vector<AttributeId> given;
  std::vector<NamedAttribute> others;
  auto next = known.vhlo->attributes.begin();
  const auto end = known.vhlo->attributes.end();
  for (const NamedAttribute& attribute : *attributes) {
    if (next == end || attribute.name != *next) {
      others.push_back(attribute);
      continue;
    }
    given.push_back(attribute.value);
    ++next;
  }
  if (next != end) {
    return reader.Error(absl::StrCat("the operation ", known.name, " requires the attribute '", *next, "'"));
  }
  absl::StatusOr<std::vector<NamedAttribute>> upgraded = UpgradeProperties(*known.vhlo, given, &module_);
  if (!upgraded.ok()) return reader.Error(absl::StrCat("in ", known.name, ": ", upgraded.status().message()));
  *attributes = *std::move(upgraded);
  // A name that a property of today has already is that property.
  for (const NamedAttribute& other : others) {
    const bool is_taken = std::any_of(attributes->begin(), attributes->end(),
                                      [&](const NamedAttribute& attribute) { return attribute.name == other.name; });
    if (is_taken) return reader.Error(absl::StrCat("the attribute '", other.name, "' is duplicated"));
    attributes->push_back(other);
  }
  return true;
}

// The direction is a number in the file, a word in a module.
bool OperationReader::UpgradeDirection(const ByteReader& reader, std::vector<NamedAttribute>* attributes) {
  const EnumForm* const form = FindEnumForm("sdy", "propagation_direction");
  for (NamedAttribute& attribute : *attributes) {
    const Attribute& value = module_.attribute(attribute.value);
    if (attribute.name != "allowed_direction" || value.kind != AttributeKind::kInteger) continue;
    const auto number = static_cast<uint64_t>(value.integer);
    if (form == nullptr || number >= form->values.size()) return reader.Error("expected the number of a direction");
    attribute.value = module_.Intern(EnumAttribute("sdy.propagation_direction", form->values[number]));
  }
  return true;
}

}  // namespace stablehlo
}  // namespace xla
