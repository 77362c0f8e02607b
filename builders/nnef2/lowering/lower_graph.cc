#include "builders/nnef2/lowering/lower_graph.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/nnef2/composition/graph_arrays.h"
#include "builders/nnef2/data/model_format.h"
#include "builders/nnef2/lowering/node_builder.h"
#include "builders/nnef2/lowering/region_lowering.h"
#include "builders/nnef_common/unused_instructions.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {
namespace {

class GraphLowerer {
 public:
  GraphLowerer(const ComposedGraph& graph, const LowerOptions& options, Diagnostics* diagnostics)
      : graph_(graph),
        options_(options),
        diagnostics_(*diagnostics),
        context_{graph, options, RegionUsesOf(graph), RegionChecks(graph)},
        builder_(graph.definition->name.text),
        region_(&context_, &builder_) {
    builder_.set_keep_source_locations(false);
  }

  absl::StatusOr<nnef::LoweredModel> Run() {
    lowered_.format = &Nnef2Format();
    AddInputs();
    RETURN_IF_ERROR(AddVariables());
    RETURN_IF_ERROR(builder_.first_error());
    RETURN_IF_ERROR(region_.LowerOperations(graph_.operations));
    RETURN_IF_ERROR(diagnostics_.ToStatus());
    region_.MakeChecks(nullptr);
    RETURN_IF_ERROR(AddOutputs());
    AddUpdates();
    AddChecks();
    ASSIGN_OR_RETURN(const XlaComputation computation, builder_.Build(builder_.Tuple(results_)));
    ASSIGN_OR_RETURN(lowered_.module, computation.ToModule(diagnostics_.resources()));
    nnef::RemoveUnusedInstructions(*lowered_.module);
    return std::move(lowered_);
  }

 private:
  XlaOp AddParameter(const std::string& name, const xla::Shape& shape) {
    return builder_.Parameter(next_parameter_++, shape, name);
  }

  // --- inputs ---

  void AddInputs() {
    for (const GraphArray& input : InputArrays(graph_)) AddInput(input);
  }

  void AddInput(const GraphArray& input) {
    const xla::Shape bounds = BoundsOf(input);
    xla::Shape shape = bounds;
    for (size_t d = 0; d < input.shape.size(); ++d) {
      if (input.shape[d].kind == Scalar::Kind::kSymbolic) shape.set_dynamic_dimension(static_cast<int>(d), true);
    }
    const XlaOp parameter = AddParameter(input.name, shape);
    lowered_.input_names.push_back(input.name);
    if (!shape.IsDynamic()) {
      region_.SetArray(input.tensors[0], parameter);
      return;
    }
    // The array of the bounds, and the size of each dimension.
    std::vector<xla::Shape> parts(input.shape.size() + 1, xla::Shape::Scalar(S32));
    parts[0] = bounds;
    const XlaOp padded = builder_.CustomCall("PadToStatic", {parameter}, xla::Shape::Tuple(parts));
    const XlaOp array = builder_.GetTupleElement(padded, 0);
    if (input.is_pack) {
      region_.SetPack(input.tensors, array);
    } else {
      region_.SetArray(input.tensors[0], array);
    }
    for (size_t d = 0; d < input.shape.size(); ++d) {
      if (input.shape[d].kind != Scalar::Kind::kSymbolic) continue;
      BindExtent(absl::StrCat("dimension ", d, " of input '", input.name, "'"), input.shape[d],
                 builder_.GetTupleElement(padded, static_cast<int64_t>(d) + 1));
    }
  }

  // The array of an input or an output with the bounds of its extents.
  xla::Shape BoundsOf(const GraphArray& array) const {
    std::vector<int64_t> bounds;
    for (const Scalar& extent : array.shape) bounds.push_back(UpperBound(extent));
    return xla::Shape::Array(region_.TypeOf(graph_.tensors[array.tensors[0]].element.base), bounds);
  }

