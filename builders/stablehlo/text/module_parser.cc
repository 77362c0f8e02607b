// Modules, functions and what stands around them.
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/hex_bytes.h"
#include "builders/stablehlo/text/operation_parser.h"
#include "builders/stablehlo/text/parser.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {

bool OperationParser::ReadFile() {
  std::vector<OperationId> operations;
  while (!token().Is(TokenKind::kEnd)) {
    if (!ReadTopLevel(&operations)) return false;
  }
  if (operations.empty()) return ErrorExpected("a module or a function");
  const bool is_module = operations.size() == 1 && module_.operation(operations[0]).name == "builtin.module";
  if (is_module) {
    module_.set_root(operations[0]);
  } else {
    const RegionId regions[] = {module_.AddRegion({module_.AddBlock({}, operations)})};
    Operation root;
    root.name = "builtin.module";
    root.regions = regions;
    root.line = 1;
    root.column = 1;
    module_.set_root(module_.Add(root));
  }
  return SettleLocations();
}

bool OperationParser::ReadTopLevel(std::vector<OperationId>* operations) {
  if (token().Is(TokenKind::kHashName)) return ReadAttributeAlias();
  if (token().Is(TokenKind::kExclaimName)) return ReadTypeAlias();
  if (token().Is(TokenKind::kOpenFile)) return ReadResources();
  operations->emplace_back();
  return ReadOperation(&operations->back());
}

// {-# dialect_resources: { builtin: { key: "0x04000000..." } }, external_resources: {...} #-}
bool OperationParser::ReadResources() {
  Advance();
  while (!ConsumeIf(TokenKind::kCloseFile)) {
    const bool keeps = token().IsWord("dialect_resources");
    if (!keeps && !token().IsWord("external_resources")) {
      return ErrorExpected("dialect_resources or external_resources");
    }
    Advance();
    if (!Expect(':')) return false;
    const bool is_read = ReadList('{', '}', [&] {
      absl::string_view dialect;
      return ReadWord("the name of a dialect", &dialect) && Expect(':') &&
             ReadResourceGroup(keeps && dialect == "builtin");
    });
    if (!is_read) return false;
    if (!ConsumeIf(',') && !token().Is(TokenKind::kCloseFile)) return ErrorExpected("',' or '#-}'");
  }
  return true;
}

// { key: "0x04000000...", other: "..." }
bool OperationParser::ReadResourceGroup(bool keeps) {
  return ReadList('{', '}', [&] {
    std::string key(token().text);
    if (token().Is(TokenKind::kString)) {
      if (!ReadString(&key)) return false;
    } else if (!ConsumeIf(TokenKind::kWord)) {
      return ErrorExpected("the key of a resource");
    }
    return Expect(':') && ReadResourceBlob(key, keeps);
  });
}

// The digits are those of the alignment, a number of four bytes, and of the data.
bool OperationParser::ReadResourceBlob(const std::string& key, bool keeps) {
  if (!keeps) {
    if (!token().Is(TokenKind::kString) && !token().IsWord("true") && !token().IsWord("false")) {
      return ErrorExpected("a string, true or false");
    }
    Advance();
    return true;
  }
  if (!token().Is(TokenKind::kString)) return ErrorExpected("a string of hexadecimal digits");
  const absl::string_view digits = token().text.substr(1, token().text.size() - 2);
  if (digits.size() < 10 || digits.substr(0, 2) != "0x" || digits.size() % 2 != 0) {
    return Error("expected a string of 0x, eight digits for the alignment and two digits for each byte");
  }
  unsigned char alignment[4];
  const char* wrong = DecodeHex(digits.substr(2, 8), reinterpret_cast<char*>(alignment));
  const size_t size = digits.size() / 2 - 5;
  char* const data = module_.NewBytes(size);
  if (wrong == nullptr) wrong = DecodeHex(digits.substr(10), data);
  if (wrong != nullptr) return ErrorAt(wrong, "expected a hexadecimal digit");
  Resource resource;
  resource.data = absl::string_view(data, size);
  resource.alignment = alignment[0] | alignment[1] << 8 | alignment[2] << 16 | int64_t{alignment[3]} << 24;
  if (!module_.AddResource(key, resource)) return Error(absl::StrCat("the resource ", Quoted(key), " is duplicated"));
  Advance();
  return true;
}

