// Operations in generic form, their regions, blocks and values.
#include "builders/stablehlo/text/operation_parser.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/ir/attribute_values.h"

namespace xla {
namespace stablehlo {
namespace {

// More results than this an operation does not have.
constexpr int64_t kMaxResults = 1 << 20;

// Whether values from outside of the operation are unknown in its regions.
bool IsIsolated(absl::string_view name) {
  return name == "builtin.module" || name == "func.func" || name == "sdy.manual_computation";
}

// The properties that were tensors in old texts and are arrays today.
bool IsIntegerListProperty(absl::string_view name) {
  static constexpr absl::string_view kNames[] = {"base_dilations",
                                                 "broadcast_dimensions",
                                                 "broadcast_sizes",
                                                 "dimensions",
                                                 "edge_padding_high",
                                                 "edge_padding_low",
                                                 "fft_length",
                                                 "interior_padding",
                                                 "known_expanding_dimensions",
                                                 "lhs_dilation",
                                                 "known_nonexpanding_dimensions",
                                                 "limit_indices",
                                                 "permutation",
                                                 "rhs_dilation",
                                                 "slice_sizes",
                                                 "start_indices",
                                                 "strides",
                                                 "window_dilations",
                                                 "window_reversal",
                                                 "window_dimensions",
                                                 "window_strides"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

// Operations are read in the order in which they stand, so that each line is counted once.
void OperationParser::CountLines(const char* at, Operation* operation) {
  while (const void* newline = std::memchr(counted_to_, '\n', at - counted_to_)) {
    counted_to_ = static_cast<const char*>(newline) + 1;
    line_begin_ = counted_to_;
    ++line_;
  }
  counted_to_ = at;
  operation->line = line_;
  operation->column = static_cast<int32_t>(at - line_begin_ + 1);
}

bool OperationParser::ReadValueName(absl::string_view* name, const char** at) {
  if (!token().Is(TokenKind::kValue)) return ErrorExpected("a value such as %0");
  *name = token().text;
  *at = token().begin();
  Advance();
  return true;
}

bool OperationParser::Define(absl::string_view name, const char* at, Definition definition) {
  Scope& scope = scopes_.back();
  if (!scope.definitions.emplace(name, definition).second) {
    return ErrorAt(at, absl::StrCat("the value ", Quoted(name), " is defined twice"));
  }
  scope.order.push_back(name);
  return true;
}

// %name or %name#1
bool OperationParser::ReadOperand(State* state) {
  absl::string_view name;
  const char* at = nullptr;
  if (!ReadValueName(&name, &at)) return false;
  const Scope& scope = scopes_.back();
  const auto found = scope.definitions.find(name);
  if (found == scope.definitions.end()) {
    return ErrorAt(at, absl::StrCat("the value ", Quoted(name), " is not defined before this place"));
  }
  int64_t index = 0;
  const Definition& definition = found->second;
  if (ConsumeIf('#')) {
    const char* const index_at = token().begin();
    if (!ReadIntegerFrom(0, &index)) return false;
    if (index >= definition.count) {
      return ErrorAt(index_at, absl::StrCat("the value ", Quoted(name), " has only ", definition.count, " parts"));
    }
  }
  state->operands.push_back({{definition.first.index + static_cast<int32_t>(index)}, at});
  return true;
}

// One or more.
bool OperationParser::ReadOperands(State* state) {
  do {
    if (!ReadOperand(state)) return false;
  } while (ConsumeIf(','));
  return true;
}

bool OperationParser::ReadOperandsInParens(State* state) {
  return ReadList('(', ')', [&] { return ReadOperand(state); });
}

bool OperationParser::CheckOperands(const State& state, absl::Span<const TypeId> types, const char* at) {
  if (types.size() != state.operands.size()) {
    return ErrorAt(
        at, absl::StrCat("expected ", state.operands.size(), " types, one for each operand, found ", types.size()));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    const Value& value = module_.value(state.operands[i].value);
    if (value.type == types[i]) continue;
    return ErrorAt(state.operands[i].at, absl::StrCat("this value has the type ", TypeText(value.type),
                                                      ", but the operation says ", TypeText(types[i])));
  }
  return true;
}

// (T, T) -> R
bool OperationParser::ReadFunctionalType(State* state) {
  const char* const at = token().begin();
  std::vector<TypeId> operand_types;
  return ReadTypesInParens(&operand_types) && CheckOperands(*state, operand_types, at) && ExpectArrow() &&
         ReadResultTypes(&state->result_types);
}

bool OperationParser::CheckOperandCount(const State& state, int expected) {
  if (expected == kAnyNumber || state.operands.size() == static_cast<size_t>(expected)) return true;
  return ErrorAt(state.at, absl::StrCat(state.name, " has ", expected, " operands, found ", state.operands.size()));
}

absl::Span<const ValueId> OperationParser::Values(const State& state) {
  values_.clear();
  for (const Operand& operand : state.operands) values_.push_back(operand.value);
  return values_;
}

// %0:2, %a =
bool OperationParser::ReadResultNames(std::vector<ResultName>* names) {
  if (!token().Is(TokenKind::kValue)) return true;
  do {
    ResultName name;
    if (!ReadValueName(&name.name, &name.at)) return false;
    name.count = 1;
    if (ConsumeIf(':')) {
      const char* const at = token().begin();
      if (!ReadIntegerFrom(1, &name.count)) return false;
      if (name.count > kMaxResults) return ErrorAt(at, "an operation does not have so many results");
    }
    names->push_back(name);
  } while (ConsumeIf(','));
  return Expect('=');
}

bool OperationParser::ReadOperation(OperationId* operation) {
  const Nested nested(this);
  if (!nested.ok()) return false;
  if (diagnostics().MustStop()) return Error("a limit is reached");
  State state;
  Operation position;
  CountLines(token().begin(), &position);
  std::vector<ResultName> names;
  if (!ReadResultNames(&names)) return false;
  state.at = token().begin();
  const bool is_generic = token().Is(TokenKind::kString);
  if (!(is_generic ? ReadGeneric(&state) : ReadPretty(&state)) || !Finish(names, &state, operation)) return false;
  module_.SetPosition(*operation, position.line, position.column);
  return ReadOptionalLocation(*operation);
}

// "d.op"(%a) <{...}> ({...}) {...} : (T) -> R
bool OperationParser::ReadGeneric(State* state) {
  std::string name;
  if (!ReadString(&name)) return false;
  state->name = module_.Intern(name);
  if (!IsKnownOperation(state->name)) {
    return ErrorAt(state->at, absl::StrCat("unknown operation ", Quoted(name), DidYouMeanOperation(name)));
  }
  if (!ReadOperandsInParens(state)) return false;
  if (ConsumeIf('<') && (!Expect('{') || !ReadDictionaryBody(&state->attributes) || !Expect('>'))) return false;
  if (token().Is('(') && !ReadGenericRegions(state)) return false;
  return ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadFunctionalType(state);
}

bool OperationParser::ReadGenericRegions(State* state) {
  return ReadList('(', ')', [&] {
    state->regions.emplace_back();
    return ReadRegion(IsIsolated(state->name), {}, &state->regions.back());
  });
}

// Dialects may be left out where no other operation has the name.
bool OperationParser::ReadPretty(State* state) {
  absl::string_view name;
  if (!ReadWord("an operation", &name)) return false;
  if (name == "call" || name == "return") name = name == "call" ? "func.call" : "func.return";
  if (name == "func") name = "func.func";
  if (name == "module") name = "builtin.module";
  state->name = module_.Intern(name);
  if (const OperationForm* const form = FindOperationForm(name); form != nullptr) return ReadForm(*form, state);
  if (const SpecialForm form = FindSpecialForm(name); form != nullptr) return (this->*form)(state);
  if (IsKnownOperation(name)) {
    return ErrorAt(state->at, absl::StrCat("expected the generic form \"", name, "\"(...) of this operation"));
  }
  return ErrorAt(state->at, absl::StrCat("unknown operation ", Quoted(name), DidYouMeanOperation(name)));
}

void OperationParser::UseTodaysLists(State* state) {
  if (state->name.substr(0, 10) != "stablehlo.") return;
  for (NamedAttribute& field : state->attributes) {
    const Attribute& value = module_.attribute(field.value);
    if (value.kind != AttributeKind::kDenseElements || !IsIntegerListProperty(field.name)) continue;
    const Type& tensor = module_.type(value.type);
    const Type& element = module_.type(tensor.element);
    const bool is_list = tensor.dimensions.size() == 1 && element.kind == TypeKind::kInteger;
    if (!is_list || (element.width != 64 && element.width != 1)) continue;
    const absl::optional<std::vector<int64_t>> list = IntegerList(module_, field.value);
    if (!list.has_value()) continue;
    if (element.width == 64) {
      field.value = module_.Int64Array(*list);
      continue;
    }
    std::string bytes;
    for (const int64_t bit : *list) bytes.push_back(static_cast<char>(bit));
    if (bytes.size() <= kMaxInternedBytes) field.value = module_.Intern(DenseArrayAttribute(tensor.element, bytes));
  }
}

bool OperationParser::Finish(const std::vector<ResultName>& names, State* state, OperationId* operation) {
  UseTodaysLists(state);
  std::vector<ValueId> results;
  if (!FinishResults(names, *state, &results)) return false;
  Operation made;
  made.name = state->name;
  made.operands = Values(*state);
  made.results = results;
  made.attributes = state->attributes;
  made.regions = state->regions;
  *operation = module_.Add(made);
  return true;
}

bool OperationParser::FinishResults(const std::vector<ResultName>& names, const State& state,
                                    std::vector<ValueId>* results) {
  int64_t named = 0;
  for (const ResultName& name : names) named += name.count;
  if (!names.empty() && named != static_cast<int64_t>(state.result_types.size())) {
    return ErrorAt(names[0].at, absl::StrCat(state.name, " has ", state.result_types.size(), " results here, but ",
                                             named, " are named"));
  }
  size_t next = 0;
  for (const ResultName& name : names) {
    const ValueId first{module_.value_count()};
    for (int64_t i = 0; i < name.count; ++i) {
      const std::string text = name.count == 1 ? "" : absl::StrCat(name.name.substr(1), "#", i);
      results->push_back(module_.NewValue(state.result_types[next++],
                                          name.count == 1 ? name.name.substr(1) : absl::string_view(text)));
    }
    if (!Define(name.name, name.at, {first, static_cast<int32_t>(name.count)})) return false;
  }
  while (next < state.result_types.size()) results->push_back(module_.NewValue(state.result_types[next++]));
  return true;
}

// `{ operations }`, with blocks that have headers. `arguments` are those of the first block, if the form names them
// elsewhere.
bool OperationParser::ReadRegion(bool is_isolated, const std::vector<Argument>& arguments, RegionId* region) {
  const Nested nested(this);
  if (!nested.ok() || !Expect('{')) return false;
  if (is_isolated) scopes_.emplace_back();
  const size_t defined_before = scopes_.back().order.size();
  std::vector<BlockId> blocks;
  if (!ReadBlocks(arguments, &blocks) || !Expect('}')) return false;
  if (is_isolated) {
    scopes_.pop_back();
  } else {
    Scope& scope = scopes_.back();
    for (; scope.order.size() > defined_before; scope.order.pop_back()) scope.definitions.erase(scope.order.back());
  }
  *region = module_.AddRegion(blocks);
  return true;
}

bool OperationParser::ReadBlocks(const std::vector<Argument>& arguments, std::vector<BlockId>* blocks) {
  if (token().Is('}') && arguments.empty()) return true;
  do {
    std::vector<Argument> own = blocks->empty() ? arguments : std::vector<Argument>();
    if (token().Is(TokenKind::kBlock)) {
      if (!own.empty()) return Error("the arguments of this block are named before it");
      if (!ReadBlockHeader(&own)) return false;
    }
    blocks->emplace_back();
    if (!ReadBlock(std::move(own), &blocks->back())) return false;
  } while (token().Is(TokenKind::kBlock));
  return true;
}

// ^bb0(%a: T, %b: T loc(...)):
bool OperationParser::ReadBlockHeader(std::vector<Argument>* arguments) {
  Advance();
  if (ConsumeIf('(') && !ReadListUntil(')', [&] { return ReadArgument(arguments); })) return false;
  return Expect(':');
}

bool OperationParser::ReadArgument(std::vector<Argument>* arguments) {
  Argument argument;
  if (!ReadValueName(&argument.name, &argument.at) || !Expect(':') || !ReadType(&argument.type)) return false;
  argument.value = module_.NewValue(argument.type, argument.name.substr(1));
  arguments->push_back(argument);
  return ReadOptionalLocation(argument.value);
}

// Arguments that have no value yet get one.
bool OperationParser::DefineArguments(std::vector<Argument>* arguments) {
  for (Argument& argument : *arguments) {
    if (!argument.value.ok()) argument.value = module_.NewValue(argument.type, argument.name.substr(1));
    if (!Define(argument.name, argument.at, {argument.value, 1})) return false;
  }
  return true;
}

bool OperationParser::ReadBlock(std::vector<Argument> arguments, BlockId* block) {
  if (!DefineArguments(&arguments)) return false;
  std::vector<OperationId> operations;
  while (!token().Is('}') && !token().Is(TokenKind::kBlock)) {
    operations.emplace_back();
    if (!ReadOperation(&operations.back())) return false;
  }
  std::vector<ValueId> values;
  for (const Argument& argument : arguments) values.push_back(argument.value);
  *block = module_.AddBlock(values, operations);
  return true;
}

}  // namespace stablehlo
}  // namespace xla
