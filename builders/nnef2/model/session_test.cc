#include "builders/nnef2/model/session.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "builders/nnef2/data/model_format.h"
#include "builders/nnef2/data/tensor_file.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/model/model.h"
#include "builders/nnef_common/containers/test_archives.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/types/dynamic_sizes.h"

namespace xla {
namespace nnef2 {
namespace {

using ::testing::ElementsAre;

constexpr char kCount[] =
    "import math;\n"
    "graph Count { @input { x: int[1]; } @output { old: int[1]; } @variable { n: int[1]; }\n"
    "@compose { old = math.iden(n); } @update { n = math.add(n, x); } }\n";

constexpr char kRows[] =
    "import math;\n"
    "graph Rows { @input { x: real[n|4, 2]; z: real[n]; } @output { y: real[n]; }\n"
    "@compose { s = math.sum_reduce{axes=[1], squeeze=true}(x); y = math.add(s, z); } }\n";

absl::StatusOr<std::unique_ptr<Session>> SessionOf(const nnef::TestMembers& members,
                                                   const LoweringOptions& options = {}) {
  static auto* const client = new std::shared_ptr<Client>(*GetClient("interpreter"));
  const std::string archive = nnef::MakeArchive(members);
  const auto container = nnef::OpenContainerInMemory(archive, "m", Nnef2Format());
  absl::StatusOr<Model> model = LoadModel(**container, LoadOptions());
  if (!model.ok()) return model.status();
  absl::StatusOr<LoweredModel> lowered = LowerToHlo(*model, options);
  if (!lowered.ok()) return lowered.status();
  return Session::Create(client->get(), *std::move(lowered), CompileOptions());
}

Literal Ints(int32_t value) { return Literal::FromValues<int32_t>({1}, {value}); }

TEST(Session, KeepsVariablesFromCycleToCycle) {
  const auto session = SessionOf({{"main.sknd", kCount}, {"main.Count.n.dat", *SerializeTensor(Ints(100))}});
  ASSERT_TRUE(session.ok()) << session.status();
  for (const int32_t expected : {100, 105, 110}) {
    const auto outputs = (*session)->Run({Ints(5)});
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_THAT((*outputs)[0].span<int32_t>(), ElementsAre(expected));
  }
  EXPECT_THAT((*session)->VariableValue("main.Count.n")->span<int32_t>(), ElementsAre(115));
}

TEST(Session, TakesExtentsThatVary) {
  const auto session = SessionOf({{"main.sknd", kRows}});
  ASSERT_TRUE(session.ok()) << session.status();
  const auto run = [&](int64_t rows, int64_t others) {
    return (*session)->Run(
        {*Literal::Zeros(xla::Shape::Array(F32, {rows, 2})), *Literal::Zeros(xla::Shape::Array(F32, {others}))});
  };
  for (const int64_t rows : {0, 1, 3, 4}) {
    const auto outputs = run(rows, rows);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ((*outputs)[0].dynamic_size(0), rows);
  }
  const absl::Status above = run(5, 5).status();
  EXPECT_EQ(ErrorClassOf(above), ErrorClass::kRuntimeBound) << above;
  EXPECT_EQ(above.message(), "runtime-bound: input 'x': expected f32[<=4,2], got f32[5,2]");
  const absl::Status uneven = run(3, 2).status();
  EXPECT_EQ(ErrorClassOf(uneven), ErrorClass::kRuntimeShape) << uneven;
  EXPECT_EQ(uneven.message(),
            "runtime-shape: input 'z': expected extent 3 in dimension 0, which is n of input 'x', got 2");
}

TEST(Session, TakesAndReturnsPacksWhoseLengthVaries) {
  constexpr char kPacks[] =
      "import math, layout;\n"
      "graph Packs { @input { xs: real[2]..(n|3); z: real[n]; } @output { sum: real[2]; ys: real[2]..(n); w: real[n]; "
      "}\n"
      "@compose { sum = with s: real[2] = 0.0 for x : xs do math.add(s, x); ys..(n) = for x : xs do math.neg(x);\n"
      "w = math.neg(z); } }\n";
  const auto session = SessionOf({{"main.sknd", kPacks}});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT((*session)->model().input_names, ElementsAre("xs", "z"));
  EXPECT_THAT((*session)->model().output_names, ElementsAre("sum", "ys", "w"));
  const auto run = [&](int64_t count, int64_t others) {
    std::vector<float> items;
    for (int64_t i = 0; i < 2 * count; ++i) items.push_back(static_cast<float>(i + 1));
    return (*session)->Run(
        {Literal::FromValues<float>({count, 2}, items), *Literal::Zeros(xla::Shape::Array(F32, {others}))});
  };
  const auto two = run(2, 2);
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_THAT((*two)[0].span<float>(), ElementsAre(4, 6));
  EXPECT_EQ((*two)[1].dynamic_size(0), 2);
  EXPECT_THAT(CutToDynamicSizes((*two)[1])->span<float>(), ElementsAre(-1, -2, -3, -4));
  EXPECT_EQ((*two)[2].dynamic_size(0), 2);
  const auto none = run(0, 0);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_THAT((*none)[0].span<float>(), ElementsAre(0, 0));
  EXPECT_EQ((*none)[1].dynamic_size(0), 0);
  EXPECT_EQ(run(4, 3).status().message(), "runtime-bound: input 'xs': expected f32[<=3,2], got f32[4,2]");
  EXPECT_EQ(run(3, 2).status().message(),
            "runtime-shape: input 'z': expected extent 3 in dimension 0, which is n of input 'xs', got 2");
}

TEST(Session, ConvolvesChannelsThatVary) {
  constexpr char kConvolution[] =
      "import nn;\n"
      "graph G { @input { x: real[1, c|3, 3]; f: real[d|2, c, 2]; } @output { y: real; }\n"
      "@compose { y = nn.conv{padding=[0, 0]}(x, f); } }\n";
  const auto session = SessionOf({{"main.sknd", kConvolution}});
  ASSERT_TRUE(session.ok()) << session.status();
  const auto outputs = (*session)->Run({Literal::FromValues<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6}),
                                        Literal::FromValues<float>({1, 2, 2}, {1, 10, 100, 1000})});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  const absl::StatusOr<Literal> y = CutToDynamicSizes((*outputs)[0]);
  EXPECT_THAT(y->shape().dimensions(), ElementsAre(1, 1, 2));
  EXPECT_THAT(y->span<float>(), ElementsAre(5421, 6532));
}

TEST(Session, ConvolvesGroupsThatVary) {
  constexpr char kConvolution[] =
      "import nn;\n"
      "graph G { @input { x: real[1, g|3, 3]; f: real[g, 1, 2]; } @output { y: real; }\n"
      "@compose { y = nn.conv{groups=0, padding=[0, 0]}(x, f); } }\n";
  const auto session = SessionOf({{"main.sknd", kConvolution}});
  ASSERT_TRUE(session.ok()) << session.status();
  const auto outputs = (*session)->Run({Literal::FromValues<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6}),
                                        Literal::FromValues<float>({2, 1, 2}, {1, 10, 100, 1000})});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  const absl::StatusOr<Literal> y = CutToDynamicSizes((*outputs)[0]);
  EXPECT_THAT(y->shape().dimensions(), ElementsAre(1, 2, 2));
  EXPECT_THAT(y->span<float>(), ElementsAre(21, 32, 5400, 6500));
}

