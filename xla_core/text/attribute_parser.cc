#include "xla_core/text/attribute_parser.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/text/literal_parser.h"
#include "xla_core/text/mesh_text.h"
#include "xla_core/text/sharding_text.h"
#include "xla_core/text/window_text.h"

namespace xla {
namespace {

bool ParseEnumWord(TokenReader& reader, const EnumTable& table, int* value) {
  // Some words of enumerations are keywords elsewhere.
  if (!reader.Is(TokenKind::kIdentifier) && !reader.Is(TokenKind::kName) && !reader.Is(TokenKind::kKeyword)) {
    return reader.ErrorExpected(absl::StrCat("a value of ", table.what));
  }
  *value = table.Find(reader.token().text);
  if (*value >= 0) {
    reader.Next();
    return true;
  }
  std::vector<absl::string_view> known;
  for (const char* name : table.names) {
    if (name != nullptr) known.push_back(name);
  }
  return reader.ErrorUnknown(table.what, known);
}

bool ParseOneDimension(TokenReader& reader, int64_t* dimension) {
  const char* const begin = reader.token().begin;
  DimensionVector dimensions;
  if (!reader.ParseIntList(&dimensions)) return false;
  if (dimensions.size() != 1) {
    return reader.ErrorAt(begin, absl::StrCat("expected exactly one dimension, found ", dimensions.size()));
  }
  *dimension = dimensions[0];
  return true;
}

bool ParseTriState(TokenReader& reader, int32_t* value) {
  bool written;
  if (!reader.ParseBool(&written)) return false;
  *value = written ? 1 : 2;
  return true;
}

bool ParseSourceTargetPairs(TokenReader& reader, std::vector<std::pair<int64_t, int64_t>>* pairs) {
  return reader.ParseBracedList([&] {
    const char* const begin = reader.token().begin;
    DimensionVector pair;
    if (!reader.ParseIntList(&pair)) return false;
    if (pair.size() != 2)
      return reader.ErrorAt(begin, absl::StrCat("expected a pair {source,target}, found ", pair.size(), " numbers"));
    pairs->emplace_back(pair[0], pair[1]);
    return true;
  });
}

bool ParsePrecisionList(TokenReader& reader, std::vector<Precision>* precisions) {
  return reader.ParseBracedList([&] {
    int value;
    if (!ParseEnumWord(reader, PrecisionNames(), &value)) return false;
    precisions->push_back(static_cast<Precision>(value));
    return true;
  });
}

bool ParseShapeList(TokenReader& reader, MissingLayout missing_layout, std::vector<Shape>* shapes) {
  return reader.ParseBracedList([&] {
    shapes->emplace_back();
    return ParseShape(reader, missing_layout, &shapes->back());
  });
}

// {} or a sharding.
bool ParseDomainSide(TokenReader& reader, absl::optional<Sharding>* side) {
  if (reader.Is(TokenKind::kLeftBrace) && reader.Peek().kind == TokenKind::kRightBrace) {
    reader.Next();
    reader.Next();
    return true;
  }
  side->emplace();
  return ParseSharding(reader, &**side);
}

// {kind="sharding", entry={..}, exit={..}}, fields in any order.
bool ParseDomain(TokenReader& reader, Domain* domain) {
  const char* const begin = reader.token().begin;
  bool has_kind = false, has_entry = false, has_exit = false;
  const auto parse = [&] {
    const Token name = reader.token();
    const auto once = [&](bool* seen) {
      if (*seen) return reader.Error(absl::StrCat("field ", name.text, " of the domain is given twice"));
      *seen = true;
      reader.Next();
      return true;
    };
    if (reader.IsAttribute("entry")) return once(&has_entry) && ParseDomainSide(reader, &domain->entry);
    if (reader.IsAttribute("exit")) return once(&has_exit) && ParseDomainSide(reader, &domain->exit);
    if (!reader.IsAttribute("kind")) return reader.ErrorExpected("kind=, entry= or exit= in a domain");
    std::string kind;
    if (!once(&has_kind)) return false;
    const char* const at = reader.token().begin;
    if (!reader.ParseString(&kind)) return false;
    return kind == "sharding" ||
           reader.ErrorAt(at, absl::StrCat("the kind of a domain must be \"sharding\", found ", Quoted(kind)));
  };
  if (!reader.ParseBracedList(parse)) return false;
  return (has_kind && has_entry && has_exit) || reader.ErrorAt(begin, "a domain needs kind=, entry= and exit=");
}

// {0}: (1, {})
bool ParseAlias(TokenReader& reader, OutputOperandAlias* alias) {
  return reader.ParseShapeIndex(&alias->output_index) &&
         reader.Expect(TokenKind::kColon, "between the output index and the operand of an alias") &&
         reader.Expect(TokenKind::kLeftParen, "before the operand of an alias") &&
         reader.ParseNonNegative(&alias->operand, "an operand number") &&
         reader.Expect(TokenKind::kComma, "between the operand of an alias and its index") &&
         reader.ParseShapeIndex(&alias->operand_index) &&
         reader.Expect(TokenKind::kRightParen, "after the operand of an alias");
}

template <typename T>
T& Emplace(absl::optional<T>* value) {
  return value->emplace();
}

}  // namespace

bool ParseOutputOperandAliasing(TokenReader& reader, std::vector<OutputOperandAlias>* aliases) {
  return reader.ParseBracedListWithTrailingComma([&] {
    aliases->emplace_back();
    return ParseAlias(reader, &aliases->back());
  });
}

// Parses the value of one attribute; the kind of its field in the schema says how it is written. False after an
// error, which the reader then holds.
bool ParseAttributeValue(TokenReader& reader, const AttributeField& field, MissingLayout missing_layout,
                         Attributes* attributes) {
  Attributes& a = *attributes;
  switch (field.kind) {
    case FieldKind::kBool:
      return reader.ParseBool(&field.Get<bool>(a));
    case FieldKind::kTriState:
      return ParseTriState(reader, &field.Get<int32_t>(a));
    case FieldKind::kInt:
      return reader.ParseInt(&field.Get<int64_t>(a));
    case FieldKind::kOptionalInt:
      return reader.ParseInt(&Emplace(&field.Get<absl::optional<int64_t>>(a)));
    case FieldKind::kOneDimension:
      return ParseOneDimension(reader, &field.Get<int64_t>(a));
    case FieldKind::kOptionalDimension:
      return ParseOneDimension(reader, &Emplace(&field.Get<absl::optional<int64_t>>(a)));
    case FieldKind::kFloat:
      return reader.ParseFloat(&field.Get<float>(a));
    case FieldKind::kString:
      return reader.ParseString(&field.Get<std::string>(a));
    case FieldKind::kIntList:
      return reader.ParseIntList(&field.Get<DimensionVector>(a));
    case FieldKind::kIntLists: {
      auto& lists = field.Get<std::vector<std::vector<int64_t>>>(a);
      return reader.ParseBracedList([&] {
        lists.emplace_back();
        return reader.ParseIntList(&lists.back());
      });
    }
    case FieldKind::kBoolList: {
      auto& list = field.Get<std::vector<bool>>(a);
      return reader.ParseBracedList([&] {
        bool value;
        if (!reader.ParseBool(&value)) return false;
        list.push_back(value);
        return true;
      });
    }
    case FieldKind::kEnum: {
      int value;
      if (!ParseEnumWord(reader, *field.enums, &value)) return false;
      field.Get<int32_t>(a) = value;
      return true;
    }
    case FieldKind::kPrecisionList:
      return ParsePrecisionList(reader, &field.Get<std::vector<Precision>>(a));
    case FieldKind::kWindow:
      return ParseWindow(reader, &field.Get<Window>(a));
    case FieldKind::kOptionalWindow:
      return ParseWindow(reader, &Emplace(&field.Get<absl::optional<Window>>(a)));
    case FieldKind::kDimLabels:
      return ParseDimLabels(reader, &field.Get<ConvolutionDimensionNumbers>(a));
    case FieldKind::kOptionalDimLabels:
      return ParseDimLabels(reader, &Emplace(&field.Get<absl::optional<ConvolutionDimensionNumbers>>(a)));
    case FieldKind::kPadding:
      return ParsePadding(reader, &field.Get<PaddingConfig>(a));
    case FieldKind::kSlice:
      return ParseSlice(reader, &field.Get<std::vector<SliceRange>>(a));
    case FieldKind::kReplicaGroups:
      return ParseReplicaGroups(reader, &field.Get<ReplicaGroups>(a));
    case FieldKind::kSourceTargetPairs:
      return ParseSourceTargetPairs(reader, &field.Get<std::vector<std::pair<int64_t, int64_t>>>(a));
    case FieldKind::kShape:
      return ParseShape(reader, missing_layout, &field.Get<Shape>(a));
    case FieldKind::kShapeList:
      return ParseShapeList(reader, missing_layout, &field.Get<std::vector<Shape>>(a));
    case FieldKind::kOptionalShapeList:
      return ParseShapeList(reader, missing_layout, &Emplace(&field.Get<absl::optional<std::vector<Shape>>>(a)));
    case FieldKind::kAliasing:
      return ParseOutputOperandAliasing(reader, &field.Get<std::vector<OutputOperandAlias>>(a));
    case FieldKind::kLiteral:
      return ParseLiteralWithShape(reader, &field.Get<std::shared_ptr<const Literal>>(a));
    case FieldKind::kDomain:
      return ParseDomain(reader, &field.Get<Domain>(a));
    case FieldKind::kSparsity:
      return ParseSparsity(reader, &field.Get<ConvolutionSparsity>(a));
  }
  return false;
}

}  // namespace xla