  // Each extent is a symbol of its own, or must agree with what others have said.
  void BindExtent(const std::string& what, const Scalar& extent, XlaOp size) {
    if (extent.symbolic->kind == Symbolic::Kind::kSymbol && !region_.KnowsExtent(extent)) {
      region_.SetExtent(extent.symbolic->id, size);
      return;
    }
    AddCheck(builder_.Eq(size, region_.Extent(extent)), ErrorClass::kRuntimeShape,
             absl::StrCat(what, " differs from '", extent.symbolic->ToString(), "' of another input"));
  }

  // --- variables ---

  absl::Status AddVariables() {
    std::set<int> updated;
    for (const VariableUpdate& update : graph_.updates) {
      for (const Scalar& item : update.variable.items) updated.insert(static_cast<int>(item.integer));
    }
    for (const int number : graph_.variables) {
      const std::string& name = graph_.tensors[number].name;
      const xla::Shape shape = region_.ShapeOf(number);
      const auto found = options_.variables.find(name);
      const std::shared_ptr<const Literal> data = found == options_.variables.end() ? nullptr : found->second;
      if (data != nullptr && !data->shape().Compatible(shape)) {
        return ClassifiedError(ErrorClass::kData, absl::StrCat("variable '", name, "': expected data of shape ",
                                                               shape.ToString(), ", got ", data->shape().ToString()));
      }
      if (options_.variables_are_parameters || updated.count(number) > 0) {
        variables_.emplace(number, lowered_.variables.size());
        nnef::LoweredModel::Variable variable;
        variable.label = name;
        variable.parameter = next_parameter_;
        variable.initial = data;
        lowered_.variables.push_back(std::move(variable));
        region_.SetArray(number, AddParameter(name, shape));
      } else if (data != nullptr) {
        const XlaOp constant = builder_.ConstantLiteral(*data);
        builder_.SetInstructionName(constant, name);
        region_.SetArray(number, constant);
      } else {
        return ClassifiedError(
            ErrorClass::kData,
            absl::StrCat("variable '", name, "' has no data: a document alone has structure only; open the folder or ",
                         "archive that holds '", name, ".dat', or make variables parameters"));
      }
    }
    return absl::OkStatus();
  }

  void AddUpdates() {
    for (const VariableUpdate& update : graph_.updates) {
      for (size_t i = 0; i < update.variable.items.size(); ++i) {
        const auto found = variables_.find(static_cast<int>(update.variable.items[i].integer));
        if (found == variables_.end()) continue;
        nnef::LoweredModel::Variable& variable = lowered_.variables[found->second];
        const XlaOp value = region_.Array(static_cast<int>(update.value.items[i].integer));
        if (variable.result.has_value()) {
          // Two calls of one graph share the variable: the last one counts.
          results_[*variable.result] = value;
          continue;
        }
        variable.result = static_cast<int64_t>(results_.size());
        builder_.SetUpAlias({*variable.result}, variable.parameter, {});
        results_.push_back(value);
      }
    }
  }

  // --- outputs ---

  // The array with the sizes that its dimensions have at run time.
  XlaOp DynamicArray(XlaOp array, const Shape& extents) {
    for (size_t d = 0; d < extents.size(); ++d) {
      if (extents[d].kind != Scalar::Kind::kSymbolic) continue;
      // A size that is not possible fails a check, and is not to fail here.
      const XlaOp limited = builder_.Clamp(Zero(&builder_, S32), region_.Extent(extents[d]),
                                           xla::Scalar(&builder_, S32, extents[d].symbolic->upper));
      array = builder_.SetDimensionSize(array, limited, static_cast<int64_t>(d));
    }
    return array;
  }

  void AddOutput(const std::string& name, int number) {
    lowered_.output_names.push_back(name);
    results_.push_back(DynamicArray(region_.Array(number), graph_.tensors[number].shape));
    outputs_.insert(number);
  }

  absl::Status AddOutputs() {
    for (const GraphArray& output : OutputArrays(graph_)) {
      if (!output.is_pack) {
        AddOutput(output.name, output.tensors[0]);
        continue;
      }
      if (!HasOneShape(graph_, output)) {
        return absl::UnimplementedError(absl::StrCat(
            nnef::PlaceText(graph_.definition->At(output.declared->name.span)), "output '", output.name,
            "' is a pack whose length is known at run time only, of tensors of different shape, which a run cannot ",
            "return; pad them to one shape by layout.pad"));
      }
      lowered_.output_names.push_back(output.name);
      results_.push_back(DynamicArray(region_.Stacked(output.tensors), output.shape));
    }
    return AddFurtherOutputs();
  }

