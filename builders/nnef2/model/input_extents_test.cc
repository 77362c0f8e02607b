#include "builders/nnef2/model/input_extents.h"

#include <string>

#include "builders/nnef2/data/model_format.h"
#include "builders/nnef2/model/model.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

// A graph with the given inputs that has no more than its shapes.
ComposedGraph GraphOf(const std::string& inputs) {
  const std::string text = "graph G { @input { " + inputs + " } @output { y: real; } @compose { y = x; } }";
  const auto container = nnef::OpenContainerInMemory(text, "main.sknd", Nnef2Format());
  const absl::StatusOr<Model> model = LoadModel(**container, {});
  EXPECT_TRUE(model.ok()) << model.status();
  return model->graph;
}

std::string Checked(const std::string& inputs, const std::vector<std::vector<int64_t>>& extents) {
  return std::string(InputExtents(GraphOf(inputs)).Check(extents).message());
}

TEST(InputExtents, OfOneNameAgree) {
  const std::string inputs = "x: real[n|9, 3]; z: real[m|9, n]..(2);";
  EXPECT_EQ(Checked(inputs, {{4, 3}, {2, 4}, {2, 4}}), "");
  EXPECT_EQ(Checked(inputs, {{4, 3}, {2, 5}, {2, 4}}),
            "runtime-shape: input 'z:1': expected extent 4 in dimension 1, which is n of input 'x', got 5");
  EXPECT_EQ(Checked(inputs, {{4, 3}, {2, 4}, {3, 4}}),
            "runtime-shape: input 'z:2': expected extent 2 in dimension 0, which is m of input 'z:1', got 3");
}

TEST(InputExtents, AreWhatFollowsFromOthers) {
  const std::string inputs = "x: real[n|9]; z: real[n * n, n / 2];";
  EXPECT_EQ(Checked(inputs, {{4}, {16, 2}}), "");
  EXPECT_EQ(Checked(inputs, {{4}, {16, 3}}),
            "runtime-shape: input 'z': expected extent 2 in dimension 1, which follows from other extents, got 3");
}

TEST(InputExtents, AreSolvedForTheirNames) {
  const std::string inputs = "x: real[2 * n + 1|10]; z: real[n, 2 * n + 1];";
  EXPECT_EQ(Checked(inputs, {{7}, {3, 7}}), "");
  EXPECT_EQ(Checked(inputs, {{7}, {7, 7}}),
            "runtime-shape: input 'z': expected extent 3 in dimension 0, which follows from other extents, got 7");
}

TEST(InputExtents, ThatAreFixedNeedNoCheck) {
  EXPECT_FALSE(InputExtents(GraphOf("x: real[2];")).has_symbols());
  EXPECT_TRUE(InputExtents(GraphOf("x: real[~|2];")).has_symbols());
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
