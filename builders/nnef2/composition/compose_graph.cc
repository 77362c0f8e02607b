#include "builders/nnef2/composition/compose_graph.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef2/composition/composer.h"
#include "builders/nnef2/composition/shape_binder.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef2 {

Composer::Composer(const std::shared_ptr<const Program>& program, const Signatures& signatures,
                   Diagnostics* diagnostics)
    : program_(program),
      signatures_(signatures),
      graph_{program, nullptr, std::make_shared<Workspace>(/*is_definition=*/false, diagnostics)},
      workspace_(*graph_.workspace) {}

bool Composer::Fail(ErrorClass error_class, const Frame& frame, const Span& span, std::string message,
                    absl::string_view rule, std::string suggestion) {
  return workspace_.Error(error_class, frame.definition->At(span), std::move(message), rule, std::move(suggestion));
}

bool Composer::Run(const Definition& graph, const ComposeOptions& options) {
  graph_.definition = &graph;
  simulates_quantization_ = options.simulate_quantization;
  std::shared_ptr<BoundOperator> bound;
  if (!BindGraph(graph, options, &bound)) return false;
  Scope scope;
  scope.parent = &bound->scope;
  Frame frame;
  frame.definition = &graph;
  frame.scope = &scope;
  frame.path = absl::StrCat("main.", graph.name.text, ".");
  frame.is_public = true;
  frame.operations = &graph_.operations;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    scope.values.emplace(graph.inputs[i].name.text, graph_.inputs[i]);
    NameTensors(frame, graph.inputs[i].name.text, graph_.inputs[i], /*is_accessible=*/true);
  }
  if (!ComposeBody(*bound, frame, &graph_.outputs)) return false;
  InsertQuantization(std::move(quantization_steps_), &graph_);
  return true;
}

bool Composer::ReadAttributes(const Definition& graph, const ComposeOptions& options, ResolvedInvocation* resolved) {
  const Position position = graph.At(graph.name.span);
  for (const TypeParameter& type : graph.types) {
    if (!type.default_type.has_value() || !type.default_type->base.has_value()) {
      return workspace_.Error(ErrorClass::kType, position,
                              absl::StrCat("type '", type.name.text, "' of the graph has no default"), "2.13");
    }
    resolved->types.emplace(type.name.text, ElementType{*type.default_type->base, {}});
  }
  for (const auto& given : options.attributes) {
    std::vector<absl::string_view> known;
    for (const Parameter& attribute : graph.attributes) known.push_back(attribute.name.text);
    if (std::find(known.begin(), known.end(), given.first) != known.end()) continue;
    const absl::string_view nearest = NearestWord(given.first, known);
    return workspace_.Error(ErrorClass::kAttrib, position,
                            absl::StrCat("graph '", graph.name.text, "' has no attribute '", given.first, "'"), "2.5",
                            nearest.empty() ? "" : absl::StrCat("did you mean '", nearest, "'?"));
  }
  for (size_t i = 0; i < graph.attributes.size(); ++i) {
    const Parameter& attribute = graph.attributes[i];
    const auto given = options.attributes.find(std::string(attribute.name.text));
    if (given == options.attributes.end()) {
      if (attribute.is_optional || attribute.value != nullptr) continue;
      return workspace_.Error(ErrorClass::kAttrib, graph.At(attribute.name.span),
                              absl::StrCat("attribute '", attribute.name.text, "' of the graph must be given"), "3");
    }
    const ElementType element = ElementOf(attribute, resolved->types);
    const Value& value = given->second;
    if (!value.type.element.Fits(element) || (value.type.is_pack && !attribute.pack.is_pack)) {
      return workspace_.Error(
          ErrorClass::kType, graph.At(attribute.name.span),
          absl::StrCat("attribute '", attribute.name.text, "' of the graph must be ", element.ToString(),
                       attribute.pack.is_pack ? ".." : "", ", got ", value.type.ToString()),
          "3");
    }
    resolved->attributes[i] = value;
  }
  return true;
}