// [@name] [attributes {...}] {...}
bool OperationParser::ReadModule(State* state) {
  if (token().Is(TokenKind::kSymbol)) {
    std::string name;
    if (!ReadSymbol(&name) || !Put("sym_name", module_.String(name), state)) return false;
  }
  if (ConsumeWordIf("attributes")) {
    if (!token().Is('{')) return ErrorExpected("'{'");
    if (!ReadOptionalDictionary(&state->attributes)) return false;
  }
  state->regions.emplace_back();
  if (!ReadRegion(/*is_isolated=*/true, {}, &state->regions.back())) return false;
  // A module always has a block.
  if (module_.region(state->regions.back()).blocks.empty()) {
    state->regions.back() = module_.AddRegion({module_.AddBlock({}, {})});
  }
  return true;
}

// [public] @name(%a: T {...}) -> (R {...}) [attributes {...}] [{...}]
bool OperationParser::ReadFunction(State* state) {
  for (const absl::string_view visibility : {"public", "private", "nested"}) {
    if (!token().IsWord(visibility)) continue;
    if (!Put("sym_visibility", module_.String(visibility), state)) return false;
    Advance();
    break;
  }
  std::string name;
  std::vector<Argument> arguments;
  std::vector<AttributeId> argument_dictionaries;
  std::vector<TypeId> results;
  std::vector<AttributeId> result_dictionaries;
  if (!ReadSymbol(&name) || !Put("sym_name", module_.String(name), state) ||
      !ReadFunctionArguments(&arguments, &argument_dictionaries) ||
      (ConsumeIf(TokenKind::kArrow) && !ReadFunctionResults(state, &results, &result_dictionaries))) {
    return false;
  }
  std::vector<TypeId> argument_types;
  for (const Argument& argument : arguments) argument_types.push_back(argument.type);
  const TypeId type = module_.Intern(FunctionType(argument_types, results));
  if (!Put("function_type", module_.Intern(TypeAttribute(type)), state)) return false;
  const AttributeId none = module_.Dictionary({});
  for (const auto& [key, dictionaries] :
       {std::make_pair("arg_attrs", &argument_dictionaries), std::make_pair("res_attrs", &result_dictionaries)}) {
    const bool has_some = std::any_of(dictionaries->begin(), dictionaries->end(),
                                      [&](AttributeId dictionary) { return dictionary != none; });
    if (has_some && !Put(key, module_.Intern(ArrayAttribute(*dictionaries)), state)) return false;
  }
  if (ConsumeWordIf("attributes")) {
    if (!token().Is('{')) return ErrorExpected("'{'");
    if (!ReadOptionalDictionary(&state->attributes)) return false;
  }
  state->regions.emplace_back();
  if (!token().Is('{')) {
    state->regions.back() = module_.AddRegion({});
    return true;
  }
  if (!arguments.empty() && arguments[0].name.empty()) {
    return ErrorAt(state->at, "the arguments of a function with a body need names");
  }
  return ReadRegion(/*is_isolated=*/true, arguments, &state->regions.back());
}

