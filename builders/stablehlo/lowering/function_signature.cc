#include "builders/stablehlo/lowering/function_signature.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_annotations.h"
#include "builders/stablehlo/lowering/operation_call.h"
#include "builders/stablehlo/lowering/sdy_shardings.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// As the text or its location calls it; else "arg0".
std::string ParameterName(const Module& module, const Value& argument, size_t i) {
  const bool is_named = !argument.name.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(argument.name[0]));
  if (is_named && argument.name != absl::StrCat("arg", i)) return std::string(argument.name);
  if (argument.location.ok()) {
    const Location& location = module.location(argument.location);
    if (location.kind == LocationKind::kName && !location.text.empty()) return std::string(location.text);
  }
  return absl::StrCat("arg", i);
}

// Which parts of the argument all replicas give the same value; empty: nothing says so.
absl::StatusOr<std::vector<bool>> ReplicationOf(const Module& module, const AttributeReader& attributes,
                                                const Shape& shape) {
  std::vector<bool> replication;
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> parts, attributes.Elements("mhlo.parameter_replication"));
  for (const AttributeId part : parts) {
    if (module.attribute(part).kind != AttributeKind::kBool) {
      return absl::InvalidArgumentError("the attribute 'mhlo.parameter_replication' must be a list of true and false");
    }
    replication.push_back(module.attribute(part).integer != 0);
  }
  ASSIGN_OR_RETURN(const bool is_same, attributes.Flag("mhlo.is_same_data_across_replicas"));
  if (is_same && replication.empty() && shape.IsArray()) replication.push_back(true);
  return replication;
}

absl::Status AtArgument(size_t i, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("argument ", i, ": ", status.message()));
}

}  // namespace

absl::StatusOr<AttributeReader> AttributesOf(const Module& module, const Operation& function, absl::string_view list,
                                             size_t i) {
  const AttributeReader attributes(module, function.attributes);
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> elements, attributes.Elements(list));
  if (elements.empty()) return AttributeReader(module, {});
  if (i >= elements.size() || module.attribute(elements[i]).kind != AttributeKind::kDictionary) {
    return absl::InvalidArgumentError(absl::StrCat("'", list, "' must have a dictionary for each of them"));
  }
  return AttributeReader(module, module.attribute(elements[i]).fields);
}

absl::StatusOr<std::vector<Shape>> DeclaredArguments(const ProgramLowering& program, const FunctionParts& function) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < function.argument_types.size(); ++i) {
    const absl::StatusOr<Shape>& shape = program.shapes().Of(function.argument_types[i]);
    if (!shape.ok()) return AtArgument(i, shape.status());
    if (shape->IsUnboundedDynamic()) {
      return AtArgument(i,
                        absl::UnimplementedError(absl::StrCat(
                            "it is declared as ", shape->ToString(),
                            ", and nothing says what its sizes are; export the program for arguments of known sizes")));
    }
    shapes.push_back(*shape);
  }
  return shapes;
}

absl::Status AddParameters(const ProgramLowering& program, const FunctionParts& function,
                           absl::Span<const Shape> arguments, ComputationLowering* scope) {
  const Module& module = program.module();
  if (arguments.size() != function.argument_types.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", function.argument_types.size(), " arguments, got ", arguments.size()));
  }
  ComputationBuilder& builder = scope->builder();
  for (size_t i = 0; i < arguments.size(); ++i) {
    ASSIGN_OR_RETURN(const Shape declared, program.shapes().Of(function.argument_types[i]));
    if (!Allows(declared, arguments[i])) {
      return AtArgument(i, absl::InvalidArgumentError(
                               absl::StrCat("expected ", declared.ToString(), ", got ", arguments[i].ToString())));
    }
    const ValueId id = function.body->arguments[i];
    const Value& argument = module.value(id);
    ASSIGN_OR_RETURN(const AttributeReader attributes, AttributesOf(module, *function.operation, "arg_attrs", i));
    if (const Attribute* const sharding = attributes.Find("sdy.sharding"); sharding != nullptr) {
      const absl::Status checked = CheckSdySharding(program, *sharding, arguments[i]);
      if (!checked.ok()) return AtArgument(i, checked);
    }
    ASSIGN_OR_RETURN(OperationAnnotations annotations, AnnotationsOf(program, attributes.all()));
    builder.SetSharding(std::move(annotations.sharding));
    builder.SetFrontendAttributes(std::move(annotations.frontend_attributes));
    OpMetadata metadata;
    if (argument.location.ok()) metadata = program.locations().Of(argument.location);
    builder.SetOpMetadata(std::move(metadata));
    const std::string file = program.FileOf(*function.operation);
    const SourceLocation place = SourceLocation::At(file.c_str(), program.LineOf(*function.operation));
    auto parameter_attributes = std::make_unique<ParameterAttributes>();
    parameter_attributes->number = static_cast<int64_t>(i);
    ASSIGN_OR_RETURN(parameter_attributes->parameter_replication, ReplicationOf(module, attributes, arguments[i]));
    const XlaOp parameter =
        builder.AddOp(HloOpcode::kParameter, {}, std::move(parameter_attributes), {}, arguments[i], place);
    builder.SetInstructionName(parameter, ParameterName(module, argument, i), place);
    scope->SetValue(id, parameter);
  }
  return builder.first_error();
}

absl::Status CheckReturned(const ProgramLowering& program, const FunctionParts& function, absl::string_view symbol,
                           const ComputationLowering& scope, absl::Span<const XlaOp> results) {
  if (results.size() != function.result_types.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("@", symbol, " has ", function.result_types.size(), " results, but returns ", results.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    ASSIGN_OR_RETURN(const Shape declared, program.shapes().Of(function.result_types[i]));
    const Shape found = scope.ShapeOf(results[i]);
    ASSIGN_OR_RETURN(const AttributeReader attributes,
                     AttributesOf(program.module(), *function.operation, "res_attrs", i));
    if (const Attribute* const sharding = attributes.Find("sdy.sharding"); sharding != nullptr) {
      const absl::Status checked = CheckSdySharding(program, *sharding, found);
      if (!checked.ok()) return absl::InvalidArgumentError(absl::StrCat("result ", i, ": ", checked.message()));
    }
    if (Allows(declared, found)) continue;
    return absl::InvalidArgumentError(absl::StrCat("result ", i, " of @", symbol, " is declared as ",
                                                   declared.ToString(), ", but it returns ", found.ToString()));
  }
  return absl::OkStatus();
}

}  // namespace stablehlo
}  // namespace xla
