#include "builders/webnn/graph_builder.h"

#include "builders/webnn/test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace webnn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(GraphBuilderTest, InputsAndConstantsAreChecked) {
  MLGraphBuilder builder(NewContext());
  EXPECT_EQ(ErrorOf(builder.input("", Float32({2}))), "TypeError: empty name");
  EXPECT_EQ(ErrorOf(builder.input("x", Float32({2, 0}))), "TypeError: invalid dimension");
  EXPECT_EQ(ErrorOf(builder.input("x", Float32(UnsignedList(9, 1)))), "TypeError: rank too large");
  EXPECT_EQ(ErrorOf(builder.input("x", Float32({4000000000u, 4000000000u}))), "TypeError: byte length too large");
  EXPECT_EQ(ErrorOf(builder.constant(Float32({2}), ArrayBufferView::Of<float>({1}))), "TypeError: buffer byte length");
  EXPECT_EQ(ErrorOf(builder.constant(Float32({1}), ArrayBufferView::Of<int32_t>({1}))),
            "TypeError: buffer element type");
  EXPECT_TRUE(builder.constant({MLOperandDataType::kFloat16, {1}}, ArrayBufferView::Of<uint16_t>({0x3c00})).ok());
}

TEST(GraphBuilderTest, ConstantsAreCopiedAtTheCall) {
  MLGraphBuilder builder(NewContext());
  float value = 1;
  const MLOperand constant = OrDie(builder.constant(Float32({1}), ArrayBufferView::Over(&value, 1)));
  value = 2;
  EXPECT_THAT(RunGraph(builder, OrDie(builder.identity(constant))), ElementsAre(1));
}

TEST(GraphBuilderTest, OperandsOfAnotherBuilderAreRefused) {
  const auto context = NewContext();
  MLGraphBuilder builder(context);
  MLGraphBuilder other(context);
  const MLOperand x = OrDie(builder.input("x", Float32({2})));
  const MLOperand y = OrDie(other.input("y", Float32({2})));
  EXPECT_EQ(ErrorOf(builder.add(x, y)), "TypeError: operand of another builder");
  EXPECT_EQ(ErrorOf(builder.add(x, MLOperand())), "TypeError: operand of another builder");
  EXPECT_EQ(ErrorOf(other.build({{"r", OrDie(builder.abs(x))}})), "TypeError: operand of another builder");
}

TEST(GraphBuilderTest, BuildChecksItsOutputs) {
  MLGraphBuilder builder(NewContext());
  const MLOperand x = OrDie(builder.input("x", Float32({2})));
  const MLOperand second_x = OrDie(builder.input("x", Float32({2})));
  const MLOperand y = OrDie(builder.relu(x));
  EXPECT_EQ(ErrorOf(builder.build({})), "TypeError: no outputs");
  EXPECT_EQ(ErrorOf(builder.build({{"", y}})), "TypeError: empty name");
  EXPECT_EQ(ErrorOf(builder.build({{"x", x}})), "TypeError: output is an input or constant");
  EXPECT_EQ(ErrorOf(builder.build({{"y", OrDie(builder.add(x, second_x))}})), "TypeError: duplicate input name");
  EXPECT_EQ(ErrorOf(builder.build({{"x", y}, {"again", y}})), "OK");
  EXPECT_THAT(RunGraph(builder, y, {-1, 1}), ElementsAre(0, 1)) << "a builder of the draft builds again";
}

TEST(GraphBuilderTest, OnlyWhatReachesTheOutputsIsBuilt) {
  MLGraphBuilder builder(NewContext());
  const MLOperand x = OrDie(builder.input("x", Float32({2})));
  const MLOperand unused = OrDie(builder.input("unused", Float32({2})));
  ASSERT_TRUE(builder.add(x, unused).ok());
  const auto graph = OrDie(builder.build({{"y", OrDie(builder.neg(x))}}));
  EXPECT_EQ(graph->inputDescriptors().size(), 1);
  EXPECT_EQ(graph->definition().operators.size(), 1u);
}

