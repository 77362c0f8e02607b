#include "builders/nnef1/writing/graph_writer.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef1/document.h"
#include "xla_core/support/check.h"

namespace xla {
namespace nnef1 {
namespace {

constexpr const char* kKeywords[] = {"version", "extension", "graph",    "fragment",  "tensor",   "integer", "scalar",
                                     "logical", "string",    "shape_of", "length_of", "range_of", "for",     "in",
                                     "yield",   "if",        "else",     "true",      "false"};

// Letters, digits and underscores, beginning with no digit.
std::string Spelled(absl::string_view name) {
  std::string spelled;
  for (const char c : name) spelled += absl::ascii_isalnum(c) ? c : '_';
  if (spelled.empty() || absl::ascii_isdigit(spelled[0])) spelled.insert(0, "t");
  return spelled;
}

}  // namespace

GraphWriter::GraphWriter(absl::string_view name) : names_(std::begin(kKeywords), std::end(kKeywords)) {
  graph_.name = Spelled(name);
  // Which may be a keyword too.
  if (names_.count(graph_.name) > 0) graph_.name += "_";
}

std::string GraphWriter::UniqueName(absl::string_view wanted) {
  const std::string spelled = Spelled(wanted);
  std::string name = spelled;
  for (int i = 1; !names_.insert(name).second; ++i) name = absl::StrCat(spelled, "_", i);
  return name;
}

int GraphWriter::Add(absl::string_view operation, const Arguments& arguments, Primitive primitive,
                     const Extents& extents, absl::string_view name) {
  const Declaration* const declaration = FindStandardDeclaration(operation);
  CHECK(declaration != nullptr);
  Node node;
  node.definition = declaration->definition;
  node.declaration = declaration;
  node.generic = primitive;
  for (const Parameter& parameter : declaration->parameters) {
    if (parameter.default_value.has_value()) {
      node.arguments.push_back(DefaultFor(parameter));
    } else {
      node.arguments.emplace_back();
    }
  }
  for (const auto& argument : arguments) {
    const int place = declaration->ParameterIndex(argument.first);
    CHECK(place >= 0);
    node.arguments[place] = argument.second;
  }
  const int id = static_cast<int>(graph_.tensors.size());
  Tensor tensor;
  tensor.name = UniqueName(name);
  tensor.is_declared = true;
  tensor.primitive = primitive;
  tensor.extents = extents;
  tensor.producer = static_cast<int>(graph_.nodes.size());
  graph_.tensors.push_back(std::move(tensor));
  node.results.push_back(Value::Tensor(id));
  graph_.nodes.push_back(std::move(node));
  return id;
}

// The default of a tensor parameter is a number, which becomes a tensor.
Value GraphWriter::DefaultFor(const Parameter& parameter) {
  const Value& value = *parameter.default_value;
  return parameter.type.kind == Type::Kind::kTensor ? Value::Tensor(AddLiteral(value)) : value;
}

int GraphWriter::AddLiteral(const Value& value) {
  Tensor tensor;
  tensor.name = value.ToString();
  tensor.primitive = value.is_integer()   ? Primitive::kInteger
                     : value.is_logical() ? Primitive::kLogical
                                          : Primitive::kScalar;
  tensor.extents = Extents();
  tensor.literal = value;
  graph_.tensors.push_back(std::move(tensor));
  return static_cast<int>(graph_.tensors.size()) - 1;
}

int GraphWriter::AddInput(Primitive primitive, const Extents& extents, absl::string_view name) {
  const int id = Add("external", {{"shape", IntegerArray(extents)}}, primitive, extents, name);
  graph_.inputs.push_back(id);
  return id;
}

Value IntegerArray(absl::Span<const int64_t> integers) {
  std::vector<Value> items;
  for (const int64_t integer : integers) items.push_back(Value::Integer(integer));
  return Value::Array(std::move(items));
}

Value PairArray(const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  std::vector<Value> items;
  for (const auto& pair : pairs)
    items.push_back(Value::Tuple({Value::Integer(pair.first), Value::Integer(pair.second)}));
  return Value::Array(std::move(items));
}

}  // namespace nnef1
}  // namespace xla
