// Attributes and locations of the builtin dialect.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/bytecode/attribute_decoder.h"

namespace xla {
namespace stablehlo {

bool AttributeDecoder::DecodeBuiltinAttribute(ByteReader& reader) {
  uint64_t code = 0;
  if (!reader.ReadVarint(&code)) return false;
  switch (code) {
    case 0: {
      std::vector<AttributeId> elements;
      return ReadAttributes(reader, &elements) && SetAttribute(ArrayAttribute(elements));
    }
    case 1:
      return DecodeDictionary(reader);
    case 2:
    case 3: {
      absl::string_view text;
      TypeId type;  // of a string with a type, which means nothing
      return ReadString(reader, &text) && (code == 2 || ReadType(reader, &type)) &&
             SetAttribute(TextAttribute(AttributeKind::kString, text));
    }
    case 4:
    case 5:
      return DecodeSymbol(reader, /*is_nested=*/code == 5);
    case 6: {
      TypeId type;
      return ReadType(reader, &type) && SetAttribute(TypeAttribute(type));
    }
    case 7:
      return SetAttribute(UnitAttribute());
    case 8:
      return DecodeInteger(reader);
    case 9:
      return DecodeFloat(reader);
    case 10: {
      LocationId callee;
      LocationId caller;
      return ReadLocation(reader, &callee) && ReadLocation(reader, &caller) &&
             SetLocation(CallSiteLocation(callee, caller));
    }
    case 11:
    case 22:
      return DecodeFileLocation(reader, /*is_range=*/code == 22);
    case 12:
    case 13:
      return DecodeFusedLocation(reader, /*has_metadata=*/code == 13);
    case 14: {
      absl::string_view name;
      LocationId child;
      if (!ReadName(reader, &name) || !ReadLocation(reader, &child)) return false;
      if (IsWaiting()) return true;
      // A name without a place is one at an unknown place.
      if (module_.location(child).kind == LocationKind::kUnknown) child = {};
      return SetLocation(NameLocation(name, child));
    }
    case 15:
      return SetLocation(Location());
    case 16:
      return DecodeResource(reader);
    case 17:
      return DecodeDenseArray(reader);
    case 18:
      return DecodeElements(reader);
    default:
      return SetUnknown();
  }
}

// Of the builtin dialect and of VHLO: names are attributes.
bool AttributeDecoder::DecodeDictionary(ByteReader& reader) {
  uint64_t count = 0;
  if (!reader.ReadCount("entries of a dictionary", &count)) return false;
  std::vector<NamedAttribute> fields(count);
  for (NamedAttribute& field : fields) {
    if (!ReadName(reader, &field.name) || !ReadAttribute(reader, &field.value)) return false;
  }
  if (IsWaiting()) return true;
  const auto is_before = [](const NamedAttribute& a, const NamedAttribute& b) { return a.name < b.name; };
  std::sort(fields.begin(), fields.end(), is_before);
  const auto twice =
      std::adjacent_find(fields.begin(), fields.end(), [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice != fields.end()) return reader.Error(absl::StrCat("the attribute '", twice->name, "' is duplicated"));
  return SetAttribute(DictionaryAttribute(fields));
}

// @a, @a::@b
bool AttributeDecoder::DecodeSymbol(ByteReader& reader, bool is_nested) {
  absl::string_view root;
  std::vector<AttributeId> nested;
  if (!ReadName(reader, &root) || (is_nested && !ReadAttributes(reader, &nested))) return false;
  Attribute symbol = TextAttribute(AttributeKind::kSymbol, root);
  for (const AttributeId part : nested) {
    if (!part.ok()) continue;
    const Attribute& value = module_.attribute(part);
    if (value.kind != AttributeKind::kSymbol || !value.elements.empty()) return reader.Error("expected a symbol");
  }
  symbol.elements = nested;
  return SetAttribute(symbol);
}

// Of the builtin dialect and of VHLO, also true and false.
bool AttributeDecoder::DecodeInteger(ByteReader& reader) {
  TypeId type_id;
  if (!ReadType(reader, &type_id) || IsWaiting()) return type_id.ok() || IsWaiting();
  const Type& type = module_.type(type_id);
  const bool is_index = type.kind == TypeKind::kIndex;
  if (!is_index && type.kind != TypeKind::kInteger) return reader.Error("expected the type of an integer");
  const int width = is_index ? 64 : static_cast<int>(type.width);
  uint64_t bits = 0;
  if (!ReadBits(reader, width, &bits)) return false;
  if (!is_index && width == 1 && type.signedness == Signedness::kSignless)
    return SetAttribute(BoolAttribute(bits != 0));
  const uint64_t top_bit = uint64_t{1} << (width - 1);
  const bool extends_sign = (is_index || type.signedness != Signedness::kUnsigned) && (bits & top_bit) != 0;
  if (extends_sign) bits |= ~(top_bit + (top_bit - 1));
  return SetAttribute(IntegerAttribute(type_id, static_cast<int64_t>(bits)));
}

// Of the builtin dialect and of VHLO.
bool AttributeDecoder::DecodeFloat(ByteReader& reader) {
  TypeId type_id;
  if (!ReadType(reader, &type_id) || IsWaiting()) return type_id.ok() || IsWaiting();
  const Type& type = module_.type(type_id);
  if (type.kind != TypeKind::kFloat) return reader.Error("expected the type of a float");
  const FloatKindInfo& info = GetFloatKindInfo(type.float_kind);
  if (info.type == PRIMITIVE_TYPE_INVALID) {
    return reader.Error(absl::StrCat("numbers of the type ", info.name, " are not supported"));
  }
  uint64_t bits = 0;
  return ReadBits(reader, info.bits, &bits) && SetAttribute(FloatAttribute(type_id, bits));
}

// dense_resource<key>
bool AttributeDecoder::DecodeResource(ByteReader& reader) {
  TypeId type;
  uint32_t index = 0;
  if (!ReadType(reader, &type) || !reader.ReadIndex("a resource", container_.resources.size(), &index)) return false;
  if (type.ok() && module_.type(type).kind != TypeKind::kTensor) return reader.Error("expected a tensor type");
  return SetAttribute(ResourceAttribute(type, container_.resources[index].key));
}

// "file":1:2, or, as a range, with up to four numbers.
bool AttributeDecoder::DecodeFileLocation(ByteReader& reader, bool is_range) {
  absl::string_view file;
  uint64_t count = 2;
  uint64_t numbers[4] = {};
  if (!ReadName(reader, &file) || (is_range && !reader.ReadVarint(&count))) return false;
  if (count > 4) return reader.Error(absl::StrCat("expected at most 4 numbers of a location, found ", count));
  for (uint64_t i = 0; i < count; ++i) {
    if (!reader.ReadVarint(&numbers[i])) return false;
    if (numbers[i] > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) numbers[i] = 0;
  }
  Location location = FileLocation(file, static_cast<int64_t>(numbers[0]), static_cast<int64_t>(numbers[1]));
  if (count > 2) {
    location.end_line = static_cast<int64_t>(count == 3 ? numbers[0] : numbers[2]);
    location.end_column = static_cast<int64_t>(count == 3 ? numbers[2] : numbers[3]);
  }
  return SetLocation(location);
}

bool AttributeDecoder::DecodeFusedLocation(ByteReader& reader, bool has_metadata) {
  uint64_t count = 0;
  if (!reader.ReadCount("locations", &count)) return false;
  std::vector<LocationId> parts(count);
  for (LocationId& part : parts) {
    if (!ReadLocation(reader, &part)) return false;
  }
  AttributeId metadata;
  if (has_metadata && !ReadAttribute(reader, &metadata)) return false;
  return SetLocation(FusedLocation(parts, metadata));
}

}  // namespace stablehlo
}  // namespace xla
