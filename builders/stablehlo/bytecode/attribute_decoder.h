// AttributeDecoder: decodes the types, attributes and locations of an artifact into a module.
//
// They refer to each other by number in any order, and chains of them may be thousands long, so there is no recursion:
// an entry whose parts are not decoded yet is given up, its parts are decoded first, and then it is decoded again. A
// function that decodes an entry reads all references that it can before it gives up, so that an entry is decoded a
// few times at most.
//
// Each entry can be a part of many others: what a file of a few bytes stands for, written out, could be of any size.
// `length` says how long that is, as a measure for whoever uses the entry.
#ifndef BUILDERS_STABLEHLO_BYTECODE_ATTRIBUTE_DECODER_H_
#define BUILDERS_STABLEHLO_BYTECODE_ATTRIBUTE_DECODER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "builders/stablehlo/bytecode/container.h"
#include "builders/stablehlo/ir/module.h"
#include "xla_core/support/resource_poll.h"

namespace xla {
namespace stablehlo {

// Types and attributes nest at most this deep; locations as deep as they like.
inline constexpr int kMaxAttributeNesting = 90;

// What an entry has become.
struct DecodedEntry {
  enum class Kind : uint8_t {
    kNone,  // not decoded yet
    kOpen,  // its parts are being decoded
    kType,
    kAttribute,
    kLocation,
    kUnknown,  // what no known table has: an error where it is used, unless it is a location
  };

  Kind kind = Kind::kNone;
  uint8_t nesting = 1;
  int32_t id = -1;  // of the type, attribute or location in the module
  int64_t length = 0;
};

// Functions that decode or read return false after an error, which they have reported.
class AttributeDecoder {
 public:
  // All of them outlive it.
  AttributeDecoder(const Container& container, Module* module, ErrorLog* errors, const ResourceContext* resources)
      : container_(container), module_(*module), errors_(*errors), poll_(resources) {}

  bool DecodeAll();

  // By the number that the file gives them, which is checked. At `reader`, after it.
  bool ReadType(ByteReader& reader, TypeId* type);
  bool ReadAttribute(ByteReader& reader, AttributeId* attribute);
  bool ReadLocation(ByteReader& reader, LocationId* location);
  bool TypeAt(const ByteReader& reader, uint64_t number, TypeId* type);
  bool AttributeAt(const ByteReader& reader, uint64_t number, AttributeId* attribute);

  // What was read since the last call, written out: see above.
  int64_t TakeLength() {
    const int64_t length = length_;
    length_ = 0;
    return length;
  }

 private:
  using Kind = DecodedEntry::Kind;

  bool DecodeWithParts(uint32_t first);
  bool Decode(uint32_t entry);
  bool DecodeText(ByteReader& reader);
  bool ErrorCode(const ByteReader& reader, absl::string_view dialect, absl::string_view what, uint64_t code) const;

  // decode_types.cc
  bool DecodeVhloType(ByteReader& reader);
  bool DecodeBuiltinType(ByteReader& reader);
  bool DecodeFunctionType(ByteReader& reader);
  bool DecodeListType(ByteReader& reader, TypeKind kind);
  bool DecodeComplexType(ByteReader& reader);
  bool DecodeTensorType(ByteReader& reader, TypeKind kind, bool has_encoding);
  bool DecodeUnrankedType(ByteReader& reader);
  bool DecodeQuantizedType(ByteReader& reader, bool is_per_axis);
  bool CheckElementType(const ByteReader& reader, TypeId element) const;

  // decode_builtin.cc
  bool DecodeBuiltinAttribute(ByteReader& reader);
  bool DecodeDictionary(ByteReader& reader);
  bool DecodeSymbol(ByteReader& reader, bool is_nested);
  bool DecodeInteger(ByteReader& reader);
  bool DecodeFloat(ByteReader& reader);
  bool DecodeResource(ByteReader& reader);
  bool DecodeFileLocation(ByteReader& reader, bool is_range);
  bool DecodeFusedLocation(ByteReader& reader, bool has_metadata);

