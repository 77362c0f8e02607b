// custom_call.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/function_signature.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/chlo.h"
#include "builders/stablehlo/lowering/ops/dynamic_custom_calls.h"
#include "builders/stablehlo/lowering/ops/dynamic_operands.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "builders/stablehlo/text/attribute_text.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// A layout for each array, minor dimension first.
absl::Status SetLayouts(const OperationCall& call, absl::string_view attribute, absl::Span<const AttributeId> layouts,
                        std::vector<Shape>* shapes) {
  if (layouts.size() != shapes->size()) {
    return absl::InvalidArgumentError(absl::StrCat("'", attribute, "' must have a layout for each of ", shapes->size(),
                                                   " values, got ", layouts.size()));
  }
  for (size_t i = 0; i < layouts.size(); ++i) {
    const NamedAttribute entry = {attribute, layouts[i]};
    ASSIGN_OR_RETURN(const DimensionVector order,
                     AttributeReader(call.module(), absl::MakeConstSpan(&entry, 1)).Ints(attribute));
    Shape& shape = (*shapes)[i];
    if (!shape.IsArray()) {
      if (order.empty()) continue;
      return absl::InvalidArgumentError(absl::StrCat("'", attribute, "' has a layout for ", shape.ToString()));
    }
    if (static_cast<int>(order.size()) != shape.rank() ||
        !CheckDimensions("a layout", order, shape.rank(), attribute, attribute).ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", attribute, "'[", i, "] must be a permutation of the dimensions of ", shape.ToString()));
    }
    Layout layout;
    layout.minor_to_major = order;
    shape.set_layout(std::move(layout));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<OutputOperandAlias>> AliasesOf(const OperationCall& call) {
  std::vector<OutputOperandAlias> aliases;
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> elements, call.attributes().Elements("output_operand_aliases"));
  for (const AttributeId id : elements) {
    const AttributeReader fields(call.module(), call.module().attribute(id).fields);
    OutputOperandAlias alias;
    ASSIGN_OR_RETURN(const DimensionVector output, fields.IntsOr("output_tuple_indices", {}));
    ASSIGN_OR_RETURN(alias.operand, fields.IntOr("operand_index", 0));
    ASSIGN_OR_RETURN(const DimensionVector operand, fields.IntsOr("operand_tuple_indices", {}));
    alias.output_index.assign(output.begin(), output.end());
    alias.operand_index.assign(operand.begin(), operand.end());
    aliases.push_back(std::move(alias));
  }
  return aliases;
}

// What the function is given: a string or, for a typed interface, a dictionary as text.
absl::Status SetConfig(const OperationCall& call, CustomCallOptions* options) {
  const AttributeReader attributes = call.attributes();
  ASSIGN_OR_RETURN(const int64_t version, attributes.Int32Or("api_version", 1));
  if (version < 0 || version > static_cast<int64_t>(CustomCallApiVersion::kTypedFfi)) {
    return absl::InvalidArgumentError(absl::StrCat("api_version must be at least 0 and at most 4, got ", version));
  }
  options->api_version = static_cast<CustomCallApiVersion>(version);
  for (const absl::string_view name : {"mhlo.backend_config", "backend_config"}) {
    const AttributeId id = attributes.FindId(name);
    if (!id.ok() || call.module().attribute(id).kind != AttributeKind::kDictionary) continue;
    options->api_version = CustomCallApiVersion::kTypedFfi;
    options->backend_config = AttributeText(call.module(), id);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(options->backend_config, attributes.TextOr("backend_config", ""));
  return absl::OkStatus();
}

absl::Status SetCallees(const OperationCall& call, CustomCallOptions* options) {
  ProgramLowering& program = call.scope().program();
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> callees, call.attributes().Elements("called_computations"));
  for (const AttributeId id : callees) {
    const Attribute& symbol = call.module().attribute(id);
    if (symbol.kind != AttributeKind::kSymbol && symbol.kind != AttributeKind::kString) {
      return absl::InvalidArgumentError("'called_computations' must have names of functions");
    }
    ASSIGN_OR_RETURN(const FunctionParts* const function, program.FindFunction(symbol.text));
    ASSIGN_OR_RETURN(const std::vector<Shape> arguments, DeclaredArguments(program, *function));
    ASSIGN_OR_RETURN(XlaComputation callee, program.Function(symbol.text, arguments));
    options->called_computations.push_back(std::move(callee));
  }
  return absl::OkStatus();
}

// The shapes of results, and how many operands come before those that say them: where types leave sizes open, the last
// operands are the shapes of all results, as `indices_of_shape_operands` lists.
struct ResultShapes {
  std::vector<Shape> shapes;
  int operands = 0;
};

absl::StatusOr<ResultShapes> ResultShapesOf(const OperationCall& call) {
  ResultShapes read;
  read.operands = call.operand_count();
  ASSIGN_OR_RETURN(const DimensionVector indices, call.attributes().IntsOr("indices_of_shape_operands", {}));
  if (!indices.empty()) {
    read.operands -= call.result_count();
    bool are_last = read.operands >= 0 && static_cast<int>(indices.size()) == call.result_count();
    for (size_t i = 0; are_last && i < indices.size(); ++i)
      are_last = indices[i] == read.operands + static_cast<int>(i);
    if (!are_last) {
      return absl::InvalidArgumentError(
          absl::StrCat("'indices_of_shape_operands' must list the last operands, one for each of ", call.result_count(),
                       " results"));
    }
  }
  for (int i = 0; i < call.result_count(); ++i) {
    if (indices.empty()) {
      ASSIGN_OR_RETURN(Shape shape, call.StaticResultShape(i));
      read.shapes.push_back(std::move(shape));
      continue;
    }
    ASSIGN_OR_RETURN(const DimensionVector sizes,
                     RequiredIntegers(call, read.operands + i, absl::StrCat("the shape of result ", i)));
    const Shape& declared = call.result_shape(i);
    if (!declared.IsArray() || declared.rank() != static_cast<int>(sizes.size())) {
      return absl::InvalidArgumentError(absl::StrCat("operand ", read.operands + i, " must be the shape of result ", i,
                                                     ", ", declared.ToString(), ", got ", sizes.size(), " sizes"));
    }
    for (const int64_t size : sizes) {
      if (size < 0) return absl::InvalidArgumentError(absl::StrCat("the shape of result ", i, " has the size ", size));
    }
    read.shapes.push_back(Shape::Array(declared.element_type(), sizes));
  }
  return read;
}

// ApproxTopK whose k is not an attribute but the last operand before shapes.
absl::Status SettleTopK(const OperationCall& call, std::string* target, int* operands, CustomCallOptions* options) {
  if (*target != "stablehlo.dynamic_approx_top_k") return absl::OkStatus();
  if (*operands < 1) return absl::InvalidArgumentError("expected arrays, as many initial values, and k");
  ASSIGN_OR_RETURN(const DimensionVector k, RequiredIntegers(call, *operands - 1, "k"));
  if (k.size() != 1) return absl::InvalidArgumentError("k must be one number");
  absl::string_view others = options->backend_config;
  if (!absl::ConsumePrefix(&others, "{")) {
    return absl::InvalidArgumentError("requires a dictionary as 'mhlo.backend_config'");
  }
  options->backend_config = absl::StrCat("{top_k = ", k[0], " : i64", others == "}" ? "" : ", ", others);
  *target = "ApproxTopK";
  --*operands;
  return absl::OkStatus();
}

// Operations of mhlo that StableHLO lacks, as converters of HLO write them: @mhlo.erf and its kind, and @mhlo.topk with
// the greatest elements, which `largest` may leave unsaid. False: it is another function.
absl::StatusOr<bool> LowerMhloCall(OperationCall& call, absl::string_view target) {
  if (!absl::ConsumePrefix(&target, "mhlo.")) return false;
  ASSIGN_OR_RETURN(const int64_t version, call.attributes().IntOr("mhlo.version", 1));
  ASSIGN_OR_RETURN(const AttributeReader fields, call.attributes().StructOrEmpty("mhlo.attributes"));
  if (target != "topk") return LowerKnownComposite(call, absl::StrCat("chlo.", target), version, fields);
  bool is_largest = true;
  if (fields.Has("largest")) {
    ASSIGN_OR_RETURN(is_largest, fields.Flag("largest"));
  }
  const size_t known = fields.Has("largest") ? 2 : 1;
  if (fields.all().size() != known || !fields.Has("k") || !is_largest) return false;
  const NamedAttribute k = {"k", fields.FindId("k")};
  return LowerKnownComposite(call, "chlo.top_k", version, AttributeReader(call.module(), absl::MakeConstSpan(&k, 1)));
}

absl::Status LowerCustomCall(OperationCall& call) {
  const AttributeReader attributes = call.attributes();
  std::string target;
  const Attribute* const name = attributes.Find("call_target_name");
  if (name != nullptr) target = std::string(name->text);
  if (target.empty()) return absl::InvalidArgumentError("requires attribute 'call_target_name'");
  ASSIGN_OR_RETURN(const bool is_dynamic, LowerDynamicCustomCall(call, target));
  if (is_dynamic) return absl::OkStatus();
  ASSIGN_OR_RETURN(const bool is_of_mhlo, LowerMhloCall(call, target));
  if (is_of_mhlo) return absl::OkStatus();

  CustomCallOptions options;
  ASSIGN_OR_RETURN(options.has_side_effect, attributes.Flag("has_side_effect"));
  RETURN_IF_ERROR(SetConfig(call, &options));
  ASSIGN_OR_RETURN(options.output_operand_aliasing, AliasesOf(call));
  RETURN_IF_ERROR(SetCallees(call, &options));
  ASSIGN_OR_RETURN(ResultShapes read, ResultShapesOf(call));
  std::vector<Shape>& results = read.shapes;
  RETURN_IF_ERROR(SettleTopK(call, &target, &read.operands, &options));
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> operand_layouts, attributes.Elements("operand_layouts"));
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> result_layouts, attributes.Elements("result_layouts"));
  if (attributes.Has("operand_layouts") != attributes.Has("result_layouts")) {
    return absl::InvalidArgumentError("layouts must be given for both operands and results, or for neither");
  }
  if (!operand_layouts.empty() || !result_layouts.empty()) {
    std::vector<Shape> operands;
    for (const Shape& shape : call.shapes().subspan(0, read.operands)) operands.push_back(shape.WithoutLayout());
    RETURN_IF_ERROR(SetLayouts(call, "operand_layouts", operand_layouts, &operands));
    options.operand_layouts = std::move(operands);
    RETURN_IF_ERROR(SetLayouts(call, "result_layouts", result_layouts, &results));
  }
  const Shape result = results.size() == 1 ? results[0] : Shape::Tuple(results);
  return call.ReturnBundle(
      call.builder().CustomCall(target, call.operands().subspan(0, read.operands), result, options), "");
}

}  // namespace

std::vector<OperationRow> CustomCallOperations() {
  constexpr int kAny = OperationRow::kAny;
  return {Row("stablehlo.custom_call", kAny, LowerCustomCall).WithResults(kAny).OnStorage()};
}

}  // namespace stablehlo
}  // namespace xla
