// AttributeParser: reads the types, attributes and locations of a module.
#ifndef BUILDERS_STABLEHLO_TEXT_ATTRIBUTE_PARSER_H_
#define BUILDERS_STABLEHLO_TEXT_ATTRIBUTE_PARSER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/stablehlo/ir/module.h"
#include "builders/stablehlo/text/dialect_attributes.h"
#include "builders/stablehlo/text/token_reader.h"

namespace xla {
namespace stablehlo {

using NamedAttributes = std::vector<NamedAttribute>;

// As TokenReader: functions that read return false after an error.
class AttributeParser : public TokenReader {
 public:
  AttributeParser(absl::string_view text, Diagnostics* diagnostics, Module* module)
      : TokenReader(text, diagnostics),
        module_(*module),
        alias_budget_(kSmallText + kMaxAliasGrowth * static_cast<int64_t>(text.size())) {}

  Module& module() { return module_; }

  bool ReadType(TypeId* type);
  // T, T, ...; with parentheres around, or one without.
  bool ReadTypes(std::vector<TypeId>* types);
  bool ReadTypesInParens(std::vector<TypeId>* types);
  // What follows an arrow: one type that is not a function, or several in parentheses.
  bool ReadResultTypes(std::vector<TypeId>* types);
  // For messages.
  std::string TypeText(TypeId type) const;

  bool ReadAttribute(AttributeId* attribute);
  // `{name = attribute, flag}` if there is one.
  bool ReadOptionalDictionary(NamedAttributes* fields);
  // What follows the brace. The names differ from each other and from those that are there.
  bool ReadDictionaryBody(NamedAttributes* fields);
  // Adds a field; false, with an error at `at`, if there is one of this name.
  bool AddField(absl::string_view name, AttributeId value, const char* at, NamedAttributes* fields);
  // [0, 1] and its inside up to the bracket.
  bool ReadIntegers(std::vector<int64_t>* values);
  bool ReadIntegersUntil(char close, std::vector<int64_t>* values);
  // A word that is a value of the enumeration.
  bool ReadEnumerator(absl::string_view dialect, const EnumForm& form, AttributeId* attribute);
  // <name = value, ...>
  bool ReadStruct(const StructForm& form, AttributeId* attribute);
  // [b, 0, f]x[i, 0, o]->[b, 0, f]
  bool ReadDimensionLetters(AttributeId* attribute);
  // <@mesh, [{"a"}, {?}]>
  bool ReadSharding(AttributeId* attribute);
  // [<...>, <...>]
  bool ReadShardings(AttributeId* attribute);
  // <["a"=2], device_ids=[0, 1]>
  bool ReadMesh(AttributeId* attribute);
  // {"a", "b"}
  bool ReadManualAxes(AttributeId* attribute);
  // {"a", "b":(1)2}, [{"a"}, {}] and [{"b"}: 1->0]: what a collective of sdy works along.
  bool ReadAxisRefList(AttributeId* attribute);
  bool ReadAxisRefLists(AttributeId* attribute);
  bool ReadAllToAllParams(AttributeId* attribute);
  // dense<...> : T, and dense_resource<key> : T.
  bool ReadDense(AttributeId* attribute);
  bool ReadResource(AttributeId* attribute);

  // `#name = attribute` and `!name = type`, the latter without its first token.
  bool ReadAttributeAlias();
  bool ReadTypeAlias();
  // `loc(...)` if there is one, for `operation` or for the argument `value`.
  bool ReadOptionalLocation(OperationId operation);
  bool ReadOptionalLocation(ValueId value);
  // Once all aliases are there: gives operations and values the locations that named aliases before these were known.
  bool SettleLocations();

 private:
  // An alias of a type or an attribute, and how long it is where all aliases in it are written out.
  template <typename What>
  struct Alias {
    Id<What> id;
    int64_t length = 0;
  };
  struct LocationAlias {
    const char* body;      // after `#name =`
    LocationId location;   // not ok(): it has not been read yet
    bool is_open = false;  // its parts are being read
  };
  struct PendingLocation {
    const char* body;
    OperationId operation;
    ValueId value;
  };

  // Aliases of aliases could make a few lines stand for a text of any length. The text, written out, may be so many
  // times as long as it is, or this long.
  static constexpr int64_t kMaxAliasGrowth = 100;
  static constexpr int64_t kSmallText = 1 << 20;

  template <typename What>
  bool UseAlias(const Alias<What>& alias, Id<What>* id);

