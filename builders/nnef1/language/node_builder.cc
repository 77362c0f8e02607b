#include "builders/nnef1/language/node_builder.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef1/language/type_rules.h"
#include "builders/nnef1/operation.h"
#include "xla_core/support/check.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace nnef1 {
namespace {

// No model means a tensor of more dimensions.
constexpr size_t kMaxRank = 1000;

// Whether the product of the extents, in bytes, can be counted.
bool IsCountable(const Extents& extents) {
  int64_t bytes = 8;
  for (const int64_t extent : extents) {
    if (extent != 0 && !CheckedMul(bytes, extent, &bytes)) return false;
  }
  return true;
}

std::string ExtentsText(const Extents& extents) { return absl::StrCat("[", absl::StrJoin(extents, ","), "]"); }

// Labels are names of files, so that capital letters tell none apart.
std::string LabelOf(const Node& variable) { return absl::AsciiStrToLower(FindArgument(variable, "label")->string()); }

}  // namespace

void NodeBuilder::NameExternals(const Target& target, const Expression& value) {
  if (target.kind == Target::Kind::kIdentifier) {
    if (value.kind == Expression::Kind::kInvocation && value.name == "external") external_names_[&value] = target.name;
    return;
  }
  const bool mirrors = (value.kind == Expression::Kind::kArray || value.kind == Expression::Kind::kTuple) &&
                       value.items.size() == target.items.size();
  for (size_t i = 0; mirrors && i < value.items.size(); ++i) NameExternals(target.items[i], value.items[i]);
}

Value NodeBuilder::NewTensor(Primitive primitive, absl::optional<Extents> extents, int producer) {
  Tensor tensor;
  tensor.primitive = primitive;
  tensor.extents = std::move(extents);
  tensor.producer = producer;
  graph_.tensors.push_back(std::move(tensor));
  return Value::Tensor(static_cast<int>(graph_.tensors.size()) - 1);
}

Value NodeBuilder::NewLiteral(const Value& value) {
  const Value tensor = NewTensor(PrimitiveOf(value), Extents(), -1);
  graph_.tensors.back().name = value.ToString();
  graph_.tensors.back().literal = value;
  return tensor;
}

// Adds a node to the graph: finds its definition, infers the extents of its results, and makes these. Each node
// counts as work, which the options limit.
bool NodeBuilder::AddNode(Call call, const Scope& scope, Value* value) {
  if (!expansion_.Work(scope, call.span, kWorkOfNode)) return false;
  Node node;
  node.generic = call.generic;
  node.arguments = std::move(call.arguments);
  node.position = expansion_.PositionOf(scope, call.span);
  node.calls = expansion_.CallChain();
  absl::optional<std::vector<Extents>> extents;
  if (!FindDefinition(call, scope, &node) || !OverrideExtents(call, scope, &node) ||
      !InferExtents(call, scope, node, &extents) || !MakeResults(call, scope, extents, &node) ||
      !CheckState(call, scope, node)) {
    return false;
  }
  *value = node.results.size() == 1 ? node.results[0] : Value::Tuple(node.results);
  graph_.nodes.push_back(std::move(node));
  return true;
}

// What the node is: a row of the operation table, or an operation that only the document knows.
bool NodeBuilder::FindDefinition(const Call& call, const Scope& scope, Node* node) {
  const Declaration& declaration = call.fragment->declaration;
  node->definition = declaration.definition;
  node->declaration = &declaration;
  if (node->definition != nullptr) return true;
  if (!expansion_.options().keep_custom_operations) {
    return expansion_.Error(
        ErrorClass::kArgument, scope, call.span,
        absl::StrCat("operation '", declaration.name,
                     "' is declared without a body and not known here, so its results have no shape"),
        "3.2.2", "give the fragment a body of standard operations");
  }
  node->custom_name = declaration.name;
  const auto added = custom_declarations_.emplace(call.fragment, nullptr);
  if (added.second) {
    graph_.custom_declarations.push_back(std::make_shared<const Declaration>(declaration));
    added.first->second = graph_.custom_declarations.back().get();
  }
  node->declaration = added.first->second;
  return true;
}

