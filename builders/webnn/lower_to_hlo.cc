// LowerToHlo: the operators of a graph, one after the other, through the ComputationBuilder.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/webnn/errors.h"
#include "builders/webnn/graph_builder.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace webnn {
namespace {

// Profiles and error messages of backends then name the operator, and its label.
OpMetadata MetadataOf(const OperatorNode& node) {
  OpMetadata metadata;
  metadata.op_type = std::string(node.definition->name);
  metadata.op_name =
      node.label.empty() ? metadata.op_type : SharedString(absl::StrCat(node.label, "/", node.definition->name));
  return metadata;
}

absl::Status LowerOperator(const OperatorNode& node, MLEdition edition, ComputationBuilder& builder,
                           LoweringCall::Values& values) {
  ScopedOpMetadata metadata(&builder, MetadataOf(node));
  std::vector<MLOperandDescriptor> descriptors;
  for (const OperandNode* result : node.results) descriptors.push_back(result->descriptor);
  const LoweringCall call(OperatorCall(edition, node.operands, &node.parameters), &builder, &values, descriptors);
  const OperatorDefinition& definition = *node.definition;
  std::vector<XlaOp> results;
  if (definition.lower != nullptr) {
    results.push_back(definition.lower(call));
  } else {
    results = definition.lower_sequence(call);
  }
  if (!builder.ok()) return builder.first_error();
  if (results.size() != node.results.size()) return absl::InternalError("lowered to another number of results");
  for (size_t i = 0; i < results.size(); ++i) {
    const Shape expected = HloShapeOf(descriptors[i]);
    const Shape found = builder.ShapeOrInvalid(results[i]);
    if (!found.Compatible(expected)) {
      return absl::InternalError(absl::StrCat("lowered to ", found.ToString(), ", expected ", expected.ToString()));
    }
    values[node.results[i]] = results[i];
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> LowerToHlo(const GraphDefinition& graph, const ResourceContext* resources) {
  ComputationBuilder builder("webnn");
  builder.set_keep_source_locations(false);
  LoweringCall::Values values;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const OperandNode& input = *graph.inputs[i];
    values[&input] = builder.Parameter(static_cast<int64_t>(i), HloShapeOf(input.descriptor), input.name);
  }
  for (const OperandNode* constant : graph.constants) values[constant] = builder.ConstantLiteral(constant->value);
  for (const OperatorNode* node : graph.operators) {
    RETURN_IF_ERROR(CheckResources(resources));
    const absl::Status lowered = LowerOperator(*node, graph.nodes->edition(), builder, values);
    if (lowered.ok()) continue;
    return InMethod(OperationError("not supported", lowered.message()), "build",
                    absl::StrCat(" (", node->definition->name, node->label.empty() ? "" : " '", node->label,
                                 node->label.empty() ? "" : "'", ")"));
  }
  std::vector<XlaOp> outputs;
  for (const auto& output : graph.outputs) outputs.push_back(values[output.second]);
  const absl::StatusOr<XlaComputation> computation = builder.Build(builder.Tuple(outputs));
  absl::StatusOr<std::unique_ptr<HloModule>> module =
      computation.ok() ? computation->ToModule(resources)
                       : absl::StatusOr<std::unique_ptr<HloModule>>(computation.status());
  if (!module.ok()) RETURN_IF_ERROR(CheckResources(resources));
  if (!module.ok()) return InMethod(AsError(module.status(), MLErrorKind::kOperationError, "not supported"), "build");
  return module;
}

}  // namespace webnn
}  // namespace xla
