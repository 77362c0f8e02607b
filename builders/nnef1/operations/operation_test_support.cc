#include "builders/nnef1/operations/operation_test_support.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/nnef1/declaration.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/operations/arrays.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

absl::optional<Graph> GraphOf(absl::string_view parameters, absl::string_view body, bool expand_compounds,
                              std::string* error) {
  auto source = std::make_shared<Source>();
  source->name = "test.nnef";
  source->text = absl::StrCat("version 1.0;\nextension KHR_enable_operator_expressions;\ngraph g( ", parameters,
                              " ) -> ( z )\n{\n", body, "\n}\n");
  Diagnostics diagnostics;
  ExpandOptions options;
  options.expand_compounds = expand_compounds;
  absl::optional<Graph> graph;
  const std::shared_ptr<const Document> document = ParseDocument(source, &diagnostics);
  if (document != nullptr && !diagnostics.has_errors()) CheckDocument(*document, &diagnostics);
  if (document != nullptr && !diagnostics.has_errors()) graph = ExpandDocument(*document, options, &diagnostics);
  if (!diagnostics.has_errors()) return graph;
  const Diagnostic& first = diagnostics.errors()[0];
  *error = absl::StrCat(first.error_class.code(), ": ", first.message);
  return absl::nullopt;
}

XlaOp LiteralOf(ComputationBuilder& b, PrimitiveType type, const Value& value) {
  if (value.is_logical()) return b.ConstantR0<bool>(value.logical());
  return value.is_integer() ? Scalar(&b, type, value.integer()) : Scalar(&b, type, value.scalar());
}

Literal InputOf(const Shape& shape, const std::vector<double>& values) {
  const absl::Span<const int64_t> extents(shape.dimensions().data(), shape.dimensions().size());
  if (shape.element_type() == S64) {
    return Literal::FromValues<int64_t>(extents, std::vector<int64_t>(values.begin(), values.end()));
  }
  if (shape.element_type() == PRED) {
    Literal literal = *Literal::Zeros(shape);
    for (size_t i = 0; i < values.size(); ++i) literal.mutable_data<bool>()[i] = values[i] != 0;
    return literal;
  }
  return Literal::FromValues<double>(extents, values);
}

template <typename T>
std::vector<double> NumbersOf(const Literal& literal) {
  return std::vector<double>(literal.data<T>(), literal.data<T>() + literal.element_count());
}

std::vector<double> NumbersOf(const Literal& literal) {
  switch (literal.shape().element_type()) {
    case F64:
      return NumbersOf<double>(literal);
    case S64:
      return NumbersOf<int64_t>(literal);
    case PRED:
      return NumbersOf<bool>(literal);
    default:
      ADD_FAILURE() << "the test cannot read " << literal.shape().ToString();
      return {};
  }
}

// The values of the node's results; `shapes` gets those of the parameters.
void LowerNode(const Graph& graph, const Node& node, const NumberTypes& types, ComputationBuilder& b,
               std::vector<XlaOp>& values, std::vector<RuntimeCheck>& checks, std::vector<Shape>& shapes) {
  const LoweringCall call(graph, node, &b, types, values, &checks);
  if (node.definition->lower == nullptr) {
    const Tensor& tensor = graph.tensors[node.results[0].tensor().id];
    const int id = node.results[0].tensor().id;
    const auto number = std::find(graph.inputs.begin(), graph.inputs.end(), id) - graph.inputs.begin();
    // Scalars come and go in f64, whatever they are in between.
    const PrimitiveType fed = tensor.primitive == Primitive::kScalar ? F64 : types.Of(tensor.primitive);
    shapes[number] = Shape::Array(fed, *tensor.extents);
    values[id] = ConvertTo(b.Parameter(number, shapes[number]), types.Of(tensor.primitive));
    return;
  }
  const std::vector<XlaOp> results = node.definition->lower(call);
  size_t next = 0;
  for (const Value& result : node.results) {
    const std::vector<Value> items = result.is_tensor() ? std::vector<Value>{result} : result.items();
    for (const Value& item : items) {
      const XlaOp value = results[next++];
      const Shape shape = b.ShapeOrInvalid(value);
      const Tensor& tensor = graph.tensors[item.tensor().id];
      if (b.ok()) {
        EXPECT_EQ(shape, Shape::Array(types.Of(tensor.primitive), *tensor.extents));
      }
      values[item.tensor().id] = value;
    }
  }
  EXPECT_EQ(next, results.size());
}

absl::StatusOr<std::vector<Literal>> RunGraph(const Graph& graph, const std::vector<std::vector<double>>& inputs,
                                              PrimitiveType scalar, std::vector<RuntimeCheck>& checks) {
  NumberTypes types;
  types.scalar = scalar;
  ComputationBuilder b("test");
  std::vector<XlaOp> values(graph.tensors.size());
  std::vector<Shape> shapes(graph.inputs.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Tensor& tensor = graph.tensors[i];
    if (tensor.producer < 0) values[i] = LiteralOf(b, types.Of(tensor.primitive), tensor.literal);
  }
  for (const Node& node : graph.nodes) LowerNode(graph, node, types, b, values, checks, shapes);
  const XlaOp z = values[graph.outputs[0]];
  std::vector<XlaOp> results = {TypeOf(z) == types.scalar ? ConvertTo(z, F64) : z};
  for (const RuntimeCheck& check : checks) results.push_back(check.holds);
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, b.BuildModule(b.Tuple(results)));
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(*module));
  std::vector<Literal> arguments;
  for (size_t i = 0; i < shapes.size(); ++i) arguments.push_back(InputOf(shapes[i], inputs[i]));
  ASSIGN_OR_RETURN(Literal result, evaluator->RunOne(std::move(arguments)));
  return result.TakeElements();
}

}  // namespace

BodyResult RunBody(absl::string_view parameters, absl::string_view body, const std::vector<std::vector<double>>& inputs,
                   bool expand_compounds, PrimitiveType scalar) {
  BodyResult outcome;
  const absl::optional<Graph> graph = GraphOf(parameters, body, expand_compounds, &outcome.error);
  if (!graph.has_value()) return outcome;
  std::vector<RuntimeCheck> checks;
  const absl::StatusOr<std::vector<Literal>> results = RunGraph(*graph, inputs, scalar, checks);
  if (!results.ok()) {
    outcome.error = std::string(results.status().message());
    return outcome;
  }
  for (size_t i = 0; i < checks.size(); ++i) {
    if (!(*results)[i + 1].data<bool>()[0]) outcome.error = checks[i].message;
  }
  const Shape& shape = (*results)[0].shape();
  outcome.extents.assign(shape.dimensions().begin(), shape.dimensions().end());
  outcome.z = NumbersOf((*results)[0]);
  return outcome;
}

std::vector<double> ZOf(absl::string_view parameters, absl::string_view body,
                        const std::vector<std::vector<double>>& inputs) {
  const BodyResult result = RunBody(parameters, body, inputs);
  EXPECT_EQ(result.error, "") << body;
  return result.z;
}

std::string ErrorOf(absl::string_view parameters, absl::string_view body) {
  std::string error;
  GraphOf(parameters, body, /*expand_compounds=*/false, &error);
  return error;
}

}  // namespace nnef1
}  // namespace xla
