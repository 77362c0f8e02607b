// Pretty forms of single operations.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/operation_parser.h"

namespace xla {
namespace stablehlo {

OperationParser::SpecialForm OperationParser::FindSpecialForm(absl::string_view name) {
  using Self = OperationParser;
  static const auto* const forms = new absl::flat_hash_map<absl::string_view, SpecialForm>{
      {"builtin.module", &Self::ReadModule},
      {"func.func", &Self::ReadFunction},
      {"func.call", &Self::ReadCall},
      {"func.return", &Self::ReadReturn},
      {"stablehlo.return", &Self::ReadReturn},
      {"stablehlo.constant", &Self::ReadConstant},
      {"stablehlo.compare", &Self::ReadCompare},
      {"stablehlo.complex", &Self::ReadComplex},
      {"stablehlo.select", &Self::ReadSelect},
      {"stablehlo.slice", &Self::ReadSlice},
      {"stablehlo.tuple", &Self::ReadTuple},
      {"stablehlo.get_tuple_element", &Self::ReadGetTupleElement},
      {"stablehlo.optimization_barrier", &Self::ReadBarrier},
      {"stablehlo.reduce_precision", &Self::ReadReducePrecision},
      {"stablehlo.custom_call", &Self::ReadCustomCall},
      {"stablehlo.composite", &Self::ReadComposite},
      {"stablehlo.dot", &Self::ReadDot},
      {"stablehlo.dot_general", &Self::ReadDotGeneral},
      {"stablehlo.convolution", &Self::ReadConvolution},
      {"stablehlo.reduce", &Self::ReadReduce},
      {"stablehlo.while", &Self::ReadWhile},
      {"chlo.top_k", &Self::ReadTopK},
      {"sdy.all_gather", &Self::ReadShardedCollective},
      {"sdy.all_reduce", &Self::ReadShardedCollective},
      {"sdy.all_slice", &Self::ReadShardedCollective},
      {"sdy.all_to_all", &Self::ReadShardedCollective},
      {"sdy.collective_permute", &Self::ReadShardedCollective},
      {"sdy.constant", &Self::ReadConstant},
      {"sdy.data_flow_edge", &Self::ReadDataFlowEdge},
      {"sdy.manual_computation", &Self::ReadManualComputation},
      {"sdy.mesh", &Self::ReadMeshOperation},
      {"sdy.named_computation", &Self::ReadNamedComputation},
      {"sdy.propagation_barrier", &Self::ReadPropagationBarrier},
      {"sdy.reduce_scatter", &Self::ReadShardedCollective},
      {"sdy.replicated_to_unreduced", &Self::ReadShardedCollective},
      {"sdy.reshard", &Self::ReadShardingConstraint},
      {"sdy.return", &Self::ReadReturn},
      {"sdy.sharded_to_unreduced", &Self::ReadShardedCollective},
      {"sdy.sharding_constraint", &Self::ReadShardingConstraint},
      {"sdy.sharding_group", &Self::ReadShardingGroup},
  };
  const auto found = forms->find(name);
  return found == forms->end() ? nullptr : found->second;
}

// {attributes} dense<1> : tensor<i64>, or like a function where the result has another type: () {value = ...} : () -> T
bool OperationParser::ReadConstant(State* state) {
  if (ConsumeIf('(')) {
    if (!Expect(')')) return false;
    if (ConsumeIf('<')) {
      if (!Expect('{') || !ReadDictionaryBody(&state->attributes) || !Expect('>')) return false;
    }
    return ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadFunctionalType(state);
  }
  if (!ReadOptionalDictionary(&state->attributes)) return false;
  const char* const at = token().begin();
  AttributeId value;
  if (!ReadAttribute(&value)) return false;
  const AttributeKind kind = module_.attribute(value).kind;
  if (kind != AttributeKind::kDenseElements && kind != AttributeKind::kResource) {
    return ErrorAt(at, "expected elements such as dense<1.0> : tensor<2xf32>");
  }
  state->result_types.push_back(module_.attribute(value).type);
  return Put("value", value, state);
}

// LT, %a, %b, TOTALORDER : (T, T) -> R
bool OperationParser::ReadCompare(State* state) {
  AttributeId direction;
  if (!ReadEnumerator("stablehlo", *FindEnumForm("stablehlo", "comparison_direction"), &direction) ||
      !Put("comparison_direction", direction, state) || !Expect(',') || !ReadOperand(state) || !Expect(',') ||
      !ReadOperand(state)) {
    return false;
  }
  if (ConsumeIf(',')) {
    AttributeId type;
    if (!ReadEnumerator("stablehlo", *FindEnumForm("stablehlo", "comparison_type"), &type) ||
        !Put("compare_type", type, state)) {
      return false;
    }
  }
  return ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadFunctionalType(state);
}

// %re, %im : tensor<4xcomplex<f32>>
bool OperationParser::ReadComplex(State* state) {
  if (!ReadOperands(state) || !CheckOperandCount(*state, 2) || !ReadOptionalDictionary(&state->attributes) ||
      !Expect(':')) {
    return false;
  }
  if (token().Is('(')) return ReadFunctionalType(state);
  const char* const at = token().begin();
  TypeId type_id;
  if (!ReadType(&type_id)) return false;
  state->result_types.push_back(type_id);
  Type part = module_.type(type_id);
  if (part.kind != TypeKind::kTensor || module_.type(part.element).kind != TypeKind::kComplex) {
    return ErrorAt(at, absl::StrCat("expected a tensor of complex numbers, found ", TypeText(type_id)));
  }
  part.element = module_.type(part.element).element;
  const TypeId part_type = module_.Intern(part);
  return CheckOperands(*state, {part_type, part_type}, at);
}

// %p, %a, %b : P, T, or like a function
bool OperationParser::ReadSelect(State* state) {
  if (!ReadOperands(state) || !CheckOperandCount(*state, 3) || !ReadOptionalDictionary(&state->attributes) ||
      !Expect(':')) {
    return false;
  }
  if (token().Is('(')) return ReadFunctionalType(state);
  const char* const at = token().begin();
  TypeId predicate;
  TypeId result;
  if (!ReadType(&predicate) || !Expect(',') || !ReadType(&result)) return false;
  state->result_types.push_back(result);
  return CheckOperands(*state, {predicate, result, result}, at);
}

// %a [0:4, 1:3:2] : (T) -> R
bool OperationParser::ReadSlice(State* state) {
  std::vector<int64_t> starts;
  std::vector<int64_t> limits;
  std::vector<int64_t> strides;
  if (!ReadOperand(state)) return false;
  const bool is_read = ReadList('[', ']', [&] {
    starts.push_back(0);
    limits.push_back(0);
    strides.push_back(1);
    return ReadInteger(&starts.back()) && Expect(':') && ReadInteger(&limits.back()) &&
           (!ConsumeIf(':') || ReadInteger(&strides.back()));
  });
  return is_read && Put("start_indices", module_.Int64Array(starts), state) &&
         Put("limit_indices", module_.Int64Array(limits), state) &&
         Put("strides", module_.Int64Array(strides), state) && ReadOptionalDictionary(&state->attributes) &&
         Expect(':') && ReadFunctionalType(state);
}

// %a, %b : tuple<T, U>
bool OperationParser::ReadTuple(State* state) {
  if (token().Is(TokenKind::kValue) && !ReadOperands(state)) return false;
  const char* const at = token().begin();
  TypeId type;
  if (!ReadOptionalDictionary(&state->attributes) || !Expect(':')) return false;
  if (token().Is('(')) return ReadFunctionalType(state);
  if (!ReadType(&type)) return false;
  state->result_types.push_back(type);
  return module_.type(type).kind == TypeKind::kTuple
             ? CheckOperands(*state, module_.type(type).types, at)
             : ErrorAt(at, absl::StrCat("expected a tuple type, found ", TypeText(type)));
}

// %t[1] : (tuple<T, U>) -> U
bool OperationParser::ReadGetTupleElement(State* state) {
  int64_t index = 0;
  if (!ReadOperand(state) || !Expect('[')) return false;
  const char* const at = token().begin();
  if (!ReadIntegerFrom(0, &index)) return false;
  if (index > std::numeric_limits<int32_t>::max()) return ErrorAt(at, "a tuple does not have so many elements");
  const AttributeId value = module_.Intern(IntegerAttribute(module_.Intern(IntegerType(32)), index));
  return Expect(']') && Put("index", value, state) && ReadOptionalDictionary(&state->attributes) && Expect(':') &&
         ReadFunctionalType(state);
}

// %a, %b : T, U or ()
bool OperationParser::ReadBarrier(State* state) {
  if (ConsumeIf('(')) return Expect(')') && ReadOptionalDictionary(&state->attributes);
  return ReadOperands(state) && ReadOptionalDictionary(&state->attributes) && Expect(':') &&
         ReadFormTypes(TypesForm::kEach, state);
}

// %a, %b : T, U or nothing
bool OperationParser::ReadReturn(State* state) {
  if (!ReadOptionalDictionary(&state->attributes)) return false;
  if (!token().Is(TokenKind::kValue)) return true;
  if (!ReadOperands(state) || !ReadOptionalDictionary(&state->attributes) || !Expect(':')) return false;
  const char* const at = token().begin();
  std::vector<TypeId> types;
  return ReadTypes(&types) && CheckOperands(*state, types, at);
}

// %a, format = e5m10 : T
bool OperationParser::ReadReducePrecision(State* state) {
  if (!ReadOperand(state) || !Expect(',') || !ExpectAssignment("format")) return false;
  absl::string_view format = token().text;
  const size_t m = format.find('m');
  int32_t exponent_bits = 0;
  int32_t mantissa_bits = 0;
  if (!token().Is(TokenKind::kWord) || format[0] != 'e' || m == absl::string_view::npos ||
      !absl::SimpleAtoi(format.substr(1, m - 1), &exponent_bits) ||
      !absl::SimpleAtoi(format.substr(m + 1), &mantissa_bits)) {
    return ErrorExpected("a format such as e5m10");
  }
  Advance();
  const TypeId i32 = module_.Intern(IntegerType(32));
  return Put("exponent_bits", module_.Intern(IntegerAttribute(i32, exponent_bits)), state) &&
         Put("mantissa_bits", module_.Intern(IntegerAttribute(i32, mantissa_bits)), state) &&
         ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadSameTypes(state);
}

// @target(%a) {...} : (T) -> R
bool OperationParser::ReadCustomCall(State* state) {
  std::string target;
  return ReadSymbol(&target) && Put("call_target_name", module_.String(target), state) && ReadOperandsInParens(state) &&
         ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadFunctionalType(state);
}

// "name" %a, %b {...} : (T, U) -> R, perhaps with ({region}) after the operands
bool OperationParser::ReadComposite(State* state) {
  std::string name;
  if (!ReadString(&name) || !Put("name", module_.String(name), state)) return false;
  if (token().Is(TokenKind::kValue) && !ReadOperands(state)) return false;
  if (token().Is('(') && !ReadGenericRegions(state)) return false;
  return ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadFunctionalType(state);
}

// (%a, k = 2) : T -> (R, R)
bool OperationParser::ReadTopK(State* state) {
  int64_t k = 0;
  if (!Expect('(') || !ReadOperand(state) || !Expect(',') || !ExpectAssignment("k") || !ReadInteger(&k) ||
      !Put("k", module_.Int64(k), state)) {
    return false;
  }
  if (ConsumeIf(',')) {
    bool is_stable = false;
    if (!ExpectAssignment("is_stable") || !ReadBool(&is_stable) ||
        !Put("is_stable", module_.Intern(BoolAttribute(is_stable)), state)) {
      return false;
    }
  }
  return Expect(')') && ReadOptionalDictionary(&state->attributes) && Expect(':') &&
         ReadFormTypes(TypesForm::kArrow, state);
}

}  // namespace stablehlo
}  // namespace xla