bool Composer::BindGraph(const Definition& graph, const ComposeOptions& options,
                         std::shared_ptr<BoundOperator>* bound) {
  const Signature& signature = signatures_.at(&graph);
  ResolvedInvocation resolved;
  resolved.callee = &graph;
  resolved.attributes.resize(graph.attributes.size());
  if (!CheckInputNames(graph, options) || !ReadAttributes(graph, options, &resolved)) return false;
  // The names that inputs may mention: attributes that do not depend on them, and the symbols of other inputs.
  Scope scope;
  scope.types = resolved.types;
  Evaluator evaluator(&workspace_, graph.source, &scope);
  for (size_t i = 0; i < graph.attributes.size(); ++i) {
    const Parameter& attribute = graph.attributes[i];
    absl::optional<Value> value = resolved.attributes[i];
    if (!value.has_value() && attribute.value != nullptr && !signature.is_deferred[i]) {
      value = evaluator.EvaluateStatic(*attribute.value, "a default");
      if (value->is_error) return false;
    }
    if (value.has_value()) scope.values.emplace(attribute.name.text, *std::move(value));
  }
  graph_.inputs.resize(graph.inputs.size());
  for (const int i : signature.input_order) {
    const Parameter& input = graph.inputs[i];
    if (options.input_extents.count(std::string(input.name.text)) != 0) resolved.replaced.insert(&input);
    if (!CreateInput(graph, input, options, &scope, &graph_.inputs[i])) return false;
  }
  resolved.inputs.assign(graph_.inputs.begin(), graph_.inputs.end());
  *bound = BindOperator(&workspace_, signature, resolved, graph.At(graph.name.span), &graph_.checks);
  return *bound != nullptr;
}

const Value* Composer::FindQuantized(const Name& tensor, const Frame& frame, std::string* name) {
  *name = absl::StrCat(frame.path, tensor.text);
  const bool is_scoped = absl::StrContains(tensor.text, '.');
  if (!is_scoped) {
    const Value* const own = frame.scope->Find(tensor.text);
    if (own != nullptr && own->type.is_tensor) return own;
  }
  auto found = names_.find(*name);
  if (found == names_.end()) {
    *name = std::string(tensor.text);
    found = names_.find(*name);
  }
  if (found != names_.end() && found->second.is_accessible) return &found->second.value;
  Fail(ErrorClass::kQuantize, frame, tensor.span,
       absl::StrCat("there is no tensor '", tensor.text, "' that can be named here"), "2.14",
       found == names_.end() ? "" : "intermediate tensors can be named in public operators only");
  return nullptr;
}

bool Composer::Quantize(const Definition& definition, const Frame& frame) {
  return std::all_of(definition.quantizations.begin(), definition.quantizations.end(),
                     [&](const Quantization& entry) { return QuantizeTensor(entry, frame); });
}