  // Tensors that the options name, in their order, and then all that have names.
  absl::Status AddFurtherOutputs() {
    if (options_.extra_outputs.empty() && !options_.all_activations) return absl::OkStatus();
    std::map<std::string, int> named;
    for (size_t number = 0; number < graph_.tensors.size(); ++number) {
      const ComposedTensor& tensor = graph_.tensors[number];
      const bool is_made = region_.HasArray(static_cast<int>(number));
      if (!tensor.name.empty() && is_made) named.emplace(tensor.name, static_cast<int>(number));
    }
    for (const std::string& name : options_.extra_outputs) {
      auto found = named.find(name);
      if (found == named.end()) found = named.find(absl::StrCat("main.", graph_.definition->name.text, ".", name));
      if (found == named.end()) {
        std::vector<absl::string_view> known;
        for (const auto& tensor : named) known.push_back(tensor.first);
        const absl::string_view nearest = NearestWord(name, known);
        return absl::InvalidArgumentError(
            absl::StrCat("the graph has no tensor '", name, "' outside of branches and loops",
                         nearest.empty() ? "" : absl::StrCat("; did you mean '", nearest, "'?")));
      }
      if (outputs_.count(found->second) == 0) AddOutput(found->first, found->second);
    }
    if (!options_.all_activations) return absl::OkStatus();
    for (const auto& tensor : named) {
      const bool is_computed = graph_.tensors[tensor.second].kind == ComposedTensor::Kind::kComputed;
      if (is_computed && outputs_.count(tensor.second) == 0) AddOutput(tensor.first, tensor.second);
    }
    return absl::OkStatus();
  }

  // --- checks ---

  struct Check {
    XlaOp holds;
    ErrorClass error_class;
    std::string message;
  };

  void AddCheck(XlaOp holds, ErrorClass error_class, std::string message) {
    checks_.push_back({holds, error_class, std::move(message)});
  }

  void AddChecks() {
    for (const auto& made : region_.checks()) {
      const RegionCheck& check = context_.checks.check(made.first);
      if (check.check != nullptr) {
        AddCheck(made.second, check.check->error_class,
                 absl::StrCat(nnef::PlaceText(check.check->position), check.check->message));
      } else {
        AddCheck(made.second, ErrorClass::kRuntimeBound,
                 absl::StrCat(nnef::PlaceText(check.loop->position),
                              "the count of a loop is greater than the number of tensors that it goes through"));
      }
    }
    for (Check& check : checks_) {
      lowered_.checks.push_back(
          {static_cast<int64_t>(results_.size()), std::move(check.message), nnef::ErrorClass(check.error_class)});
      results_.push_back(check.holds);
    }
  }

  const ComposedGraph& graph_;
  const LowerOptions& options_;
  Diagnostics& diagnostics_;
  GraphLowering context_;
  ComputationBuilder builder_;
  RegionLowering region_;
  nnef::LoweredModel lowered_;
  int64_t next_parameter_ = 0;
  std::map<int, size_t> variables_;  // by tensor: which of lowered_.variables
  std::vector<XlaOp> results_;
  std::set<int> outputs_;  // tensors that are results
  std::vector<Check> checks_;
};

}  // namespace

absl::StatusOr<nnef::LoweredModel> LowerGraph(const ComposedGraph& graph, const LowerOptions& options,
                                              Diagnostics* diagnostics) {
  graph.workspace->ReportTo(diagnostics);
  absl::StatusOr<nnef::LoweredModel> lowered = GraphLowerer(graph, options, diagnostics).Run();
  // The diagnostics say where.
  if (!lowered.ok() && diagnostics->has_errors()) return diagnostics->ToStatus();
  return lowered;
}

}  // namespace nnef2
}  // namespace xla
