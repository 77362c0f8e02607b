// Pretty forms of the dialect sdy.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/operation_parser.h"

namespace xla {
namespace stablehlo {

// @mesh = <["a"=2, "b"=4]> {...}
bool OperationParser::ReadMeshOperation(State* state) {
  std::string name;
  AttributeId mesh;
  return ReadSymbol(&name) && Put("sym_name", module_.String(name), state) && Expect('=') && ReadMesh(&mesh) &&
         Put("mesh", mesh, state) && ReadOptionalDictionary(&state->attributes);
}

// %a <@mesh, [{"a"}]> : T
bool OperationParser::ReadShardingConstraint(State* state) {
  AttributeId sharding;
  return ReadOperand(state) && ReadSharding(&sharding) && Put("sharding", sharding, state) &&
         ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadSameTypes(state);
}

// [{"a"}, {}] %a out_sharding=<@mesh, [{}, {}]> : T, where what comes first depends on the operation
bool OperationParser::ReadShardedCollective(State* state) {
  AttributeId axes;
  AttributeId sharding;
  bool is_read = true;
  if (state->name == "sdy.all_reduce" || state->name == "sdy.replicated_to_unreduced") {
    is_read = ReadAxisRefList(&axes);
  } else if (state->name == "sdy.all_to_all") {
    is_read = ReadAllToAllParams(&axes);
  } else if (state->name != "sdy.collective_permute") {
    is_read = ReadAxisRefLists(&axes);
  }
  if (!is_read || (axes.ok() && !Put(PropertyNames(state->name)[0], axes, state))) return false;
  return ReadOperand(state) && ExpectAssignment("out_sharding") && ReadSharding(&sharding) &&
         Put("out_sharding", sharding, state) && ReadOptionalDictionary(&state->attributes) && Expect(':') &&
         ReadSameTypes(state);
}

// %a group_id=7 : T
bool OperationParser::ReadShardingGroup(State* state) {
  int64_t id = 0;
  TypeId type;
  if (!ReadOperand(state) || !ExpectAssignment("group_id") || !ReadInteger(&id) ||
      !Put("group_id", module_.Int64(id), state) || !ReadOptionalDictionary(&state->attributes) || !Expect(':')) {
    return false;
  }
  const char* const at = token().begin();
  return ReadType(&type) && CheckOperands(*state, {type}, at);
}

// %a allowed_direction=BACKWARD : T
bool OperationParser::ReadPropagationBarrier(State* state) {
  AttributeId direction;
  if (!ReadOperand(state) || !ExpectAssignment("allowed_direction") ||
      !ReadEnumerator("sdy", *FindEnumForm("sdy", "propagation_direction"), &direction)) {
    return false;
  }
  return Put("allowed_direction", direction, state) && ReadOptionalDictionary(&state->attributes) && Expect(':') &&
         ReadSameTypes(state);
}

// %a sharding=<@mesh, [{"a"}]> : T
bool OperationParser::ReadDataFlowEdge(State* state) {
  AttributeId sharding;
  if (!ReadOperand(state)) return false;
  if (ConsumeWordIf("sharding")) {
    if (!Expect('=') || !ReadSharding(&sharding) || !Put("sharding", sharding, state)) return false;
  }
  return ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadSameTypes(state);
}

// (%a) in_shardings=[<..>] out_shardings=[<..>] manual_axes={"a"} (%x: L) {...} : (G) -> G
bool OperationParser::ReadManualComputation(State* state) {
  AttributeId in_shardings;
  AttributeId out_shardings;
  AttributeId axes;
  return ReadOperandsInParens(state) && ExpectAssignment("in_shardings") && ReadShardings(&in_shardings) &&
         Put("in_shardings", in_shardings, state) && ExpectAssignment("out_shardings") &&
         ReadShardings(&out_shardings) && Put("out_shardings", out_shardings, state) &&
         ExpectAssignment("manual_axes") && ReadManualAxes(&axes) && Put("manual_axes", axes, state) &&
         ReadShardedBody(state);
}

// <"f">(%a) in_shardings=[..] out_shardings=[..] (%x: T) {...} : (T) -> T
bool OperationParser::ReadNamedComputation(State* state) {
  std::string name;
  if (!Expect('<') || !ReadString(&name) || !Put("name", module_.String(name), state) || !Expect('>') ||
      !ReadOperandsInParens(state)) {
    return false;
  }
  for (const absl::string_view shardings : {"in_shardings", "out_shardings"}) {
    AttributeId value;
    if (ConsumeWordIf(shardings) && (!Expect('=') || !ReadShardings(&value) || !Put(shardings, value, state))) {
      return false;
    }
  }
  return ReadShardedBody(state);
}

// (%x: L) {...} {attributes} : (G) -> G
bool OperationParser::ReadShardedBody(State* state) {
  std::vector<Argument> arguments;
  state->regions.emplace_back();
  return ReadList('(', ')', [&] { return ReadArgument(&arguments); }) &&
         ReadRegion(/*is_isolated=*/true, arguments, &state->regions.back()) &&
         ReadOptionalDictionary(&state->attributes) && Expect(':') && ReadFunctionalType(state);
}

}  // namespace stablehlo
}  // namespace xla
