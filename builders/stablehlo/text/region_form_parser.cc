// Pretty forms of operations with regions: reduce and while.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/stablehlo/text/operation_parser.h"

namespace xla {
namespace stablehlo {
namespace {

constexpr absl::string_view kCombiners[] = {"stablehlo.add",     "stablehlo.multiply", "stablehlo.maximum",
                                            "stablehlo.minimum", "stablehlo.and",      "stablehlo.or",
                                            "stablehlo.xor"};

}  // namespace

// (%a init: %z), (%b init: %y) [applies stablehlo.add] across dimensions = [0] {...} : (T, t) -> R
//  reducer(%p: t, %q: t) (%r: u, %s: u) {...}
bool OperationParser::ReadReduce(State* state) {
  const char* const at = token().begin();
  std::vector<Operand> initial;
  do {
    if (!Expect('(') || !ReadOperand(state) || !ExpectWord("init") || !Expect(':') || !ReadOperand(state) ||
        !Expect(')')) {
      return false;
    }
    initial.push_back(state->operands.back());
    state->operands.pop_back();
  } while (ConsumeIf(','));
  const size_t inputs = state->operands.size();
  state->operands.insert(state->operands.end(), initial.begin(), initial.end());
  std::string combiner;
  std::vector<int64_t> dimensions;
  if ((token().IsWord("applies") && !ReadReduceApplies(state, &combiner)) || !ExpectWord("across") ||
      !ExpectAssignment("dimensions") || !ReadIntegers(&dimensions) ||
      !Put("dimensions", module_.Int64Array(dimensions), state) || !ReadOptionalDictionary(&state->attributes) ||
      !Expect(':') || !ReadFunctionalType(state)) {
    return false;
  }
  return combiner.empty() ? ReadReducer(state, inputs) : MakeReducer(combiner, at, state);
}

// applies stablehlo.add
bool OperationParser::ReadReduceApplies(State* state, std::string* combiner) {
  const char* const applies_at = token().begin();
  Advance();
  if (state->operands.size() != 2) return ErrorAt(applies_at, "only a reduction of one array applies an operation");
  if (std::find(std::begin(kCombiners), std::end(kCombiners), token().text) == std::end(kCombiners)) {
    return ErrorExpected(absl::StrCat("an operation that commutes, one of ", absl::StrJoin(kCombiners, ", ")));
  }
  *combiner = std::string(token().text);
  Advance();
  return true;
}

// A body that applies `combiner` to two scalars of the input's element type.
bool OperationParser::MakeReducer(const std::string& combiner, const char* at, State* state) {
  const Type& input = module_.type(state->operands[0].value);
  if (input.kind != TypeKind::kTensor && input.kind != TypeKind::kUnrankedTensor) {
    return ErrorAt(at, absl::StrCat("expected a tensor to reduce, found ",
                                    TypeText(module_.value(state->operands[0].value).type)));
  }
  const TypeId scalar = module_.Intern(TensorType({}, input.element));
  const ValueId arguments[] = {module_.NewValue(scalar), module_.NewValue(scalar)};
  const ValueId result[] = {module_.NewValue(scalar)};
  Operation combine;
  combine.name = combiner;
  combine.operands = arguments;
  combine.results = result;
  Operation give_back;
  give_back.name = "stablehlo.return";
  give_back.operands = result;
  const OperationId operations[] = {module_.Add(combine), module_.Add(give_back)};
  for (const OperationId operation : operations) {
    Operation position;
    CountLines(std::max(at, counted_to_), &position);
    module_.SetPosition(operation, position.line, position.column);
  }
  state->regions.push_back(module_.AddRegion({module_.AddBlock(arguments, operations)}));
  return true;
}

// reducer(%p: t, %r: t) (%q: u, %s: u) {...}: the block's arguments are %p, %q, %r, %s.
bool OperationParser::ReadReducer(State* state, size_t inputs) {
  std::vector<Argument> first;
  std::vector<Argument> second;
  if (!ExpectWord("reducer")) return false;
  for (size_t i = 0; i < inputs; ++i) {
    if (!Expect('(') || !ReadArgument(&first) || !Expect(',') || !ReadArgument(&second) || !Expect(')')) return false;
  }
  first.insert(first.end(), second.begin(), second.end());
  state->regions.emplace_back();
  return ReadRegion(/*is_isolated=*/false, first, &state->regions.back());
}

// (%x = %a, %y = %b) : T, U attributes {...} cond {...} do {...}: both regions have arguments %x and %y.
bool OperationParser::ReadWhile(State* state) {
  std::vector<Argument> arguments;
  const bool is_read = ReadList('(', ')', [&] {
    Argument argument;
    if (!ReadValueName(&argument.name, &argument.at) || !Expect('=') || !ReadOperand(state)) return false;
    argument.type = module_.value(state->operands.back().value).type;
    arguments.push_back(argument);
    return true;
  });
  if (!is_read) return false;
  const char* const at = token().begin();
  if (!state->operands.empty() && (!Expect(':') || !ReadTypes(&state->result_types))) return false;
  if (!CheckOperands(*state, state->result_types, at)) return false;
  if (ConsumeWordIf("attributes")) {
    if (!token().Is('{')) return ErrorExpected("'{'");
    if (!ReadOptionalDictionary(&state->attributes)) return false;
  }
  state->regions.resize(2);
  return ExpectWord("cond") && ReadRegion(/*is_isolated=*/false, arguments, &state->regions[0]) && ExpectWord("do") &&
         ReadRegion(/*is_isolated=*/false, arguments, &state->regions[1]);
}

}  // namespace stablehlo
}  // namespace xla
