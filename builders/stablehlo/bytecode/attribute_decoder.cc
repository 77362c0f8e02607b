#include "builders/stablehlo/bytecode/attribute_decoder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/ir/attribute_values.h"
#include "builders/stablehlo/text/parser.h"

namespace xla {
namespace stablehlo {
namespace {

constexpr int64_t kLongest = int64_t{1} << 60;

}  // namespace

bool AttributeDecoder::DecodeAll() {
  entries_.resize(container_.entries.size());
  for (uint32_t entry = 0; entry < entries_.size(); ++entry) {
    if (entries_[entry].kind != Kind::kNone) continue;
    if (poll_.IsOver()) return container_.entries[entry].bytes.Error("a limit is reached");
    // Most refer only to what has been decoded.
    missing_.clear();
    if (!Decode(entry)) return false;
    if (!IsWaiting()) {
      entries_[entry] = current_;
    } else if (!DecodeWithParts(entry)) {
      return false;
    }
  }
  length_ = 0;
  return true;
}

bool AttributeDecoder::DecodeWithParts(uint32_t first) {
  to_decode_.assign(1, first);
  while (!to_decode_.empty()) {
    const uint32_t entry = to_decode_.back();
    DecodedEntry& decoded = entries_[entry];
    if (decoded.kind != Kind::kNone && decoded.kind != Kind::kOpen) {
      to_decode_.pop_back();
      continue;
    }
    const ByteReader& bytes = container_.entries[entry].bytes;
    if (poll_.IsOver()) return bytes.Error("a limit is reached");
    missing_.clear();
    if (!Decode(entry)) return false;
    if (!IsWaiting()) {
      decoded = current_;
      to_decode_.pop_back();
      continue;
    }
    decoded.kind = Kind::kOpen;
    for (const uint32_t part : missing_) {
      if (entries_[part].kind == Kind::kOpen) return bytes.Error("this attribute or type is a part of itself");
      to_decode_.push_back(part);
    }
    missing_.clear();
  }
  return true;
}

bool AttributeDecoder::Decode(uint32_t entry) {
  const Container::Entry& encoded = container_.entries[entry];
  ByteReader reader = encoded.bytes;
  const bool is_type = entry >= container_.attribute_count;
  current_ = DecodedEntry();
  nesting_ = 0;
  length_ = 0;
  bool is_decoded = true;
  if (encoded.is_text) {
    is_decoded = DecodeText(reader);
  } else if (encoded.dialect == "vhlo") {
    is_decoded = is_type ? DecodeVhloType(reader) : DecodeVhloAttribute(reader);
  } else if (encoded.dialect == "builtin") {
    is_decoded = is_type ? DecodeBuiltinType(reader) : DecodeBuiltinAttribute(reader);
  } else if (encoded.dialect == "sdy" && !is_type) {
    is_decoded = DecodeSdyAttribute(reader);
  } else if (encoded.dialect == "chlo" && !is_type) {
    uint64_t code = 0;
    is_decoded = reader.ReadVarint(&code) && (code > 1    ? ErrorCode(reader, "chlo", "attribute", code)
                                              : code == 0 ? DecodeWord(reader, "chlo", "comparison_direction")
                                                          : DecodeWord(reader, "chlo", "comparison_type"));
  } else {
    return SetUnknown();
  }
  if (!is_decoded || IsWaiting()) return is_decoded;
  if (current_.kind == Kind::kAttribute && is_type) return encoded.bytes.Error("expected a type, found an attribute");
  if (nesting_ >= kMaxAttributeNesting) {
    return encoded.bytes.Error(absl::StrCat("attributes and types nest more than ", kMaxAttributeNesting, " deep"));
  }
  current_.nesting = static_cast<uint8_t>(std::max<int>(current_.nesting, nesting_ + 1));
  current_.length = std::min(length_ + static_cast<int64_t>(encoded.bytes.left()), kLongest);
  return current_.kind == Kind::kUnknown || reader.ExpectEnd("this attribute or type");
}

// MLIR text of what has no encoding of its own: `#chlo<precision DEFAULT>`, `f8E4M3FN`.
bool AttributeDecoder::DecodeText(ByteReader& reader) {
  absl::string_view text;
  if (!reader.ReadText(&text)) return false;
  if (absl::StartsWith(text, "loc(")) return SetUnknown();
  const auto nesting =
      std::count_if(text.begin(), text.end(), [](char c) { return c == '<' || c == '[' || c == '{' || c == '('; });
  if (nesting >= kMaxAttributeNesting) {
    return reader.Error(absl::StrCat("attributes and types nest more than ", kMaxAttributeNesting, " deep"));
  }
  const absl::StatusOr<AttributeId> attribute = ParseAttribute(text, &module_);
  if (!attribute.ok()) return reader.Error(absl::StrCat("in a text: ", attribute.status().message()));
  nesting_ = static_cast<int>(nesting);
  const Attribute& value = module_.attribute(*attribute);
  if (value.kind != AttributeKind::kType) return SetAttribute(*attribute);
  current_.kind = Kind::kType;
  current_.id = value.type.index;
  return true;
}

bool AttributeDecoder::ErrorCode(const ByteReader& reader, absl::string_view dialect, absl::string_view what,
                                 uint64_t code) const {
  return reader.Error(absl::StrCat("the dialect ", dialect, " does not have a code ", code, " of an ", what,
                                   " that Halo knows; export the program for an older version of StableHLO"));
}

// ---- References

bool AttributeDecoder::EntryOf(const ByteReader& reader, uint64_t number, size_t count, size_t first,
                               absl::string_view what, const DecodedEntry** entry) {
  uint32_t index = 0;
  if (!reader.CheckIndex(what, number, count, &index)) return false;
  index += static_cast<uint32_t>(first);
  *entry = &entries_[index];
  if ((*entry)->kind == Kind::kNone || (*entry)->kind == Kind::kOpen) missing_.push_back(index);
  return true;
}

void AttributeDecoder::NoteUse(const DecodedEntry& entry) {
  nesting_ = std::max<int>(nesting_, entry.nesting);
  length_ = std::min(length_ + entry.length, kLongest);
}

bool AttributeDecoder::TypeAt(const ByteReader& reader, uint64_t number, TypeId* type) {
  const DecodedEntry* entry = nullptr;
  if (!EntryOf(reader, number, container_.type_count, container_.attribute_count, "a type", &entry)) return false;
  *type = {entry->id};
  if (entry->kind == Kind::kType) NoteUse(*entry);
  return entry->kind != Kind::kUnknown ||
         reader.Error("this type is not one that StableHLO programs have; export the program as StableHLO");
}

bool AttributeDecoder::AttributeAt(const ByteReader& reader, uint64_t number, AttributeId* attribute) {
  const DecodedEntry* entry = nullptr;
  if (!EntryOf(reader, number, container_.attribute_count, 0, "an attribute", &entry)) return false;
  *attribute = {entry->id};
  if (entry->kind == Kind::kAttribute) NoteUse(*entry);
  if (entry->kind == Kind::kType) {
    *attribute = module_.Intern(TypeAttribute(TypeId{entry->id}));
    NoteUse(*entry);
  }
  if (entry->kind == Kind::kLocation) return reader.Error("expected an attribute, found a location");
  return entry->kind != Kind::kUnknown ||
         reader.Error("this attribute is not one that StableHLO programs have; export the program as StableHLO");
}

bool AttributeDecoder::ReadType(ByteReader& reader, TypeId* type) {
  uint64_t number = 0;
  return reader.ReadVarint(&number) && TypeAt(reader, number, type);
}

bool AttributeDecoder::ReadAttribute(ByteReader& reader, AttributeId* attribute) {
  uint64_t number = 0;
  return reader.ReadVarint(&number) && AttributeAt(reader, number, attribute);
}

// What is not a location that we know says nothing, and does no harm.
bool AttributeDecoder::ReadLocation(ByteReader& reader, LocationId* location) {
  uint64_t number = 0;
  const DecodedEntry* entry = nullptr;
  if (!reader.ReadVarint(&number) || !EntryOf(reader, number, container_.attribute_count, 0, "a location", &entry)) {
    return false;
  }
  *location = entry->kind == Kind::kLocation || IsWaiting() ? LocationId{entry->id} : module_.Intern(Location());
  return true;
}

// ---- Parts

bool AttributeDecoder::ReadTypes(ByteReader& reader, std::vector<TypeId>* types) {
  uint64_t count = 0;
  if (!reader.ReadCount("types", &count)) return false;
  types->resize(count);
  return std::all_of(types->begin(), types->end(), [&](TypeId& type) { return ReadType(reader, &type); });
}

bool AttributeDecoder::ReadAttributes(ByteReader& reader, std::vector<AttributeId>* attributes) {
  uint64_t count = 0;
  if (!reader.ReadCount("attributes", &count)) return false;
  attributes->resize(count);
  return std::all_of(attributes->begin(), attributes->end(),
                     [&](AttributeId& attribute) { return ReadAttribute(reader, &attribute); });
}

bool AttributeDecoder::ReadOptionalAttribute(ByteReader& reader, bool* is_there, AttributeId* attribute) {
  uint64_t number = 0;
  if (!reader.ReadFlagged(&number, is_there)) return false;
  return !*is_there || AttributeAt(reader, number, attribute);
}

bool AttributeDecoder::ReadOfKind(ByteReader& reader, AttributeKind kind, absl::string_view what,
                                  AttributeId* attribute) {
  if (!ReadAttribute(reader, attribute)) return false;
  return !attribute->ok() || module_.attribute(*attribute).kind == kind ||
         reader.Error(absl::StrCat("expected ", what));
}

bool AttributeDecoder::CheckStruct(const ByteReader& reader, absl::string_view name, AttributeId attribute) const {
  if (!attribute.ok()) return true;
  const Attribute& value = module_.attribute(attribute);
  return (value.kind == AttributeKind::kStruct && value.name == name) ||
         reader.Error(absl::StrCat("expected an attribute ", name));
}

bool AttributeDecoder::ReadStruct(ByteReader& reader, absl::string_view name, AttributeId* attribute) {
  return ReadAttribute(reader, attribute) && CheckStruct(reader, name, *attribute);
}

bool AttributeDecoder::ReadStructs(ByteReader& reader, absl::string_view name, std::vector<AttributeId>* attributes) {
  return ReadAttributes(reader, attributes) &&
         std::all_of(attributes->begin(), attributes->end(),
                     [&](AttributeId attribute) { return CheckStruct(reader, name, attribute); });
}

bool AttributeDecoder::ReadName(ByteReader& reader, absl::string_view* name) {
  AttributeId attribute;
  if (!ReadOfKind(reader, AttributeKind::kString, "a string", &attribute)) return false;
  if (attribute.ok()) *name = module_.attribute(attribute).text;
  return true;
}

bool AttributeDecoder::ReadString(ByteReader& reader, absl::string_view* text) {
  uint32_t index = 0;
  if (!reader.ReadIndex("a string", container_.strings.size(), &index)) return false;
  *text = container_.strings[index];
  return true;
}

bool AttributeDecoder::ReadIntegers(ByteReader& reader, std::vector<int64_t>* integers) {
  uint64_t count = 0;
  if (!reader.ReadCount("numbers", &count)) return false;
  integers->resize(count);
  return std::all_of(integers->begin(), integers->end(),
                     [&](int64_t& integer) { return reader.ReadSignedVarint(&integer); });
}

bool AttributeDecoder::ReadBits(ByteReader& reader, int width, uint64_t* bits) {
  if (width > 64) return reader.Error(absl::StrCat("numbers of ", width, " bits are not supported; use at most 64"));
  if (width <= 8) {
    uint8_t byte = 0;
    if (!reader.ReadByte(&byte)) return false;
    *bits = byte;
  } else {
    int64_t value = 0;
    if (!reader.ReadSignedVarint(&value)) return false;
    *bits = static_cast<uint64_t>(value);
  }
  if (width < 64) *bits &= (uint64_t{1} << width) - 1;
  return true;
}

bool AttributeDecoder::ReadDouble(ByteReader& reader, double* value) {
  uint64_t bits = 0;
  if (!ReadBits(reader, 64, &bits)) return false;
  std::memcpy(value, &bits, sizeof(bits));
  return true;
}

bool AttributeDecoder::ReadTruth(ByteReader& reader, bool* truth) {
  uint8_t byte = 0;
  if (!reader.ReadByte(&byte)) return false;
  *truth = byte != 0;
  return byte <= 1 || reader.Error(absl::StrCat("expected 0 or 1, found ", byte));
}

AttributeId AttributeDecoder::FloatAttribute(TypeId type, uint64_t bits) {
  Attribute number;
  number.kind = AttributeKind::kFloat;
  number.type = type;
  number.integer = static_cast<int64_t>(bits);
  number.real = FloatFromBits(module_.type(type).float_kind, bits);
  return module_.Intern(number);
}

// ---- Results

bool AttributeDecoder::SetType(const Type& type) {
  if (IsWaiting()) return true;
  current_.kind = Kind::kType;
  current_.id = module_.Intern(type).index;
  return true;
}

bool AttributeDecoder::SetAttribute(const Attribute& attribute) {
  return IsWaiting() || SetAttribute(module_.Intern(attribute));
}

bool AttributeDecoder::SetAttribute(AttributeId attribute) {
  if (IsWaiting()) return true;
  current_.kind = Kind::kAttribute;
  current_.id = attribute.index;
  return true;
}

bool AttributeDecoder::SetStruct(absl::string_view name, std::vector<NamedAttribute> fields) {
  return IsWaiting() || SetAttribute(module_.Struct(name, std::move(fields)));
}

bool AttributeDecoder::SetLocation(const Location& location) {
  if (IsWaiting()) return true;
  current_.kind = Kind::kLocation;
  // What gives none is one location, wherever it stands; of the others, a file has each once.
  const bool is_unknown = location.kind == LocationKind::kUnknown;
  current_.id = (is_unknown ? module_.Intern(location) : module_.AddLocation(location)).index;
  return true;
}

bool AttributeDecoder::SetUnknown() {
  current_.kind = Kind::kUnknown;
  return true;
}

}  // namespace stablehlo
}  // namespace xla
