// Attributes of the builtin dialect.
#include "builders/stablehlo/text/attribute_parser.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla_core/text/number_text.h"

namespace xla {
namespace stablehlo {

bool AttributeParser::ReadAttribute(AttributeId* attribute) {
  const Nested nested(this);
  if (!nested.ok()) return false;
  const Token& next = token();
  switch (next.kind) {
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return ReadNumberAttribute(attribute);
    case TokenKind::kString: {
      std::string text;
      if (!ReadString(&text)) return false;
      *attribute = module_.String(text);
      return true;
    }
    case TokenKind::kSymbol:
      return ReadSymbolAttribute(attribute);
    case TokenKind::kHashName:
      return ReadHashAttribute(attribute);
    default:
      break;
  }
  if (next.Is('-')) return ReadNumberAttribute(attribute);
  if (next.Is('[')) return ReadArray(attribute);
  if (next.Is('{')) {
    NamedAttributes fields;
    if (!ReadOptionalDictionary(&fields)) return false;
    *attribute = module_.Dictionary(std::move(fields));
    return true;
  }
  if (next.IsWord("true") || next.IsWord("false")) {
    *attribute = module_.Intern(BoolAttribute(next.text == "true"));
    Advance();
    return true;
  }
  if (next.IsWord("unit")) {
    *attribute = module_.Intern(UnitAttribute());
    Advance();
    return true;
  }
  if (next.IsWord("dense")) return ReadDense(attribute);
  if (next.IsWord("dense_resource")) return ReadResource(attribute);
  if (next.IsWord("array")) return ReadDenseArray(attribute);
  if (!next.Is(TokenKind::kWord) && !next.Is(TokenKind::kExclaimName) && !next.Is('(')) {
    return ErrorExpected("an attribute");
  }
  TypeId type;
  if (!ReadType(&type)) return false;
  *attribute = module_.Intern(TypeAttribute(type));
  return true;
}

bool AttributeParser::ReadNumberAttribute(AttributeId* attribute) {
  const bool is_negative = ConsumeIf('-');
  const Token number = token();
  if (!number.Is(TokenKind::kInteger) && !number.Is(TokenKind::kFloat)) return ErrorExpected("a number");
  Advance();
  TypeId type;
  if (ConsumeIf(':')) {
    const char* const at = token().begin();
    if (!ReadType(&type)) return false;
    const TypeKind kind = module_.type(type).kind;
    if (kind == TypeKind::kFloat) return ReadFloatOf(type, is_negative, number, attribute);
    if (kind != TypeKind::kInteger && kind != TypeKind::kIndex) {
      return ErrorAt(at, absl::StrCat("expected the type of a number, found ", TypeText(type)));
    }
  } else if (number.Is(TokenKind::kFloat)) {
    return ReadFloatOf(module_.Intern(FloatType(FloatKind::kF64)), is_negative, number, attribute);
  } else {
    type = module_.Intern(IntegerType(64));
  }
  if (number.Is(TokenKind::kFloat)) {
    return ErrorAt(number.begin(), absl::StrCat("expected an integer because the type is ", TypeText(type)));
  }
  return ReadIntegerOf(type, is_negative, number, attribute);
}

bool AttributeParser::ReadIntegerOf(TypeId type_id, bool is_negative, const Token& number, AttributeId* attribute) {
  const Type& type = module_.type(type_id);
  const int width = type.kind == TypeKind::kIndex ? 64 : static_cast<int>(type.width);
  if (width > 64) {
    return ErrorAt(number.begin(),
                   absl::StrCat("numbers of the type ", TypeText(type_id), " are not supported; use at most 64 bits"));
  }
  uint64_t magnitude = 0;
  const bool is_hex = number.text.size() > 2 && number.text[1] == 'x';
  const bool is_read =
      is_hex ? absl::SimpleHexAtoi(number.text, &magnitude) : absl::SimpleAtoi(number.text, &magnitude);
  // A signless type takes numbers of both readings of its bits.
  const uint64_t top_bit = uint64_t{1} << (width - 1);
  const uint64_t most = is_negative ? (type.signedness == Signedness::kUnsigned ? 0 : top_bit)
                        : type.signedness == Signedness::kSigned ? top_bit - 1
                                                                 : top_bit + (top_bit - 1);
  if (!is_read || magnitude > most) {
    return ErrorAt(number.begin(), absl::StrCat(is_negative ? "-" : "", number.text, " is not a number of the type ",
                                                TypeText(type_id)));
  }
  if (type.kind == TypeKind::kInteger && width == 1 && type.signedness == Signedness::kSignless) {
    *attribute = module_.Intern(BoolAttribute(magnitude != 0));
    return true;
  }
  uint64_t value = is_negative ? -magnitude : magnitude;
  const bool extends_sign = type.signedness != Signedness::kUnsigned && (value & top_bit) != 0;
  if (extends_sign) value |= ~(top_bit + (top_bit - 1));
  *attribute = module_.Intern(IntegerAttribute(type_id, static_cast<int64_t>(value)));
  return true;
}

bool AttributeParser::ReadFloatOf(TypeId type_id, bool is_negative, const Token& number, AttributeId* attribute) {
  const FloatKindInfo& info = GetFloatKindInfo(module_.type(type_id).float_kind);
  if (info.type == PRIMITIVE_TYPE_INVALID) {
    return ErrorAt(number.begin(), absl::StrCat("numbers of the type ", info.name, " are not supported"));
  }
  Attribute result;
  result.kind = AttributeKind::kFloat;
  result.type = type_id;
  uint64_t bits = 0;
  if (number.Is(TokenKind::kFloat)) {
    double value = 0;
    if (!TextToDouble(number.text, &value)) return ErrorAt(number.begin(), "this number is not a finite double");
    bits = FloatToBits(info.kind, is_negative ? -value : value);
  } else if (is_negative || number.text.size() < 3 || number.text[1] != 'x') {
    return ErrorAt(number.begin(), absl::StrCat("expected a number with a dot, or its bits such as 0x7FC00000, "
                                                "because the type is ",
                                                info.name));
  } else if (!absl::SimpleHexAtoi(number.text, &bits) || (info.bits < 64 && bits >> info.bits != 0)) {
    return ErrorAt(number.begin(), absl::StrCat("the type ", info.name, " has only ", info.bits, " bits"));
  }
  result.integer = static_cast<int64_t>(bits);
  result.real = FloatFromBits(info.kind, bits);
  *attribute = module_.Intern(result);
  return true;
}

bool AttributeParser::ReadSymbolAttribute(AttributeId* attribute) {
  std::string root;
  if (!ReadSymbol(&root)) return false;
  std::vector<AttributeId> nested;
  while (ConsumeIf(TokenKind::kDoubleColon)) {
    std::string name;
    if (!ReadSymbol(&name)) return false;
    nested.push_back(module_.Symbol(name));
  }
  Attribute symbol = TextAttribute(AttributeKind::kSymbol, root);
  symbol.elements = nested;
  *attribute = module_.Intern(symbol);
  return true;
}

bool AttributeParser::ReadArray(AttributeId* attribute) {
  std::vector<AttributeId> elements;
  const bool is_read = ReadList('[', ']', [&] {
    elements.emplace_back();
    return ReadAttribute(&elements.back());
  });
  if (is_read) *attribute = module_.Intern(ArrayAttribute(elements));
  return is_read;
}

bool AttributeParser::AddField(absl::string_view name, AttributeId value, const char* at, NamedAttributes* fields) {
  for (const NamedAttribute& field : *fields) {
    if (field.name == name) return ErrorAt(at, absl::StrCat("the attribute ", Quoted(name), " is duplicated"));
  }
  fields->push_back({module_.Intern(name), value});
  return true;
}

bool AttributeParser::ReadOptionalDictionary(NamedAttributes* fields) {
  return !ConsumeIf('{') || ReadDictionaryBody(fields);
}

bool AttributeParser::ReadDictionaryBody(NamedAttributes* fields) {
  const char* const at_brace = token().begin();
  const size_t before = fields->size();
  const bool is_read = ReadListUntil('}', [&] {
    std::string quoted;
    absl::string_view name = token().text;
    if (token().Is(TokenKind::kString)) {
      if (!ReadString(&quoted)) return false;
      name = quoted;
    } else if (token().Is(TokenKind::kWord)) {
      Advance();
    } else {
      return ErrorExpected("the name of an attribute");
    }
    AttributeId value;
    const bool has_value = ConsumeIf('=');
    if (has_value && !ReadAttribute(&value)) return false;
    if (!has_value) value = module_.Intern(UnitAttribute());
    fields->push_back({module_.Intern(name), value});
    return true;
  });
  if (!is_read) return false;
  // Sorted for the comparison only: a dictionary may be long.
  std::vector<absl::string_view> names;
  for (const NamedAttribute& field : *fields) names.push_back(field.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end() || fields->size() == before) return true;
  return ErrorAt(at_brace, absl::StrCat("the attribute ", Quoted(*twice), " is duplicated"));
}

bool AttributeParser::ReadIntegersUntil(char close, std::vector<int64_t>* values) {
  return ReadListUntil(close, [&] {
    values->push_back(0);
    return ReadInteger(&values->back());
  });
}

bool AttributeParser::ReadIntegers(std::vector<int64_t>* values) {
  return Expect('[') && ReadIntegersUntil(']', values);
}

// array<i64: 1, 2>
bool AttributeParser::ReadDenseArray(AttributeId* attribute) {
  Advance();
  TypeId type;
  if (!Expect('<')) return false;
  const char* const at = token().begin();
  if (!ReadType(&type)) return false;
  const TypeKind kind = module_.type(type).kind;
  const int64_t bytes = ElementBytes(module_, type);
  if ((kind != TypeKind::kInteger && kind != TypeKind::kFloat) || bytes == 0 || bytes > 8) {
    return ErrorAt(at, absl::StrCat("expected the type of the numbers of an array, found ", TypeText(type)));
  }
  std::string data;
  const auto read_element = [&] {
    if (token().IsWord("true") || token().IsWord("false")) {
      data.push_back(token().text == "true");
      Advance();
      return bytes == 1 || ErrorAt(at, "expected the type i1, because the array has truth values");
    }
    const bool is_negative = ConsumeIf('-');
    const Token number = token();
    if (!number.Is(TokenKind::kInteger) && !number.Is(TokenKind::kFloat)) return ErrorExpected("a number");
    Advance();
    if (number.Is(TokenKind::kFloat) && kind == TypeKind::kInteger) {
      return ErrorAt(number.begin(), absl::StrCat("expected an integer because the type is ", TypeText(type)));
    }
    AttributeId element;
    if (kind == TypeKind::kFloat ? !ReadFloatOf(type, is_negative, number, &element)
                                 : !ReadIntegerOf(type, is_negative, number, &element)) {
      return false;
    }
    const int64_t bits = module_.attribute(element).integer;
    data.append(reinterpret_cast<const char*>(&bits), bytes);
    return true;
  };
  if (ConsumeIf(':') ? !ReadListUntil('>', read_element) : !Expect('>')) return false;
  absl::string_view kept = data;
  if (data.size() > kMaxInternedBytes) kept = module_.KeepBytes(data);
  *attribute = module_.Intern(DenseArrayAttribute(type, kept));
  return true;
}

// An alias or an attribute of a dialect: #map, #stablehlo.gather<...>, #stablehlo<precision HIGH>.
bool AttributeParser::ReadHashAttribute(AttributeId* attribute) {
  const Token name = token();
  const auto alias = attribute_aliases_.find(name.text);
  return alias == attribute_aliases_.end() ? ReadDialectAttribute(name, attribute) : UseAlias(alias->second, attribute);
}

bool AttributeParser::ReadAttributeAlias() {
  const Token name = token();
  Advance();
  if (!Expect('=')) return false;
  if (attribute_aliases_.count(name.text) + location_aliases_.count(name.text) > 0) {
    return ErrorAt(name.begin(), absl::StrCat("the alias ", Quoted(name.text), " is defined twice"));
  }
  if (!token().IsWord("loc")) {
    Alias<Attribute> alias;
    const char* const body = token().begin();
    const int64_t before = written_out_;
    if (!ReadAttribute(&alias.id)) return false;
    alias.length = token().begin() - body + written_out_ - before;
    attribute_aliases_.emplace(name.text, alias);
    return true;
  }
  // Locations may name aliases that come later, so that they are read at the end.
  LocationAlias alias;
  alias.body = token().begin();
  location_aliases_.emplace(name.text, alias);
  location_alias_names_.push_back(name.text);
  Advance();
  return token().Is('(') ? SkipBalanced() : ErrorExpected("'('");
}

bool AttributeParser::ReadTypeAlias() {
  const Token name = token();
  Advance();
  if (!Expect('=')) return false;
  Alias<Type> alias;
  const char* const body = token().begin();
  const int64_t before = written_out_;
  if (!ReadType(&alias.id)) return false;
  alias.length = token().begin() - body + written_out_ - before;
  if (!type_aliases_.emplace(name.text, alias).second) {
    return ErrorAt(name.begin(), absl::StrCat("the alias ", Quoted(name.text), " is defined twice"));
  }
  return true;
}

}  // namespace stablehlo
}  // namespace xla
