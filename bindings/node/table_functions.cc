// The operator table, from which the JavaScript half makes the builder's methods and the TypeScript declarations.
#include "bindings/node/functions.h"
#include "bindings/node/js_values.h"
#include "builders/webnn/idl_conversions.h"
#include "builders/webnn/operator_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace node_addon {
namespace {

using webnn::OperatorDefinition;
using webnn::Parameter;
using webnn::ParameterKind;

absl::string_view NameOf(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kBoolean:
      return "boolean";
    case ParameterKind::kUnsigned:
    case ParameterKind::kWrapping:
    case ParameterKind::kLong:
      return "integer";
    case ParameterKind::kFloat:
      return "float";
    case ParameterKind::kNumber:
      return "number";
    case ParameterKind::kString:
      return "string";
    case ParameterKind::kEnum:
      return "enum";
    case ParameterKind::kUnsigneds:
    case ParameterKind::kFloats:
      return "numbers";
    case ParameterKind::kUnsignedOrList:
      return "integerOrList";
    case ParameterKind::kOperand:
      return "operand";
    case ParameterKind::kActivations:
      return "activations";
  }
  return "";
}

bool IsLater(webnn::MLEdition edition) { return edition == webnn::MLEdition::kLater; }

// The row of the operator table for one parameter, from which the JavaScript part makes its methods. A required
// parameter has no default.
absl::StatusOr<napi_value> FromParameter(napi_env env, const OperatorDefinition& definition,
                                         const Parameter& parameter) {
  JsObject object(env);
  object.Set("name", NewString(env, parameter.name))
      .Set("laterName", NewString(env, parameter.later_name))
      .Set("kind", NewString(env, NameOf(parameter.kind)))
      .Set("isArgument", NewBool(env, parameter.is_argument))
      .Set("isOptional", NewBool(env, parameter.is_optional))
      .Set("later", NewBool(env, IsLater(parameter.edition)));
  if (parameter.enum_names != nullptr) {
    object.Set("enumName", NewString(env, parameter.enum_names->type))
        .Set("values", NewStrings(env, parameter.enum_names->values));
  }
  const bool has_default = !parameter.is_argument && !parameter.is_optional;
  if (has_default && parameter.kind != ParameterKind::kOperand && parameter.kind != ParameterKind::kActivations) {
    object.Set("default", FromMLValue(env, webnn::FromParameterValue(parameter.get(definition.make_parameters()))));
  }
  return object.Finish();
}

absl::StatusOr<napi_value> FromDefinition(napi_env env, const OperatorDefinition& definition) {
  std::vector<napi_value> operands, parameters;
  for (const webnn::OperandRule& operand : definition.operands) {
    ASSIGN_OR_RETURN(napi_value converted, JsObject(env)
                                               .Set("name", NewString(env, operand.name))
                                               .Set("laterName", NewString(env, operand.later_name))
                                               .Finish());
    operands.push_back(converted);
  }
  for (const Parameter& parameter : definition.parameters) {
    ASSIGN_OR_RETURN(napi_value converted, FromParameter(env, definition, parameter));
    parameters.push_back(converted);
  }
  return JsObject(env)
      .Set("name", NewString(env, definition.name))
      .Set("later", NewBool(env, IsLater(definition.edition)))
      .Set("operands", NewList(env, operands))
      .Set("isVariadic", NewBool(env, definition.is_variadic))
      .Set("parameters", NewList(env, parameters))
      .Set("hasActivationForm", NewBool(env, definition.has_activation_form))
      .Set("returnsSequence", NewBool(env, definition.returns_sequence))
      .Finish();
}

absl::StatusOr<napi_value> Operators(napi_env env, const Arguments&) {
  std::vector<napi_value> rows;
  for (const OperatorDefinition* definition : webnn::AllOperators()) {
    ASSIGN_OR_RETURN(napi_value row, FromDefinition(env, *definition));
    rows.push_back(row);
  }
  return NewList(env, rows);
}

absl::StatusOr<napi_value> DataTypes(napi_env env, const Arguments&) {
  return NewStrings(env, webnn::EnumNamesOf<webnn::MLOperandDataType>().values);
}

}  // namespace

std::vector<Function> TableFunctions() { return {{"operators", Entry<Operators>}, {"dataTypes", Entry<DataTypes>}}; }

}  // namespace node_addon
}  // namespace xla