// The extents that a run asks for stand in for those of `external`.
bool NodeBuilder::OverrideExtents(const Call& call, const Scope& scope, Node* node) {
  const auto name = external_names_.find(call.invocation);
  if (call.invocation == nullptr || name == external_names_.end()) return true;
  const auto found = expansion_.options().external_extents.find(std::string(name->second));
  if (found == expansion_.options().external_extents.end()) return true;
  const int parameter = node->declaration->ParameterIndex("shape");
  CHECK(parameter >= 0);
  const Extents& extents = found->second;
  Value& shape = node->arguments[parameter];
  if (shape.items().size() != extents.size()) {
    return expansion_.Error(ErrorClass::kFedData, scope, call.span,
                            absl::StrCat("'", name->second, "' has ", shape.items().size(), " dimensions, got extents ",
                                         ExtentsText(extents)),
                            "4.1.1", "extents may be replaced, the rank stays");
  }
  std::vector<Value> items;
  for (const int64_t extent : extents) items.push_back(Value::Integer(extent));
  shape = Value::Array(std::move(items));
  return true;
}

bool NodeBuilder::HasUnknownOperand(const Node& node) const {
  const auto is_unknown = [&](const Value& value) {
    return value.is_tensor() && !graph_.tensors[value.tensor().id].extents.has_value();
  };
  for (const Value& argument : node.arguments) {
    if (is_unknown(argument)) return true;
    if (argument.is_array() && std::any_of(argument.items().begin(), argument.items().end(), is_unknown)) return true;
  }
  return false;
}

// Leaves `*extents` empty if those of an operand are unknown.
bool NodeBuilder::InferExtents(const Call& call, const Scope& scope, const Node& node,
                               absl::optional<std::vector<Extents>>* extents) {
  if (node.definition == nullptr || HasUnknownOperand(node)) return true;
  const std::string& operation = node.declaration->name;
  CHECK(node.definition->infer != nullptr);
  Inferred inferred = node.definition->infer(OperationCall(graph_, node));
  if (!inferred.ok()) {
    return expansion_.Error(ErrorClass::kArgument, scope, call.span,
                            absl::StrCat(operation, ": ", inferred.status().message()), node.definition->section);
  }
  for (const Extents& result : *inferred) {
    if (result.size() <= kMaxRank && IsCountable(result)) continue;
    return expansion_.Error(
        ErrorClass::kArgument, scope, call.span,
        absl::StrCat(operation, ": a result of extents ",
                     result.size() <= 16 ? ExtentsText(result) : absl::StrCat("of rank ", result.size()),
                     " is too large"),
        node.definition->section);
  }
  *extents = *std::move(inferred);
  return true;
}

bool NodeBuilder::CheckCompound(const Call& call, const Scope& scope) {
  Node node;
  node.definition = call.fragment->declaration.definition;
  if (node.definition == nullptr || node.definition->infer == nullptr) return true;
  node.declaration = &call.fragment->declaration;
  node.generic = call.generic;
  node.arguments = call.arguments;
  node.position = expansion_.PositionOf(scope, call.span);
  node.calls = expansion_.CallChain();
  absl::optional<std::vector<Extents>> extents;
  return InferExtents(call, scope, node, &extents);
}

// How many tensors the result has that is an array: all that the others leave.
bool NodeBuilder::ArrayLength(const Call& call, const Scope& scope, size_t result,
                              const absl::optional<std::vector<Extents>>& extents, size_t* length) {
  const std::vector<Result>& results = call.fragment->declaration.results;
  if (extents.has_value()) {
    CHECK(extents->size() + 1 >= results.size());
    *length = extents->size() - (results.size() - 1);
    return true;
  }
  const Target* target = call.target;
  if (target != nullptr && results.size() > 1) {
    target = target->kind == Target::Kind::kTuple ? &target->items[result] : nullptr;
  }
  if (target == nullptr || target->kind != Target::Kind::kArray) {
    return expansion_.Error(ErrorClass::kArgument, scope, call.span,
                            absl::StrCat(call.fragment->declaration.name, ": the length of the array '",
                                         results[result].name, "' is not known"),
                            "3.3.2", "assign it to an array of identifiers");
  }
  *length = target->items.size();
  return true;
}

