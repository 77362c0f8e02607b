#include "builders/stablehlo/lowering/module_attributes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "builders/stablehlo/lowering/attribute_reader.h"
#include "builders/stablehlo/lowering/function_signature.h"
#include "builders/stablehlo/lowering/operation_annotations.h"
#include "builders/stablehlo/text/attribute_text.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace stablehlo {
namespace {

absl::StatusOr<int64_t> DeviceCount(const AttributeReader& attributes, absl::string_view name) {
  constexpr int64_t kMost = 1'000'000;
  ASSIGN_OR_RETURN(const int64_t count, attributes.AnyIntOr(name, 1));
  if (count >= 1 && count <= kMost) return count;
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' must be at least 1 and at most ", kMost, ", got ", count));
}

// {output_index = array<i64: 0>, alias = {parameter_number = 1 : i64, parameter_index = array<i64>, kind =
// "must_alias"}}
absl::StatusOr<InputOutputAlias> AliasOf(const Module& module, const Attribute& attribute) {
  const AttributeReader fields(module, attribute.fields);
  ASSIGN_OR_RETURN(const AttributeReader target, fields.Struct("alias"));
  InputOutputAlias alias;
  ASSIGN_OR_RETURN(const DimensionVector output, fields.IntsOr("output_index", {}));
  ASSIGN_OR_RETURN(const DimensionVector parameter, target.IntsOr("parameter_index", {}));
  ASSIGN_OR_RETURN(alias.parameter_number, target.AnyInt("parameter_number"));
  ASSIGN_OR_RETURN(const std::string kind, target.TextOr("kind", "may_alias"));
  alias.output_index.assign(output.begin(), output.end());
  alias.parameter_index.assign(parameter.begin(), parameter.end());
  alias.must_alias = kind == "must_alias";
  return alias;
}

// `{mesh = #sdy.mesh<["a"=2]>}`, all meshes of the module.
std::string MeshesText(const Module& module, const Operation& module_operation) {
  std::string text;
  for (const BlockId block : module.region(module_operation.regions[0]).blocks) {
    for (const OperationId id : module.block(block).operations) {
      const Operation& operation = module.operation(id);
      if (operation.name != "sdy.mesh" || !operation.attribute("mesh").ok()) continue;
      const AttributeReader attributes(module, operation.attributes);
      absl::StrAppend(&text, text.empty() ? "" : ", ", attributes.TextOr("sym_name", "mesh").value_or("mesh"), " = ",
                      AttributeText(module, operation.attribute("mesh")));
    }
  }
  return text.empty() ? "" : absl::StrCat("{", text, "}");
}

// Applies wishes for an array's layout ("{1,0}"; "default" and "auto" are none) and memory.
absl::Status ApplyWishes(const AttributeReader& attributes, Shape* shape, bool* has_wish) {
  ASSIGN_OR_RETURN(const std::string mode, attributes.TextOr("mhlo.layout_mode", "default"));
  ASSIGN_OR_RETURN(const std::string memory, attributes.TextOr("mhlo.memory_kind", ""));
  if (!shape->IsArray()) return absl::OkStatus();
  if (mode != "default" && mode != "auto" && !mode.empty()) {
    const absl::StatusOr<Shape> with_layout =
        ParseShapeText(absl::StrCat(shape->ToFullString(Shape::LayoutPrinting::kWithout), mode));
    if (!with_layout.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("'mhlo.layout_mode' must be default, auto or a layout of ",
                                                     shape->ToString(), " such as {1,0}, got ", mode));
    }
    RETURN_IF_ERROR(ValidateShape(*with_layout));
    *shape = *with_layout;
    *has_wish = true;
  }
  if (memory == "pinned_host" || memory == "unpinned_host") {
    shape->SetMissingLayoutsToDefault();
    Layout layout = *shape->layout();
    layout.memory_space = Layout::kHostMemorySpace;
    shape->set_layout(std::move(layout));
    *has_wish = true;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadDeviceCounts(const Operation& module_operation, ProgramLowering* program) {
  const AttributeReader attributes(program->module(), module_operation.attributes);
  ASSIGN_OR_RETURN(const int64_t replicas, DeviceCount(attributes, "mhlo.num_replicas"));
  ASSIGN_OR_RETURN(const int64_t partitions, DeviceCount(attributes, "mhlo.num_partitions"));
  program->set_device_counts(replicas, partitions);
  return absl::OkStatus();
}

absl::Status ReadModuleAttributes(const ProgramLowering& program, const Operation& module_operation,
                                  HloModuleConfig* config) {
  const Module& module = program.module();
  const AttributeReader attributes(module, module_operation.attributes);
  const Attribute* const frontend = attributes.Find("mhlo.frontend_attributes");
  if (frontend != nullptr) {
    ASSIGN_OR_RETURN(config->frontend_attributes, FrontendAttributesOf(module, *frontend));
  }
  if (program.partition_count() > 1) {
    const std::string meshes = MeshesText(module, module_operation);
    if (!meshes.empty()) config->frontend_attributes.emplace("xla.sdy.meshes", meshes);
  }
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> aliases, attributes.Elements("mhlo.input_output_alias"));
  for (const AttributeId id : aliases) {
    ASSIGN_OR_RETURN(InputOutputAlias alias, AliasOf(module, module.attribute(id)));
    config->input_output_alias.push_back(std::move(alias));
  }
  return absl::OkStatus();
}

absl::Status ReadEntryAttributes(const ProgramLowering& program, const FunctionParts& entry,
                                 absl::Span<const Shape> arguments, absl::Span<const Shape> results,
                                 HloModuleConfig* config) {
  const Module& module = program.module();
  ProgramShape layout;
  bool has_wish = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    ASSIGN_OR_RETURN(const AttributeReader attributes, AttributesOf(module, *entry.operation, "arg_attrs", i));
    layout.parameters.push_back(arguments[i]);
    RETURN_IF_ERROR(ApplyWishes(attributes, &layout.parameters.back(), &has_wish));
    if (attributes.Has("tf.aliasing_output")) {
      ASSIGN_OR_RETURN(const int64_t output, attributes.AnyInt("tf.aliasing_output"));
      InputOutputAlias alias;
      alias.parameter_number = static_cast<int64_t>(i);
      alias.must_alias = true;
      if (output < 0 || output >= static_cast<int64_t>(results.size())) {
        return absl::InvalidArgumentError(
            absl::StrCat("'tf.aliasing_output' of argument ", i, " must be the number of a result, got ", output));
      }
      if (results.size() > 1) alias.output_index.push_back(output);
      config->input_output_alias.push_back(std::move(alias));
    }
    ASSIGN_OR_RETURN(const bool is_donor, attributes.Flag("jax.buffer_donor"));
    if (is_donor) config->buffer_donors.push_back({static_cast<int64_t>(i), {}});
  }
  std::vector<Shape> result_shapes;
  std::vector<bool> is_free;
  for (size_t i = 0; i < results.size(); ++i) {
    ASSIGN_OR_RETURN(const AttributeReader attributes, AttributesOf(module, *entry.operation, "res_attrs", i));
    is_free.push_back(!attributes.Has("mhlo.sharding") && !attributes.Has("sdy.sharding"));
    result_shapes.push_back(results[i]);
    RETURN_IF_ERROR(ApplyWishes(attributes, &result_shapes.back(), &has_wish));
  }
  // JAX leaves it to the partitioner how results are cut of which it says nothing.
  const bool has_free = std::find(is_free.begin(), is_free.end(), true) != is_free.end();
  if (program.partition_count() > 1 && has_free) {
    config->allow_spmd_sharding_propagation_to_output = std::move(is_free);
  }
  if (!has_wish) return absl::OkStatus();
  layout.result = result_shapes.size() == 1 ? result_shapes[0] : Shape::Tuple(result_shapes);
  for (Shape& shape : layout.parameters) shape.SetMissingLayoutsToDefault();
  layout.result.SetMissingLayoutsToDefault();
  config->entry_computation_layout = std::move(layout);
  return absl::OkStatus();
}

}  // namespace stablehlo
}  // namespace xla
