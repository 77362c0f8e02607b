#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders/nnef1/language/test_support.h"
#include "builders/nnef1/operation.h"

namespace xla {
namespace nnef1 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Lines = std::vector<std::pair<std::string, Quantization>>;

Lines ReadLines(absl::string_view quant, Diagnostics* diagnostics) {
  const Reading reading =
      Read(Compositional("fragment halves( x: tensor<scalar>, step: scalar, n: integer = 3 ) -> ( y: tensor<scalar> )\n"
                         "{\n    y = round(x / step) * step;\n}\n"
                         "fragment both( x: tensor<scalar> ) -> ( y: tensor<scalar>, z: tensor<scalar> );\n",
                         "    c = gt(x, 0.0);\n    y = relu(x);"));
  EXPECT_EQ(Summary(reading.diagnostics), "");
  return ParseQuantization(SourceOf(quant), *reading.document, *reading.graph, diagnostics);
}

std::string QuantizationErrors(absl::string_view quant) {
  Diagnostics diagnostics;
  ReadLines(quant, &diagnostics);
  return Summary(diagnostics);
}

TEST(Quantization, IsReadInTheOrderOfTheFile) {
  Diagnostics diagnostics;
  const Lines lines =
      ReadLines("# hints\n'y': linear_quantize(bits = 8, max = 1.0, min = -1.0);\n\"x\": halves(step = 2.0 ^ -1.0);",
                &diagnostics);
  EXPECT_EQ(Summary(diagnostics), "");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].first, "y");
  EXPECT_EQ(DeclarationOf(*lines[0].second.definition).name, "linear_quantize");
  EXPECT_THAT(lines[0].second.names, ElementsAre("min", "max", "bits"));
  EXPECT_THAT(lines[0].second.values, ElementsAre(Value::Scalar(-1.0), Value::Scalar(1.0), Value::Integer(8)));
  EXPECT_EQ(lines[1].second.definition, nullptr);
  EXPECT_EQ(lines[1].second.custom_name, "halves");
  EXPECT_THAT(lines[1].second.values, ElementsAre(Value::Scalar(0.5), Value::Integer(3)));
}

TEST(Quantization, IsReadFromANameZeroPoint) {
  EXPECT_EQ(
      QuantizationErrors("'x': zero_point_linear_quantize(zero_point = -3, scale = 0.25, bits = 8, signed = true, "
                         "symmetric = false);"),
      "");
}

TEST(Quantization, BoundsTheWorkOfAllLinesTogether) {
  const absl::string_view arguments = "(step = 1.0, n = length_of(range_of('a' * 4000000)));\n";
  EXPECT_EQ(QuantizationErrors(absl::StrCat("'x': halves", arguments, "'y': halves", arguments)),
            "E5 2:29 the document expands to more operations and values than can be handled");
}

TEST(Quantization, NamesScalarTensorsOfTheGraphOnce) {
  EXPECT_EQ(QuantizationErrors("'z': linear_quantize(min = 0.0, max = 1.0, bits = 8);"),
            "E5 1:1 the graph has no tensor 'z'");
  EXPECT_EQ(QuantizationErrors("'c': linear_quantize(min = 0.0, max = 1.0, bits = 8);"),
            "E5 1:1 only scalar tensors are quantised, 'c' is a tensor<logical>");
  EXPECT_EQ(QuantizationErrors("'x': halves(step = 1.0);\n'x': halves(step = 2.0);"), "E5 2:1 'x' has a line already");
}

TEST(Quantization, TakesNamedValuesForAllButTheTensor) {
  EXPECT_EQ(QuantizationErrors("'x': linear_quantize(min = 0.0, max = 1.0);"),
            "E5 1:6 linear_quantize: the parameter 'bits' of type integer needs an argument");
  EXPECT_EQ(QuantizationErrors("'x': linear_quantize(0.0, 1.0, bits = 8);"),
            "E5 1:22 linear_quantize: arguments must be named here");
  EXPECT_EQ(QuantizationErrors("'x': linear_quantize(x = 1.0, min = 0.0, max = 1.0, bits = 8);"),
            "E5 1:22 linear_quantize: the tensor 'x' must not be an argument here");
  EXPECT_EQ(QuantizationErrors("'x': linear_quantize(min = 0.0, max = y, bits = 8);"),
            "E5 1:39 'y' is not assigned anywhere");
  EXPECT_EQ(QuantizationErrors("'x': linear_quantize(min = 0.0, max = 1.0, bits = 8.0);"),
            "E5 1:51 argument 'bits' of linear_quantize: expected integer, got scalar");
  EXPECT_EQ(QuantizationErrors("'x': linear_quantize(min = [0.0], max = 1.0, bits = 8);"),
            "E5 1:28 argument 'min' of linear_quantize: expected tensor<scalar>, got scalar[]");
  EXPECT_EQ(QuantizationErrors("'x': linear_quantize(min = 0.0, max = 1.0, bits = 1 / 0);"),
            "E5 1:51 the integer 1 is divided by zero");
  EXPECT_EQ(QuantizationErrors("'x': linear_quantize(min = 0.0, max = 1.0, bits = 8, bits = 8);"),
            "E5 1:54 linear_quantize: the parameter 'bits' has an argument already");
}

TEST(Quantization, TakesOperationsFromOneTensorToOne) {
  EXPECT_EQ(QuantizationErrors("'x': fancy_quantize(bits = 8);"), "E5 1:6 there is no operation 'fancy_quantize'");
  EXPECT_EQ(QuantizationErrors("'x': both();"), "E5 1:6 'both' does not turn one scalar tensor into another");
  EXPECT_EQ(QuantizationErrors("'x': variable(shape = [1], label = 'x');"),
            "E5 1:6 'variable' does not turn one scalar tensor into another");
}

TEST(Quantization, IsALineEach) {
  EXPECT_EQ(QuantizationErrors("x: halves(step = 1.0);\n'x' halves(step = 1.0);\n'x': halves(step = 1.0)"),
            "E5 1:1 expected the identifier of a tensor in quotes, got 'x'\n"
            "E5 2:5 expected ':' after the identifier of a tensor, got 'halves'\n"
            "E5 3:24 expected ';' after the quantisation operation, got the end of the file");
  EXPECT_EQ(QuantizationErrors("'x': 8;"), "E5 1:6 expected a quantisation operation with its arguments, got '8'");
  EXPECT_THAT(QuantizationErrors("'x: halves(step = 1.0);"), StartsWith("E5 1:1 the string has no closing '"));
  EXPECT_EQ(QuantizationErrors("# nothing\n"), "");
}

TEST(Quantization, TakesLiteralsOnlyWithoutTheOperatorExtension) {
  const Reading reading = Read(FlatGraph("    y = relu(x);"));
  Diagnostics diagnostics;
  ParseQuantization(SourceOf("'x': linear_quantize(min = -1.0, max = 1.0 + 1.0, bits = 8);"), *reading.document,
                    *reading.graph, &diagnostics);
  EXPECT_EQ(Summary(diagnostics), "E5 1:44 expected a literal, got operators");
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