// Makes the result tensors, arrays of them where the declaration has arrays, with extents in the order in which they
// were inferred.
bool NodeBuilder::MakeResults(const Call& call, const Scope& scope, const absl::optional<std::vector<Extents>>& extents,
                              Node* node) {
  const int producer = static_cast<int>(graph_.nodes.size());
  size_t next = 0;
  const auto add = [&](const Type& type) {
    absl::optional<Extents> known;
    if (extents.has_value()) {
      CHECK(next < extents->size());
      known = (*extents)[next++];
    }
    return NewTensor(type.primitive, std::move(known), producer);
  };
  const std::vector<Result>& results = node->declaration->results;
  for (size_t i = 0; i < results.size(); ++i) {
    const Type type = Substitute(results[i].type, call.generic);
    const Type& item = type.kind == Type::Kind::kArray ? type.items[0] : type;
    if (item.kind != Type::Kind::kTensor || item.primitive == Primitive::kString ||
        item.primitive == Primitive::kGeneric) {
      return expansion_.Error(
          ErrorClass::kArgument, scope, call.span,
          absl::StrCat(node->declaration->name, ": no operation can give a result of type ", type.ToString()), "3.3.1");
    }
    if (type.kind != Type::Kind::kArray) {
      node->results.push_back(add(item));
      continue;
    }
    size_t length = 0;
    if (!ArrayLength(call, scope, i, extents, &length)) return false;
    if (!expansion_.Work(scope, call.span, kWorkOfTensor * static_cast<int64_t>(length))) return false;
    std::vector<Value> items;
    for (size_t k = 0; k < length; ++k) items.push_back(add(item));
    node->results.push_back(Value::Array(std::move(items)));
  }
  CHECK(!extents.has_value() || next == extents->size());
  return true;
}

// What variables of one label have in common, and that one cycle updates them once.
bool NodeBuilder::CheckState(const Call& call, const Scope& scope, const Node& node) {
  if (node.definition == nullptr) return true;
  if (node.declaration->name == "variable") return CheckLabel(call, scope, node);
  return node.declaration->name != "update" || CheckUpdate(call, scope, node);
}

bool NodeBuilder::CheckLabel(const Call& call, const Scope& scope, const Node& variable) {
  const std::string label = LabelOf(variable);
  const auto added = variable_of_label_.emplace(label, static_cast<int>(graph_.nodes.size()));
  if (added.second) return true;
  const Tensor& first = graph_.tensors[graph_.nodes[added.first->second].results[0].tensor().id];
  const Tensor& second = graph_.tensors[variable.results[0].tensor().id];
  if (first.primitive == second.primitive && first.extents == second.extents) return true;
  return expansion_.Error(ErrorClass::kArgument, scope, call.span,
                          absl::StrCat("variable: the label '", label, "' stands for ", PrimitiveName(first.primitive),
                                       ExtentsText(*first.extents), " already, got ", PrimitiveName(second.primitive),
                                       ExtentsText(*second.extents)),
                          variable.definition->section, "variables of one label share their data");
}

bool NodeBuilder::CheckUpdate(const Call& call, const Scope& scope, const Node& update) {
  const int producer = graph_.tensors[update.arguments[0].tensor().id].producer;
  if (producer < 0 || graph_.nodes[producer].declaration->name != "variable") {
    return expansion_.Error(ErrorClass::kIdentifier, scope, call.span, "only variables are updated",
                            update.definition->section);
  }
  const std::string label = LabelOf(graph_.nodes[producer]);
  if (updated_labels_.insert(label).second) return true;
  return expansion_.Error(ErrorClass::kIdentifier, scope, call.span,
                          absl::StrCat("the variable with the label '", label, "' is updated twice in a cycle"),
                          update.definition->section);
}

}  // namespace nnef1
}  // namespace xla
