// The pretty forms that operation_forms.h has a table of.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/operation_parser.h"

namespace xla {
namespace stablehlo {

bool OperationParser::Put(absl::string_view name, AttributeId value, State* state) {
  return AddField(name, value, token().begin(), &state->attributes);
}

bool OperationParser::ReadForm(const OperationForm& form, State* state) {
  bool has_clauses = form.clauses[0].kind != ClauseKind::kNone;
  while (token().Is(TokenKind::kValue)) {
    if (!ReadOperand(state)) return false;
    // A comma follows each operand but the last one, and that one too if a clause follows.
    if (!ConsumeIf(',')) {
      if (has_clauses && !form.clauses[0].is_optional) return ErrorExpected("','");
      has_clauses = false;
      break;
    }
    if (!has_clauses && !token().Is(TokenKind::kValue)) return ErrorExpected("a value such as %0");
  }
  if (!CheckOperandCount(*state, form.num_operands)) return false;
  for (const Clause& clause : form.clauses) {
    if (clause.kind == ClauseKind::kNone || !has_clauses) break;
    if (&clause != &form.clauses[0] && !Expect(',')) return false;
    if (!ReadClause(clause, state)) return false;
  }
  return ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadFormTypes(form.types, state);
}

// keyword = value
bool OperationParser::ReadClause(const Clause& clause, State* state) {
  if (!ExpectAssignment(clause.keyword)) return false;
  switch (clause.kind) {
    case ClauseKind::kNone:
      return true;
    case ClauseKind::kInteger: {
      int64_t value = 0;
      return ReadInteger(&value) && Put(clause.attribute, module_.Int64(value), state);
    }
    case ClauseKind::kIntegers: {
      std::vector<int64_t> values;
      return ReadIntegers(&values) && Put(clause.attribute, module_.Int64Array(values), state);
    }
    case ClauseKind::kBool: {
      bool value = false;
      return ReadBool(&value) && Put(clause.attribute, module_.Intern(BoolAttribute(value)), state);
    }
    case ClauseKind::kString: {
      std::string value;
      return ReadString(&value) && Put(clause.attribute, module_.String(value), state);
    }
    case ClauseKind::kEnumerator: {
      AttributeId value;
      return ReadEnumerator("stablehlo", *FindEnumForm("stablehlo", clause.attribute), &value) &&
             Put(clause.attribute, value, state);
    }
  }
  return false;
}

bool OperationParser::ReadFormTypes(TypesForm types, State* state) {
  switch (types) {
    case TypesForm::kFunctional:
      return ReadFunctionalType(state);
    case TypesForm::kSame:
      return ReadSameTypes(state);
    case TypesForm::kResult:
      return ReadSameTypes(state);
    case TypesForm::kArrow: {
      const char* const at = token().begin();
      std::vector<TypeId> operand_types;
      return ReadTypes(&operand_types) && CheckOperands(*state, operand_types, at) && ExpectArrow() &&
             ReadResultTypes(&state->result_types);
    }
    case TypesForm::kEach: {
      const char* const at = token().begin();
      return ReadTypes(&state->result_types) && CheckOperands(*state, state->result_types, at);
    }
  }
  return false;
}

// T, the type of all operands and of the result, or (T, U) -> R.
bool OperationParser::ReadSameTypes(State* state) {
  if (token().Is('(')) return ReadFunctionalType(state);
  const char* const at = token().begin();
  TypeId type;
  if (!ReadType(&type)) return false;
  state->result_types.push_back(type);
  return CheckOperands(*state, std::vector<TypeId>(state->operands.size(), type), at);
}

}  // namespace stablehlo
}  // namespace xla