bool Composer::QuantizeTensor(const Quantization& entry, const Frame& frame) {
  const Definition& definition = *frame.definition;
  std::string name;
  const Value* const value = FindQuantized(entry.tensor, frame, &name);
  if (value == nullptr) return false;
  if (value->is_null) return true;
  Evaluator evaluator(&workspace_, definition.source, frame.scope);
  const InvocationContext context{program_.get(), &definition, &workspace_, &evaluator, ErrorClass::kQuantize};
  ResolvedInvocation resolved;
  resolved.callee =
      program_->Find(definition, entry.algorithm.target, ErrorClass::kQuantize, &workspace_.diagnostics());
  if (resolved.callee == nullptr || !ResolveAttributes(context, entry.algorithm, &resolved)) return false;
  const Definition& algorithm = *resolved.callee;
  const ElementType& element = value->type.element;
  const Parameter& input = algorithm.inputs[0];
  if (input.type.base.has_value() && *input.type.base != element.base) {
    return Fail(ErrorClass::kQuantize, frame, entry.algorithm.span,
                absl::StrCat("operator '", algorithm.QualifiedName(), "' takes ", input.type.name.text,
                             ", and tensor '", entry.tensor.text, "' is ", element.ToString()),
                "2.14");
  }
  const Parameter& output = algorithm.outputs[0];
  if (output.type.name.text != input.type.name.text) {
    return Fail(ErrorClass::kQuantize, frame, entry.algorithm.span,
                absl::StrCat("operator '", algorithm.QualifiedName(), "' changes the type from ", input.type.name.text,
                             " to ", output.type.name.text),
                "2.14");
  }
  QuantizationInfo info;
  info.tensor = name;
  info.operator_name = algorithm.QualifiedName();
  info.algorithm = &algorithm;
  for (const AttributeValue& given : entry.algorithm.attributes) {
    for (size_t i = 0; i < algorithm.attributes.size(); ++i) {
      if (algorithm.attributes[i].name.text != given.name.text) continue;
      info.attributes.emplace_back(std::string(given.name.text), *resolved.attributes[i]);
    }
  }
  graph_.quantizations.push_back(std::move(info));
  return !simulates_quantization_ || AddQuantizationSteps(entry, *value, std::move(resolved), frame);
}

bool Composer::AddQuantizationSteps(const Quantization& entry, const Value& tensors, ResolvedInvocation resolved,
                                    const Frame& frame) {
  const Definition& algorithm = *resolved.callee;
  const Position position = frame.definition->At(entry.algorithm.span);
  const ElementType& element = tensors.type.element;
  for (const TypeParameter& type : algorithm.types) resolved.types.insert_or_assign(type.name.text, element);
  for (const Scalar& item : tensors.items) {
    QuantizationSteps steps;
    steps.tensor = static_cast<int>(item.integer);
    const Value tensor = TensorValue(element, /*is_pack=*/false, {steps.tensor});
    resolved.inputs = {tensor};
    const std::shared_ptr<const BoundOperator> bound = Bind(resolved, position);
    if (bound == nullptr) return false;
    Frame callee = frame;
    callee.definition = &algorithm;
    callee.path = absl::StrCat(frame.path, entry.tensor.text, ".");
    callee.is_public = false;
    callee.is_region = false;
    callee.is_update = false;
    callee.operations = &steps.operations;
    const Workspace::Call call(&workspace_, position, algorithm.QualifiedName());
    std::vector<Value> results;
    if (!InvokeBound(bound, {tensor}, callee, position, &results)) return false;
    steps.rounded = static_cast<int>(results[0].item().integer);
    quantization_steps_.push_back(std::move(steps));
  }
  return true;
}

absl::optional<ComposedGraph> ComposeGraph(const std::shared_ptr<const Program>& program, const Signatures& signatures,
                                           const ComposeOptions& options, Diagnostics* diagnostics) {
  const Definition* chosen = options.graph.empty() ? program->graphs().front() : nullptr;
  std::vector<absl::string_view> names;
  for (const Definition* const graph : program->graphs()) {
    if (graph->name.text == options.graph) chosen = graph;
    names.push_back(graph->name.text);
  }
  if (chosen == nullptr) {
    const Definition& first = *program->graphs().front();
    diagnostics->Error(ErrorClass::kGraph, Position{first.source, 0, 0, 1},
                       absl::StrCat("there is no graph '", options.graph, "'"), "2.15",
                       absl::StrCat("the graphs are ", absl::StrJoin(names, ", ")));
    return absl::nullopt;
  }
  Composer composer(program, signatures, diagnostics);
  const int known_errors = diagnostics->error_count();
  if (!composer.Run(*chosen, options) || diagnostics->IsOver() || diagnostics->error_count() > known_errors) {
    return absl::nullopt;
  }
  return composer.Take();
}

}  // namespace nnef2
}  // namespace xla