  // decode_elements.cc
  bool DecodeElements(ByteReader& reader);
  bool DecodeDenseArray(ByteReader& reader);
  absl::string_view Normalized(const Type& number, absl::string_view data);

  // decode_vhlo.cc
  bool DecodeVhloAttribute(ByteReader& reader);
  bool DecodeWord(ByteReader& reader, absl::string_view dialect, absl::string_view enumeration, uint64_t first = 0);
  bool DecodeAlias(ByteReader& reader);
  bool DecodeResultAccuracy(ByteReader& reader);
  bool DecodeAxisReference(ByteReader& reader);
  bool DecodeMeshAxes(ByteReader& reader);
  bool DecodeMesh(ByteReader& reader);

  // decode_sdy.cc
  bool DecodeSdyAttribute(ByteReader& reader);
  bool DecodeStructsOf(ByteReader& reader, absl::string_view element, absl::string_view name, absl::string_view field);
  bool DecodeSdyMesh(ByteReader& reader);
  bool DecodeSdyAxisReference(ByteReader& reader);
  bool DecodeDimensionSharding(ByteReader& reader);
  bool DecodeSharding(ByteReader& reader, bool has_unreduced, bool has_reduction);
  bool DecodeShardingRule(ByteReader& reader);
  bool ReadFactors(ByteReader& reader, std::vector<int64_t>* factors);
  bool DecodeFactorMappings(ByteReader& reader, AttributeId* mappings);
  bool DecodeSubAxis(ByteReader& reader, absl::string_view name);

  // ---- What entries consist of. Parts that are not decoded yet are not ok(), and texts of them are empty.

  bool ReadTypes(ByteReader& reader, std::vector<TypeId>* types);
  bool ReadAttributes(ByteReader& reader, std::vector<AttributeId>* attributes);
  bool ReadOptionalAttribute(ByteReader& reader, bool* is_there, AttributeId* attribute);
  // Of this kind; a struct of this name. Messages call it `what`.
  bool ReadOfKind(ByteReader& reader, AttributeKind kind, absl::string_view what, AttributeId* attribute);
  bool ReadStruct(ByteReader& reader, absl::string_view name, AttributeId* attribute);
  bool CheckStruct(const ByteReader& reader, absl::string_view name, AttributeId attribute) const;
  bool ReadStructs(ByteReader& reader, absl::string_view name, std::vector<AttributeId>* attributes);
  // An attribute that is a string.
  bool ReadName(ByteReader& reader, absl::string_view* name);
  // A string of the table.
  bool ReadString(ByteReader& reader, absl::string_view* text);
  bool ReadIntegers(ByteReader& reader, std::vector<int64_t>* integers);
  // The bits of a number of up to 64 bits.
  bool ReadBits(ByteReader& reader, int width, uint64_t* bits);
  bool ReadDouble(ByteReader& reader, double* value);
  // A byte that is 0 or 1.
  bool ReadTruth(ByteReader& reader, bool* truth);
  AttributeId FloatAttribute(TypeId type, uint64_t bits);

  // ---- What the entry that is being decoded is. Nothing, while parts of it are missing.

  bool IsWaiting() const { return !missing_.empty(); }
  bool SetType(const Type& type);
  bool SetAttribute(const Attribute& attribute);
  bool SetAttribute(AttributeId attribute);
  bool SetStruct(absl::string_view name, std::vector<NamedAttribute> fields);
  bool SetLocation(const Location& location);
  bool SetUnknown();

  bool EntryOf(const ByteReader& reader, uint64_t number, size_t count, size_t first, absl::string_view what,
               const DecodedEntry** entry);
  void NoteUse(const DecodedEntry& entry);

  const Container& container_;
  Module& module_;
  ErrorLog& errors_;
  ResourcePoll poll_;
  std::vector<DecodedEntry> entries_;  // as in the container
  std::vector<uint32_t> to_decode_;    // an entry, and those that it waits for
  // Of the entry that is being decoded.
  DecodedEntry current_;
  std::vector<uint32_t> missing_;
  int nesting_ = 0;  // of its parts
  int64_t length_ = 0;
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_BYTECODE_ATTRIBUTE_DECODER_H_
