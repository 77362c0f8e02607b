#include <string>

#include "builders/nnef2/recognition/test_support.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr char kRows[] = "x: real[4,3]; k: int[4];";
constexpr char kStart[] = "y[i,j] = 1.0, i < 5, j < 3; ";

TEST(RecogniseScatterTest, ReplacesRows) {
  EXPECT_EQ(OpcodesOf(kRows, "y: real[5,3];", std::string(kStart) + "y[k[i,],j] := x[i,j], i < 4, j < 3;"),
            "broadcast reshape scatter");
  EXPECT_EQ(num_recognised, 2);
  OpcodesOf(kRows, "y: real[5,3];", "y[k[i,],j] = x[i,j], i < 4, j < 3;");
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseScatterTest, Accumulates) {
  for (const std::string op : {"+=", "*=", "<=", ">="}) {
    EXPECT_EQ(OpcodesOf(kRows, "y: real[5,3];", "y[k[i,],j] " + op + " x[i,j], i < 4, j < 3;"),
              "broadcast reshape scatter");
    EXPECT_EQ(num_recognised, 1);
  }
  for (const std::string op : {"&=", "|="}) {
    OpcodesOf("x: bool[4]; k: int[4];", "y: bool[5];", "y[k[i,],] " + op + " x[i,], i < 4;");
    EXPECT_EQ(num_recognised, 1);
  }
}

TEST(RecogniseScatterTest, SumsBeforeWhatHasNoPlaceOfItsOwn) {
  EXPECT_TRUE(Has(OpcodesOf(kRows, "y: real[5];", "y[k[i,],] += x[i,j], i < 4, j < 3;"), "reduce"));
  // Of assignments the last one counts.
  EXPECT_FALSE(Has(OpcodesOf(kRows, "y: real[5];", "y[k[i,],] = x[i,j], i < 4, j < 3;"), "reduce"));
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseScatterTest, DropsWhatIsLeftOut) {
  EXPECT_TRUE(Has(OpcodesOf(kRows, "y: real[5,3];", "y[|k[i,]|,j] += x[i,j], i < 4, j < 3;"), "select"));
  // A dimension that the condition depends on is not part of windows.
  EXPECT_TRUE(
      Has(OpcodesOf(kRows, "y: real[5,3];", "y[k[i,],j] += x[i,j], i < 4, j < 3 | x[i,j] > 0.0;"), "concatenate"));
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseScatterTest, LeavesOtherStatementsAlone) {
  // An iteration reads what others have assigned.
  OpcodesOf(kRows, "y: real[5,3];", std::string(kStart) + "y[k[i,],j] := x[i,j], i < 4, j < 3 | x[i,j] > y[0,0];");
  EXPECT_EQ(num_recognised, 0);
  // No index is anything but a loop.
  EXPECT_FALSE(Has(OpcodesOf(kRows, "y: real[4];", "y[i,] = x[i,j], i < 4, j < 3;"), "scatter"));
  // Tensors of a pack are chosen by data.
  OpcodesOf("x: real[4]; k: int[4];", "ys: real[3]..(2);", "ys[k[i,]][0,] += x[i,], i < 4;", "", "y: real[3]..(2);");
  EXPECT_EQ(num_recognised, 0);
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