  // type_parser.cc
  bool ReadWordType(TypeId* type);
  bool ReadDialectType(TypeId* type);
  bool ReadTensorType(TypeKind kind, TypeId* type);
  bool ReadDimensions(std::vector<int64_t>* dimensions, bool* is_unranked);
  bool ReadEncoding(AttributeId* encoding);
  bool ReadQuantizedType(TypeId* type);
  bool ReadQuantizationScales(Quantization* quantization, std::vector<double>* scales,
                              std::vector<int64_t>* zero_points);
  bool ReadTypeList(char open, char close, std::vector<TypeId>* types);
  bool CheckElementType(TypeId element, const char* at);

  // attribute_parser.cc
  bool ReadNumberAttribute(AttributeId* attribute);
  bool ReadIntegerOf(TypeId type, bool is_negative, const Token& number, AttributeId* attribute);
  bool ReadFloatOf(TypeId type, bool is_negative, const Token& number, AttributeId* attribute);
  bool ReadSymbolAttribute(AttributeId* attribute);
  bool ReadArray(AttributeId* attribute);
  bool ReadDenseArray(AttributeId* attribute);
  bool ReadHashAttribute(AttributeId* attribute);

  // dialect_attribute_parser.cc
  bool ReadDialectAttribute(const Token& name, AttributeId* attribute);
  bool ReadNamedDialectAttribute(absl::string_view dialect, absl::string_view name, const Token& at,
                                 AttributeId* attribute);
  bool ReadField(const StructField& field, AttributeId* value);
  AttributeId DefaultOf(const StructField& field);
  bool ReadStructField(const StructForm& form, std::vector<AttributeId>* values);
  bool ReadBounds(AttributeId* attribute);
  bool ReadTypeExtensions(AttributeId* attribute);
  bool ReadMeshAxesGroups(AttributeId* attribute);
  bool ReadStablehloMesh(AttributeId* attribute);
  bool ReadStablehloAxis(AttributeId* attribute);
  bool ReadAxisReference(AttributeId* attribute);
  bool ReadOpaque(absl::string_view dialect, const Token& name, AttributeId* attribute);
  bool SkipBalanced();

  // sdy_attribute_parser.cc
  bool ReadSdyAttribute(absl::string_view name, const Token& at, AttributeId* attribute);
  bool ReadSdyMeshBody(AttributeId* attribute);
  bool ReadAxisList(AttributeId* attribute);
  bool ReadAxis(AttributeId* attribute);
  bool ReadDimensionSharding(AttributeId* attribute);
  bool ReadShardingRule(AttributeId* attribute);
  bool ReadFactorMappings(AttributeId* attribute);
  bool ReadFactors(std::vector<int64_t>* factors);
  bool ReadFactorSet(absl::string_view name, AttributeId* attribute);

  // location_parser.cc
  bool ReadLocation(LocationId* location);
  bool ReadFileLocation(absl::string_view text, LocationId* location);
  bool ReadFusedLocation(LocationId* location);
  bool ReadOptionalLocation(PendingLocation pending);
  void SetLocation(const PendingLocation& of, LocationId location);
  bool ReadLocationAt(const char* body, LocationId* location);
  bool SettleAlias(absl::string_view name);
  std::vector<absl::string_view> UnsettledAliases(const char* body);

  Module& module_;
  absl::flat_hash_map<absl::string_view, Alias<Attribute>> attribute_aliases_;
  absl::flat_hash_map<absl::string_view, Alias<Type>> type_aliases_;
  int64_t written_out_ = 0;  // by the uses of aliases so far
  const int64_t alias_budget_;
  absl::flat_hash_map<absl::string_view, LocationAlias> location_aliases_;
  std::vector<absl::string_view> location_alias_names_;  // as they stand in the text
  std::vector<PendingLocation> pending_locations_;
  // Set where a location is read that names an alias which is not known yet.
  bool may_defer_location_ = false;
  bool must_defer_location_ = false;
};

template <typename What>
bool AttributeParser::UseAlias(const Alias<What>& alias, Id<What>* id) {
  written_out_ += alias.length;
  if (written_out_ > alias_budget_) {
    return Error(absl::StrCat("with its aliases written out, the text up to here is more than ", kMaxAliasGrowth,
                              " times as long as it is"));
  }
  *id = alias.id;
  Advance();
  return true;
}

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_ATTRIBUTE_PARSER_H_