TEST(GraphBuilderTest, LaterBuildersBuildOnce) {
  MLGraphBuilder builder(NewContext(MLEdition::kLater));
  const MLOperand x = OrDie(builder.input("x", Float32({2})));
  const MLOperand y = OrDie(builder.relu(x));
  ASSERT_TRUE(builder.build({{"y", y}}).ok());
  EXPECT_EQ(ErrorOf(builder.build({{"y", y}})), "InvalidStateError: builder has built");
  EXPECT_EQ(ErrorOf(builder.relu(x)), "InvalidStateError: builder has built");
}

TEST(GraphBuilderTest, MessagesNameOperatorAndLabel) {
  MLGraphBuilder builder(NewContext());
  const MLOperand x = OrDie(builder.input("x", {MLOperandDataType::kInt32, {2}}));
  EXPECT_EQ(builder.exp(x).status().message(),
            "exp(int32[2]): input must be of type float32 or float16, got int32[2]; cast it");
  MLOperatorOptions options;
  options.label = "decay";
  EXPECT_THAT(std::string(builder.exp(x, options).status().message()), HasSubstr("exp 'decay': input must be"));
}

TEST(GraphBuilderTest, CallsByNameTakeBothSpellings) {
  MLGraphBuilder builder(NewContext());
  const MLOperand x = OrDie(builder.input("x", Float32({2, 3})));
  const auto shape_of = [&](const Named<MLValue>& args, const Named<MLValue>& options, absl::string_view op) {
    return OrDie(builder.call(op, args, options))[0].shape();
  };
  EXPECT_THAT(shape_of({{"input", x}}, {{"axes", MLValueList{1}}, {"keepDimensions", 1}, {"unknown", 3}}, "reduceSum"),
              ElementsAre(2, 1));
  EXPECT_THAT(shape_of({{"inputs", MLValueList{x, x}}, {"axis", 0}}, {}, "concat"), ElementsAre(4, 3));
  EXPECT_EQ(OrDie(builder.call("cast", {{"input", x}, {"dataType", "int8"}}, {}))[0].dataType(),
            MLOperandDataType::kInt8);
  EXPECT_EQ(ErrorOf(builder.call("cast", {{"input", x}, {"type", "float64"}}, {})), "TypeError: enum type");
  EXPECT_EQ(ErrorOf(builder.call("concat", {{"inputs", MLValueList{x}}, {"axis", -1}}, {})),
            "TypeError: EnforceRange axis");
  EXPECT_EQ(ErrorOf(builder.call("concat", {{"inputs", MLValueList{x}}}, {})), "TypeError: missing argument");
  EXPECT_EQ(ErrorOf(builder.call("sine", {{"input", x}}, {})), "TypeError: unknown operator");
  EXPECT_EQ(ErrorOf(builder.activation("abs", {})), "TypeError: missing argument");
  EXPECT_EQ(OrDie(builder.activation("elu", {{"alpha", 2}})).name(), "elu");
}

TEST(GraphBuilderTest, BuildsInTheBackground) {
  const auto context = NewContext();
  Future<std::shared_ptr<MLGraph>> graph = [&] {
    MLGraphBuilder builder(context);
    const MLOperand x = OrDie(builder.input("x", Float32({2})));
    return builder.buildAsync({{"y", OrDie(builder.relu(x))}});
  }();
  EXPECT_EQ(OrDie(graph.Await())->outputDescriptors().name(0), "y");
}

// A compiler that runs on while what is static goes would crash now and then.
TEST(GraphBuilderDeathTest, TheEndOfTheProcessWaitsForBuilds) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto leave_while_building = [] {
    MLGraphBuilder builder(NewContext());
    MLOperand x = OrDie(builder.input("x", Float32({2})));
    for (int i = 0; i < 5000; ++i) x = OrDie(builder.relu(x));
    const auto graph = builder.buildAsync({{"y", x}});
    graph.event().OnReady([](const absl::Status& status) { std::fprintf(stderr, "%s\n", status.ToString().c_str()); });
    std::exit(0);
  };
  EXPECT_EXIT(leave_while_building(), testing::ExitedWithCode(0), "OK");
}

}  // namespace
}  // namespace webnn
}  // namespace xla