TEST(Session, ChecksAssertionsWhileItRuns) {
  constexpr char kAssert[] =
      "operator even { @input { x: real[n]; } @output { y: real[n]; } @assert { n % 2 == 0: 'n must be even'; }\n"
      "@lower { y[i,] = x[i,], i < n; } }\n"
      "graph G { @input { x: real[n|4]; } @output { y: real[n]; } @compose { y = even(x); } }\n";
  const auto session = SessionOf({{"main.sknd", kAssert}});
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_TRUE((*session)->Run({*Literal::Zeros(xla::Shape::Array(F32, {2}))}).ok());
  const absl::Status odd = (*session)->Run({*Literal::Zeros(xla::Shape::Array(F32, {3}))}).status();
  EXPECT_EQ(ErrorClassOf(odd), ErrorClass::kAssert) << odd;
  EXPECT_THAT(std::string(odd.message()), testing::HasSubstr("n must be even"));
}

TEST(Session, MakesVariablesParameters) {
  LoweringOptions options;
  options.variables_are_parameters = true;
  constexpr char kScale[] =
      "import math;\n"
      "graph Scale { @input { x: int[1]; } @output { y: int[1]; } @variable { w: int[1]; }\n"
      "@compose { y = math.mul(x, w); } }\n";
  const auto session = SessionOf({{"main.sknd", kScale}, {"main.Scale.w.dat", *SerializeTensor(Ints(7))}}, options);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_EQ((*session)->model().variables.size(), 1u);
  const auto outputs = (*session)->Run({Ints(5)});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_THAT((*outputs)[0].span<int32_t>(), ElementsAre(35));
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