// (%a: T {...} loc(...), ...), in a declaration without names
bool OperationParser::ReadFunctionArguments(std::vector<Argument>* arguments, std::vector<AttributeId>* dictionaries) {
  return ReadList('(', ')', [&] {
    Argument argument;
    const bool has_name = token().Is(TokenKind::kValue);
    if (!arguments->empty() && has_name == arguments->back().name.empty()) {
      return Error("either all arguments have names, or none has one");
    }
    if (has_name && (!ReadValueName(&argument.name, &argument.at) || !Expect(':'))) return false;
    NamedAttributes attributes;
    if (!ReadType(&argument.type) || !ReadOptionalDictionary(&attributes)) return false;
    argument.value = module_.NewValue(argument.type, has_name ? argument.name.substr(1) : absl::string_view());
    arguments->push_back(argument);
    dictionaries->push_back(module_.Dictionary(std::move(attributes)));
    return ReadOptionalLocation(argument.value);
  });
}

// T, or (T {...}, U)
bool OperationParser::ReadFunctionResults(State* state, std::vector<TypeId>* types,
                                          std::vector<AttributeId>* dictionaries) {
  if (!token().Is('(')) {
    types->emplace_back();
    return ReadType(&types->back());
  }
  return ReadList('(', ')', [&] {
    NamedAttributes attributes;
    types->emplace_back();
    if (!ReadType(&types->back()) || !ReadOptionalDictionary(&attributes)) return false;
    dictionaries->push_back(module_.Dictionary(std::move(attributes)));
    return true;
  });
}

// @f(%a) {...} : (T) -> R
bool OperationParser::ReadCall(State* state) {
  std::string callee;
  return ReadSymbol(&callee) && Put("callee", module_.Symbol(callee), state) && ReadOperandsInParens(state) &&
         ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadFunctionalType(state);
}

namespace {

// `whole` is what messages show lines of; `part` begins in its line `first_line`.
absl::StatusOr<std::unique_ptr<Module>> ParsePart(absl::string_view whole, absl::string_view part, int32_t first_line,
                                                  const TextOptions& options) {
  const ResourceContext resources(options.resources, "reading the program");
  Diagnostics diagnostics(whole, options.file_name, &resources);
  auto module = std::make_unique<Module>();
  OperationParser parser(part, first_line, &diagnostics, module.get());
  parser.ReadFile();
  RETURN_IF_ERROR(diagnostics.ToStatus());
  return module;
}

bool IsBlank(absl::string_view text) { return Lexer(text).Next().Is(TokenKind::kEnd); }

}  // namespace

absl::StatusOr<std::unique_ptr<Module>> ParseModule(absl::string_view text, const TextOptions& options) {
  return ParsePart(text, text, /*first_line=*/1, options);
}

absl::StatusOr<AttributeId> ParseAttribute(absl::string_view text, Module* module) {
  Diagnostics diagnostics(text, "");
  AttributeParser parser(text, &diagnostics, module);
  AttributeId attribute;
  if (parser.ReadAttribute(&attribute) && !parser.token().Is(TokenKind::kEnd)) parser.ErrorExpected("the end");
  RETURN_IF_ERROR(diagnostics.ToStatus());
  return attribute;
}

absl::StatusOr<std::vector<std::unique_ptr<Module>>> ParseModules(absl::string_view text, const TextOptions& options) {
  constexpr absl::string_view kSeparator = "// -----";
  std::vector<std::unique_ptr<Module>> modules;
  size_t begin = 0;
  int32_t line = 1;
  while (begin < text.size()) {
    size_t end = text.find(kSeparator, begin);
    while (end != absl::string_view::npos && end > begin && text[end - 1] != '\n') end = text.find(kSeparator, end + 1);
    end = std::min(end, text.size());
    const absl::string_view part = text.substr(begin, end - begin);
    if (!IsBlank(part)) {
      ASSIGN_OR_RETURN(std::unique_ptr<Module> module, ParsePart(text, part, line, options));
      modules.push_back(std::move(module));
    }
    const size_t next = std::min(text.find('\n', end), text.size());
    line += static_cast<int32_t>(std::count(text.begin() + begin, text.begin() + next, '\n'));
    begin = next;
  }
  if (modules.empty()) return absl::InvalidArgumentError("the text has no module");
  return modules;
}

}  // namespace stablehlo
}  // namespace xla
