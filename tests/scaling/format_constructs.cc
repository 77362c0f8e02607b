// NNEF 1 documents and WebNN graphs in JSON.
#include "absl/strings/str_cat.h"
#include "tests/scaling/constructs.h"

namespace xla {
namespace {

// A graph of these lines, which compute y from x.
std::string Nnef(absl::string_view declarations, absl::string_view lines) {
  return absl::StrCat("version 1.0;\n", declarations, "graph G(x) -> (y)\n{\n    x = external(shape = [4]);\n", lines,
                      "}\n");
}

std::string NnefOperations(int64_t n) {
  std::string lines = "    t0 = sin(x);\n";
  for (int64_t i = 1; i < n; ++i) absl::StrAppend(&lines, "    t", i, " = add(t", i - 1, ", x);\n");
  return Nnef("", absl::StrCat(lines, "    y = neg(t", n - 1, ");\n"));
}

std::string NnefConcat(int64_t n) {
  return Nnef("", absl::StrCat("    y = concat([", Repeated(n, "x"), "], axis = 0);\n"));
}

constexpr char kFragments[] =
    "extension KHR_enable_fragment_definitions;\nextension KHR_enable_operator_expressions;\n\n";

std::string NnefFragments(int64_t n) {
  std::string fragments = kFragments, lines = "    t0 = copy(x);\n";
  for (int64_t i = 0; i < n; ++i) {
    absl::StrAppend(&fragments, "fragment f", i, "(x: tensor<scalar>) -> (y: tensor<scalar>)\n{\n    y = x + ", i,
                    ".0;\n}\n");
    absl::StrAppend(&lines, "    t", i + 1, " = f", i, "(t", i, ");\n");
  }
  return Nnef(fragments, absl::StrCat(lines, "    y = copy(t", n, ");\n"));
}

std::string NnefExpression(int64_t n) {
  std::string sum = "x";
  for (int64_t i = 0; i < n; ++i) absl::StrAppend(&sum, " + x");
  return Nnef("extension KHR_enable_operator_expressions;\n\n", absl::StrCat("    y = ", sum, ";\n"));
}

std::string NnefComprehension(int64_t n) {
  std::string fragments = kFragments;
  absl::StrAppend(&fragments, "fragment f(x: tensor<scalar>) -> (y: tensor<scalar>)\n{\n    y = concat([for i in [",
                  Listed(n, [](int64_t i) { return absl::StrCat(i); }), "] yield x], axis = 0);\n}\n");
  return Nnef(fragments, "    y = f(x);\n");
}

std::string Webnn(absl::string_view inputs, absl::string_view operators, absl::string_view output) {
  return absl::StrCat("{\"inputs\": {\"x\": {\"dtype\": \"float32\", \"shape\": [4]}", inputs, "}, \"operators\": [",
                      operators, "], \"outputs\": [\"", output, "\"]}");
}

std::string WebnnOperators(int64_t n) {
  return Webnn("",
               Listed(n,
                      [](int64_t i) {
                        return absl::StrCat(R"({"op": "add", "args": {"a": {"operand": ")",
                                            i == 0 ? "x" : absl::StrCat("t", i - 1),
                                            R"("}, "b": {"operand": "x"}}, "outputs": ["t)", i, "\"]}");
                      }),
               absl::StrCat("t", n - 1));
}

std::string WebnnConcat(int64_t n) {
  return Webnn("",
               absl::StrCat(R"({"op": "concat", "args": {"inputs": {"operands": [)", Repeated(n, "\"x\""),
                            R"(]}, "axis": {"value": 0}}, "outputs": ["y"]})"),
               "y");
}

std::string WebnnSplit(int64_t n) {
  return Webnn(
      absl::StrCat(R"(, "w": {"dtype": "float32", "shape": [)", n, "]}"),
      absl::StrCat(R"({"op": "split", "args": {"input": {"operand": "w"}, "splits": {"value": )", n,
                   "}}, \"outputs\": [", Listed(n, [](int64_t i) { return absl::StrCat("\"s", i, "\""); }), "]}"),
      "s0");
}

std::string WebnnConstant(int64_t n) {
  return Webnn(absl::StrCat(R"(, "c": {"dtype": "float32", "constant": true, "shape": [)", n, "], \"data\": [",
                            Listed(n, [](int64_t i) { return absl::StrCat(i, ".5"); }), "]}"),
               R"({"op": "neg", "args": {"input": {"operand": "c"}}, "outputs": ["y"]})", "y");
}

std::string WebnnConstants(int64_t n) {
  std::string inputs;
  for (int64_t i = 0; i < n; ++i) {
    absl::StrAppend(&inputs, ", \"c", i,
                    "\": {\"dtype\": \"float32\", \"constant\": true, \"shape\": [4], \"fill\": ", i, "}");
  }
  return Webnn(inputs,
               Listed(n,
                      [](int64_t i) {
                        return absl::StrCat(R"({"op": "add", "args": {"a": {"operand": ")",
                                            i == 0 ? "x" : absl::StrCat("t", i - 1), R"("}, "b": {"operand": "c)", i,
                                            R"("}}, "outputs": ["t)", i, "\"]}");
                      }),
               absl::StrCat("t", n - 1));
}

}  // namespace

absl::Span<const FormatConstruct> FormatConstructs() {
  static constexpr char kNnef[] = "graph.nnef", kWebnn[] = "graph.json";
  static constexpr FormatConstruct kConstructs[] = {
      {"nnef-operations", "NNEF: n operations", 500, kNnef, NnefOperations},
      {"nnef-concat", "NNEF: a concat of n tensors", 2000, kNnef, NnefConcat},
      {"nnef-fragments", "NNEF: n fragments", 200, kNnef, NnefFragments},
      {"nnef-expression", "NNEF: an expression of n sums", 100, kNnef, NnefExpression},
      {"nnef-comprehension", "NNEF: a comprehension over n items", 1000, kNnef, NnefComprehension},
      {"webnn-operators", "WebNN: n operators", 500, kWebnn, WebnnOperators},
      {"webnn-concat", "WebNN: a concat of n operands", 2000, kWebnn, WebnnConcat},
      {"webnn-split", "WebNN: a split into n", 500, kWebnn, WebnnSplit},
      {"webnn-constant", "WebNN: a constant of n elements", 10000, kWebnn, WebnnConstant},
      {"webnn-constants", "WebNN: n constants", 300, kWebnn, WebnnConstants},
  };
  return kConstructs;
}

}  // namespace xla
