// Attributes of the dialects stablehlo and chlo, and of dialects that we do not know.
#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/stablehlo/text/attribute_parser.h"

namespace xla {
namespace stablehlo {

// Splits #dialect.name<...> and #dialect<name ...>; both forms name an attribute of a dialect.
bool AttributeParser::ReadDialectAttribute(const Token& token_of_name, AttributeId* attribute) {
  const absl::string_view text = token_of_name.text.substr(1);
  const size_t dot = text.find('.');
  const absl::string_view dialect = text.substr(0, dot);
  const bool is_known = dialect == "stablehlo" || dialect == "chlo" || dialect == "sdy" || dialect == "mhlo";
  const bool has_body = token_of_name.end() < text_end() && *token_of_name.end() == '<';
  if (dot == absl::string_view::npos && !has_body) {
    return Error(absl::StrCat("the alias ", Quoted(token_of_name.text), " is not defined before this place"));
  }
  if (!is_known) return ReadOpaque(dialect, token_of_name, attribute);
  Advance();
  if (dot != absl::string_view::npos) {
    return ReadNamedDialectAttribute(dialect, text.substr(dot + 1), token_of_name, attribute);
  }
  absl::string_view name;
  return Expect('<') && ReadWord("the name of an attribute", &name) &&
         ReadNamedDialectAttribute(dialect, name, token_of_name, attribute) && Expect('>');
}

// What follows the name. An enumerator is `<HIGH>` or, inside of `#stablehlo<precision HIGH>`, `HIGH`.
bool AttributeParser::ReadNamedDialectAttribute(absl::string_view dialect, absl::string_view name, const Token& at,
                                                AttributeId* attribute) {
  if (dialect == "sdy") return ReadSdyAttribute(name, at, attribute);
  if (const EnumForm* form = FindEnumForm(dialect, name); form != nullptr) {
    const bool is_bracketed = ConsumeIf('<');
    return ReadEnumerator(dialect, *form, attribute) && (!is_bracketed || Expect('>'));
  }
  const std::string full_name = absl::StrCat(dialect, ".", name);
  if (name == "type_extensions" && dialect != "chlo") return ReadTypeExtensions(attribute);
  if (full_name == "stablehlo.bounds") return ReadBounds(attribute);
  if (full_name == "stablehlo.conv") {
    if (!token().Is('<')) return ErrorExpected("'<'");
    Lexer ahead(absl::string_view(token().end(), text_end() - token().end()));
    if (!ahead.Next().IsWord("raw")) {
      Advance();
      return ReadDimensionLetters(attribute) && Expect('>');
    }
  }
  if (full_name == "stablehlo.replica_group_mesh_axes") return ReadMeshAxesGroups(attribute);
  if (full_name == "stablehlo.mesh") return ReadStablehloMesh(attribute);
  if (full_name == "stablehlo.mesh_axis") return ReadStablehloAxis(attribute);
  if (full_name == "stablehlo.axis_ref") return ReadAxisReference(attribute);
  const StructForm* const form = FindStructForm(full_name);
  if (form != nullptr) return ReadStruct(*form, attribute);
  return ErrorAt(at.begin(), absl::StrCat("the dialect ", dialect, " does not have an attribute ", Quoted(name)));
}

bool AttributeParser::ReadEnumerator(absl::string_view dialect, const EnumForm& form, AttributeId* attribute) {
  for (const absl::string_view value : form.values) {
    if (!token().IsWord(value)) continue;
    *attribute = module_.Intern(EnumAttribute(absl::StrCat(dialect, ".", form.name), value));
    Advance();
    return true;
  }
  return ErrorExpected(absl::StrCat("one of ", absl::StrJoin(form.values, ", ")));
}

AttributeId AttributeParser::DefaultOf(const StructField& field) {
  switch (field.kind) {
    case FieldKind::kIntegers:
      return module_.Int64Array({});
    case FieldKind::kInteger:
      return module_.Int64(0);
    case FieldKind::kFloat: {
      Attribute zero;
      zero.kind = AttributeKind::kFloat;
      zero.type = module_.Intern(FloatType(FloatKind::kF64));
      return module_.Intern(zero);
    }
    case FieldKind::kBool:
      return module_.Intern(BoolAttribute(false));
    case FieldKind::kType:
      return module_.Intern(TypeAttribute(module_.Intern(SimpleType(TypeKind::kNone))));
    case FieldKind::kMode:
      return module_.Intern(EnumAttribute("stablehlo.result_accuracy_mode", "DEFAULT"));
  }
  return {};
}

bool AttributeParser::ReadField(const StructField& field, AttributeId* value) {
  switch (field.kind) {
    case FieldKind::kIntegers: {
      std::vector<int64_t> integers;
      if (!ReadIntegers(&integers)) return false;
      *value = module_.Int64Array(integers);
      return true;
    }
    case FieldKind::kInteger: {
      int64_t integer = 0;
      if (!ReadInteger(&integer)) return false;
      *value = module_.Int64(integer);
      return true;
    }
    case FieldKind::kFloat: {
      double number = 0;
      if (!ReadNumber(&number)) return false;
      Attribute attribute;
      attribute.kind = AttributeKind::kFloat;
      attribute.type = module_.Intern(FloatType(FloatKind::kF64));
      attribute.real = number;
      attribute.integer = static_cast<int64_t>(FloatToBits(FloatKind::kF64, number));
      *value = module_.Intern(attribute);
      return true;
    }
    case FieldKind::kBool: {
      bool truth = false;
      if (!ReadBool(&truth)) return false;
      *value = module_.Intern(BoolAttribute(truth));
      return true;
    }
    case FieldKind::kType: {
      TypeId type;
      if (!ReadType(&type)) return false;
      *value = module_.Intern(TypeAttribute(type));
      return true;
    }
    case FieldKind::kMode: {
      const char* const at = token().begin();
      if (!ReadAttribute(value)) return false;
      return module_.attribute(*value).name == "stablehlo.result_accuracy_mode" ||
             ErrorAt(at, "expected an attribute such as #stablehlo.result_accuracy_mode<DEFAULT>");
    }
  }
  return false;
}

// `name = value`; `values` are by the order of the fields, and not ok() where none was read yet.
bool AttributeParser::ReadStructField(const StructForm& form, std::vector<AttributeId>* values) {
  for (size_t i = 0; i < form.fields.size(); ++i) {
    const StructField& field = form.fields[i];
    if (!token().IsWord(field.name)) continue;
    if ((*values)[i].ok()) return Error(absl::StrCat("the field ", field.name, " is duplicated"));
    Advance();
    return Expect('=') && ReadField(field, &(*values)[i]);
  }
  std::vector<absl::string_view> names;
  for (const StructField& field : form.fields) names.push_back(field.name);
  return ErrorExpected(absl::StrCat("one of the fields ", absl::StrJoin(names, ", ")));
}

bool AttributeParser::ReadStruct(const StructForm& form, AttributeId* attribute) {
  std::vector<AttributeId> values(form.fields.size());
  if (!Expect('<')) return false;
  if (form.name == "stablehlo.conv") ConsumeWordIf("raw");
  if (!ReadListUntil('>', [&] { return ReadStructField(form, &values); })) return false;
  NamedAttributes fields;
  for (size_t i = 0; i < values.size(); ++i) {
    fields.push_back({form.fields[i].name, values[i].ok() ? values[i] : DefaultOf(form.fields[i])});
  }
  *attribute = module_.Struct(form.name, std::move(fields));
  return true;
}

// <6, ?>
bool AttributeParser::ReadBounds(AttributeId* attribute) {
  std::vector<int64_t> bounds;
  const bool is_read = ReadList('<', '>', [&] {
    bounds.push_back(kDynamic);
    return ConsumeIf('?') || ReadIntegerFrom(0, &bounds.back());
  });
  if (is_read) *attribute = module_.Struct("stablehlo.bounds", {{"bounds", module_.Int64Array(bounds)}});
  return is_read;
}

// <bounds = [6, ?]>, an older form of bounds
bool AttributeParser::ReadTypeExtensions(AttributeId* attribute) {
  std::vector<int64_t> bounds;
  if (!Expect('<') || !ExpectAssignment("bounds")) return false;
  const bool is_read = ReadList('[', ']', [&] {
    bounds.push_back(kDynamic);
    return ConsumeIf('?') || ReadInteger(&bounds.back());
  });
  if (!is_read || !Expect('>')) return false;
  // Older texts say -1 where there is no bound.
  for (int64_t& bound : bounds) bound = bound < 0 ? kDynamic : bound;
  *attribute = module_.Struct("stablehlo.bounds", {{"bounds", module_.Int64Array(bounds)}});
  return true;
}

// <mesh = @mesh, axes = [#stablehlo.axis_ref<name = "a">]>
bool AttributeParser::ReadMeshAxesGroups(AttributeId* attribute) {
  AttributeId mesh;
  AttributeId axes;
  if (!Expect('<') || !ExpectAssignment("mesh") || !ReadAttribute(&mesh) || !Expect(',') || !ExpectAssignment("axes")) {
    return false;
  }
  std::vector<AttributeId> elements;
  const bool is_read = ReadList('[', ']', [&] {
    elements.emplace_back();
    return token().Is('<') ? ReadAxisReference(&elements.back()) : ReadAttribute(&elements.back());
  });
  if (!is_read) return false;
  axes = module_.Intern(ArrayAttribute(elements));
  *attribute = module_.Struct("stablehlo.replica_group_mesh_axes", {{"mesh", mesh}, {"axes", axes}});
  return Expect('>');
}

// <name = "a", sub_axis_info = (1)2>
bool AttributeParser::ReadAxisReference(AttributeId* attribute) {
  std::string name;
  if (!Expect('<') || !ExpectAssignment("name") || !ReadString(&name)) return false;
  NamedAttributes fields = {{"name", module_.String(name)}};
  if (ConsumeIf(',')) {
    int64_t pre_size = 0;
    int64_t size = 0;
    if (!ExpectAssignment("sub_axis_info") || !Expect('(') || !ReadIntegerFrom(1, &pre_size) || !Expect(')') ||
        !ReadIntegerFrom(1, &size)) {
      return false;
    }
    fields.push_back({"sub_axis_info", module_.Struct("stablehlo.sub_axis_info", {{"pre_size", module_.Int64(pre_size)},
                                                                                  {"size", module_.Int64(size)}})});
  }
  *attribute = module_.Struct("stablehlo.axis_ref", std::move(fields));
  return Expect('>');
}

// <name = "a", size = 2>
bool AttributeParser::ReadStablehloAxis(AttributeId* attribute) {
  std::string name;
  int64_t size = 0;
  if (!Expect('<') || !ExpectAssignment("name") || !ReadString(&name) || !Expect(',') || !ExpectAssignment("size") ||
      !ReadIntegerFrom(1, &size)) {
    return false;
  }
  *attribute = module_.Struct("stablehlo.mesh_axis", {{"name", module_.String(name)}, {"size", module_.Int64(size)}});
  return Expect('>');
}

// <axes=[<name = "a", size = 2>], device_ids=dense<[1, 0]> : tensor<2xi64>>
bool AttributeParser::ReadStablehloMesh(AttributeId* attribute) {
  std::vector<AttributeId> axes;
  if (!Expect('<') || !ExpectAssignment("axes")) return false;
  const bool is_read = ReadList('[', ']', [&] {
    axes.emplace_back();
    return token().Is('<') ? ReadStablehloAxis(&axes.back()) : ReadAttribute(&axes.back());
  });
  if (!is_read) return false;
  NamedAttributes fields = {{"axes", module_.Intern(ArrayAttribute(axes))}};
  if (ConsumeIf(',')) {
    AttributeId device_ids;
    if (!ExpectAssignment("device_ids") || !ReadAttribute(&device_ids)) return false;
    fields.push_back({"device_ids", device_ids});
  }
  *attribute = module_.Struct("stablehlo.mesh", std::move(fields));
  return Expect('>');
}

// Skips from an opening bracket to after the one that closes it.
bool AttributeParser::SkipBalanced() {
  const char* const at = token().begin();
  std::string open;
  do {
    const Token& next = token();
    if (next.Is(TokenKind::kEnd) || next.Is(TokenKind::kError)) {
      return next.Is(TokenKind::kError) ? Error("") : ErrorAt(at, "this bracket is not closed");
    }
    if (next.Is('(') || next.Is('[') || next.Is('{') || next.Is('<')) {
      open.push_back(next.character);
    } else if (next.Is(')') || next.Is(']') || next.Is('}') || next.Is('>')) {
      const char opened = next.Is(')') ? '(' : next.Is(']') ? '[' : next.Is('}') ? '{' : '<';
      if (open.empty() || open.back() != opened) return Error("this bracket closes none");
      open.pop_back();
    }
    Advance();
  } while (!open.empty());
  return true;
}

bool AttributeParser::ReadOpaque(absl::string_view dialect, const Token& name, AttributeId* attribute) {
  Advance();
  const char* end = name.end();
  if (token().Is('<') && token().begin() == end) {
    if (!SkipBalanced()) return false;
    end = token().begin();
    while (end > name.end() && end[-1] != '>') --end;
  }
  Attribute opaque;
  opaque.kind = AttributeKind::kOpaque;
  opaque.name = dialect;
  opaque.text = absl::string_view(name.begin(), end - name.begin());
  *attribute = module_.Intern(opaque);
  return true;
}

}  // namespace stablehlo
}  // namespace xla
