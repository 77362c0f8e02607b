#include "builders/nnef2/recognition/recognise.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/recognition/test_support.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr char kVector[] = "x: real[6];";
constexpr char kMatrix[] = "x: real[3,4];";

TEST(RecogniseTest, ShapesElements) {
  EXPECT_EQ(OpcodesOf(kMatrix, "y: real[4,3];", "y[j,i] = x[i,j], i < 3, j < 4;"), "transpose");
  EXPECT_EQ(OpcodesOf(kVector, "y: real[2];", "y[i,] = x[2 * i + 1,], i < 2;"), "slice");
  EXPECT_EQ(OpcodesOf(kVector, "y: real[6];", "y[i,] = x[5 - i,], i < 6;"), "reverse");
  EXPECT_EQ(OpcodesOf(kVector, "y: real[2,6];", "y[i,j] = x[j,], i < 2, j < 6;"), "broadcast");
  EXPECT_EQ(OpcodesOf(kMatrix, "y: real[12];", "y[4 * i + j,] = x[i,j], i < 3, j < 4;"), "reshape");
  EXPECT_EQ(OpcodesOf(kVector, "y: real[3,2];", "y[i,j] = x[2 * i + j,], i < 3, j < 2;"), "reshape");
  EXPECT_EQ(num_recognised, 1);
}

// A batch of one, say.
TEST(RecogniseTest, KeepsDimensionsOfOneElement) {
  EXPECT_EQ(OpcodesOf("x: real[1,3,4]; v: real[3];", "y: real[1,3,4];",
                      "y[b,i,j] = (x[b,i,j] - v[i,]) << 0.0, b < 1, i < 3, j < 4;"),
            "broadcast subtract broadcast minimum");
  EXPECT_EQ(OpcodesOf("x: real[1,4];", "y: real[1,1,4];", "y[a,b,j] = x[a,j], a < 1, b < 1, j < 4;"), "broadcast");
  EXPECT_EQ(OpcodesOf("x: real[1,1,4];", "y: real[1,4];", "y[b,j] = x[b,b,j], b < 1, j < 4;"), "reshape");
  // Its index may be a number.
  EXPECT_EQ(OpcodesOf("x: real[1,4]; z: real[1,4];", "y: real[1,4];", "y[b,j] = x[0,j] + z[b,j], b < 1, j < 4;"),
            "add");
  // So may be the index of an index.
  EXPECT_TRUE(
      Has(OpcodesOf("x: real[3,2,1]; k: int[3,2];", "y: real[3,1];", "y[i,j] = x[k[i,0],k[i,1],j], i < 3, j < 1;"),
          "gather"));
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseTest, GathersFromADiagonal) {
  EXPECT_NE(OpcodesOf("x: real[3,3];", "y: real[3];", "y[i,] = x[i,i], i < 3;").find("gather"), std::string::npos);
}

TEST(RecogniseTest, GathersByData) {
  EXPECT_NE(OpcodesOf("x: real[3]; k: int[5];", "y: real[5];", "y[i,] = x[k[i,],], i < 5;").find("gather"),
            std::string::npos);
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseTest, JoinsMirroredElements) {
  EXPECT_EQ(OpcodesOf(kVector, "y: real[10];", "y[i,] = x[|i - 2 <> 2 - i : 12 - i|,], i < 10;"),
            "slice reverse slice reverse concatenate");
  EXPECT_EQ(OpcodesOf(kVector, "y: real[9];", "y[i,] = x[(i - 2 >> 0) << 5,], i < 9;"),
            "slice reshape broadcast slice concatenate");
  EXPECT_EQ(num_recognised, 1);
  // More pieces than a border has, a place that is data, and one that two dimensions have in common.
  EXPECT_TRUE(Has(OpcodesOf(kVector, "y: real[12];", "y[i,] = x[(i * i) % 6,], i < 12;"), "gather"));
  EXPECT_TRUE(
      Has(OpcodesOf("x: real[6]; k: int[1];", "y: real[9];", "y[i,] = x[|i - k[0,] <> 0 : 5|,], i < 9;"), "gather"));
  const std::string diagonal =
      OpcodesOf("x: real[6,6];", "y: real[7];", "y[i,] = x[|i - 1 <> 0 : 5|,|i - 1 <> 0 : 5|], i < 7;");
  EXPECT_TRUE(Has(diagonal, "gather")) << diagonal;
}

TEST(RecogniseTest, RepeatsElements) {
  EXPECT_EQ(OpcodesOf("x: real[3,9];", "y: real[3,18];", "y[i,j] = x[i,j / 2], i < 3, j < 18;"), "broadcast reshape");
  // The places are computed with reals.
  EXPECT_EQ(OpcodesOf("x: real[9];", "y: real[18];", "y[i,] = x[int(`floor`(real(i) * 0.5)),], i < 18;"),
            "broadcast reshape");
  EXPECT_EQ(num_recognised, 1);
  // The last element comes once only.
  EXPECT_TRUE(Has(OpcodesOf("x: real[9];", "y: real[17];", "y[i,] = x[i / 2,], i < 17;"), "gather"));
}

TEST(RecogniseTest, MakesConstants) {
  EXPECT_EQ(OpcodesOf(kVector, "y: real[3];", "y[i,] = [1.0, 2.0, 3.0][i], i < 3;"), "");
  EXPECT_EQ(OpcodesOf(kVector, "y: int[2,2];", "y[i,j] = [4, 3, 2, 1][2 * i + j], i < 2, j < 2;"), "reshape");
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseTest, JoinsParts) {
  EXPECT_EQ(OpcodesOf("x: real[3]..(2);", "y: real[6];", "y[3 * k + i,] = x[k][i,], k < 2, i < 3;"), "concatenate");
  EXPECT_EQ(num_recognised, 2);
  // Parts with gaps between them, and in another order.
  EXPECT_FALSE(
      Has(OpcodesOf("x: real[3]..(2);", "y: real[7];", "y[4 * k + i,] = x[k][i,], k < 2, i < 3;"), "concatenate"));
  EXPECT_FALSE(
      Has(OpcodesOf("x: real[3]..(2);", "y: real[6];", "y[3 - 3 * k + i,] = x[k][i,], k < 2, i < 3;"), "concatenate"));
}

TEST(RecogniseTest, Pads) {
  EXPECT_EQ(OpcodesOf(kVector, "y: real[9];", "y[i,] = 1.0, i < 9; y[i,] := x[|i - 2|,], i < 9;"), "pad");
  EXPECT_EQ(OpcodesOf(kVector, "y: real[9];", "y[i + 2,] = x[i,], i < 6;"), "pad");
  // What is left out keeps different values.
  EXPECT_TRUE(
      Has(OpcodesOf("x: real[6]; z: real[9];", "y: real[9];", "y[i,] = z[i,], i < 9; y[i,] := x[|i - 2|,], i < 9;"),
          "select"));
}

TEST(RecogniseTest, SelectsByACondition) {
  EXPECT_EQ(OpcodesOf(kVector, "y: real[6];", "y[i,] = 1.0, i < 6; y[i,] := x[i,], i < 6 | x[i,] > 0.0;"),
            "broadcast compare broadcast select");
  // A choice that an iteration makes by what earlier ones have assigned.
  OpcodesOf(kVector, "y: real[6];", "y[i,] = 1.0, i < 6; y[i,] := x[i,], i < 6 | x[i,] > y[5 - i,];");
  EXPECT_EQ(num_recognised, 0);
}

TEST(RecogniseTest, Multiplies) {
  EXPECT_EQ(
      OpcodesOf("x: real[3,4]; w: real[5,4];", "y: real[3,5];", "y[i,j] += x[i,k] * w[j,k], i < 3, j < 5, k < 4;"),
      "dot");
  EXPECT_EQ(OpcodesOf("x: real[2,3,4]; w: real[2,4,5];", "y: real[2,3,5];",
                      "y[b,i,j] += x[b,i,k] * w[b,k,j], b < 2, i < 3, j < 5, k < 4;"),
            "dot");
  // A sum over one factor alone is no contraction.
  EXPECT_EQ(OpcodesOf("x: real[3,4]; w: real[5];", "y: real[3,5];", "y[i,j] += x[i,k] * w[j,], i < 3, j < 5, k < 4;")
                .find("dot"),
            std::string::npos);
  EXPECT_EQ(OpcodesOf("x: real[3,4]; w: real[5,4];", "y: real[3,5];",
                      "y[i,j] += x[i,k] * w[j,k], i < 3, j < 5, k < 4 | x[i,k] > 0.0;")
                .find("dot"),
            std::string::npos);
}

constexpr char kImage[] = "x: real[2,4,9]; w: real[6,4,3];";

TEST(RecogniseTest, Convolves) {
  EXPECT_EQ(OpcodesOf(kImage, "y: real[2,6,5];",
                      "y[b,m,i] += x[b,c,|2 * i + j - 1|] * w[m,c,j], b < 2, m < 6, i < 5, c < 4, j < 3;"),
            "transpose convolution transpose");
  EXPECT_EQ(OpcodesOf(absl::StrCat(kImage, " v: real[6];"), "y: real[2,6,5];",
                      "y[b,m,i] = v[m,], b < 2, m < 6, i < 5;"
                      "y[b,m,i] += x[b,c,|2 * i + j - 1|] * w[m,c,j], b < 2, m < 6, i < 5, c < 4, j < 3;"),
            "transpose convolution broadcast add transpose");
  EXPECT_EQ(num_recognised, 2);
}

TEST(RecogniseTest, ConvolvesInGroups) {
  EXPECT_EQ(OpcodesOf("x: real[2,4,9]; w: real[6,2,3];", "y: real[2,6,9];",
                      "y[b,3 * g + m,i] += x[b,2 * g + c,|i + j - 1|] * w[3 * g + m,c,j],"
                      " b < 2, g < 2, m < 3, i < 9, c < 2, j < 3;"),
            "transpose convolution transpose");
}

TEST(RecogniseTest, ConvolvesTheOtherWay) {
  EXPECT_EQ(OpcodesOf("x: real[2,4,5]; w: real[4,3,3];", "y: real[2,3,10];",
                      "y[b,m,|2 * i + j - 1|] += x[b,c,i] * w[c,m,j], b < 2, m < 3, i < 5, c < 4, j < 3;"),
            "transpose convolution transpose");
}

TEST(RecogniseTest, ConvolvesABatchThatVaries) {
  const std::string statement = "y[b,m,i] += x[b,c,|2 * i + j - 1|] * w[m,c,j], b < n, m < 6, i < 5, c < 4, j < 3;";
  const std::string inputs = "x: real[n,4,9]; w: real[6,4,3];", graph_inputs = "x: real[n|2,4,9]; w: real[6,4,3];";
  EXPECT_NE(OpcodesOf(inputs, "y: real[n,6,5];", statement, graph_inputs).find("convolution"), std::string::npos);
  EXPECT_EQ(num_recognised, 1);
  // Elements after the batch keep what they hold.
  EXPECT_EQ(OpcodesOf(inputs, "y: real[2,6,5];", statement, graph_inputs).find("convolution"), std::string::npos);
}

TEST(RecogniseTest, LeavesOtherSumsOfProductsAlone) {
  // The window moves backwards.
  EXPECT_EQ(OpcodesOf(kImage, "y: real[2,6,4];",
                      "y[b,m,i] += x[b,c,|8 - 2 * i + j|] * w[m,c,j], b < 2, m < 6, i < 4, c < 4, j < 3;")
                .find("convolution"),
            std::string::npos);
  // The guard is about something else.
  EXPECT_EQ(OpcodesOf("x: real[2,4,9]; w: real[6,4,3]; v: real[2];", "y: real[2,6,7];",
                      "t = v[|i|,], y[b,m,i] += x[b,c,i + j] * w[m,c,j], b < 2, m < 6, i < 7, c < 4, j < 3;")
                .find("convolution"),
            std::string::npos);
}

TEST(RecogniseTest, Reduces) {
  EXPECT_EQ(OpcodesOf(kMatrix, "y: real[3];", "y[i,] += x[i,j], i < 3, j < 4;"), "reduce");
  EXPECT_EQ(OpcodesOf(kMatrix, "y: real[4];", "y[j,] >= x[i,j], i < 3, j < 4;"), "reduce");
  EXPECT_EQ(OpcodesOf(kMatrix, "y: real[3,1];", "y[i,0] *= x[i,j], i < 3, j < 4;"), "reduce reshape");
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseTest, ReducesWindows) {
  EXPECT_EQ(OpcodesOf(kVector, "y: real[3];", "y[i,] >= x[|2 * i + j - 1|,], i < 3, j < 3;"), "reduce-window");
  EXPECT_EQ(OpcodesOf("x: real[2,9];", "y: real[2,4];", "y[b,i] += x[b,2 * i + 2 * j], b < 2, i < 4, j < 2;"),
            "reduce-window");
  // Windows that lie apart of each other by data.
  EXPECT_EQ(
      OpcodesOf("x: real[6]; k: int[3];", "y: real[3];", "y[i,] += x[k[i,] + j,], i < 3, j < 2;").find("reduce-window"),
      std::string::npos);
}

constexpr char kPlaces[] = "y: int[3];";

TEST(RecogniseTest, FindsPlaces) {
  const std::string start = "y[i,] = 0, i < 3;";
  EXPECT_NE(OpcodesOf(kMatrix, kPlaces, absl::StrCat(start, "y[i,] := j, i < 3, j < 4 | x[i,j] < x[i,y[i,]];"))
                .find("reduce"),
            std::string::npos);
  EXPECT_EQ(num_recognised, 2);
  // The last of equal ones, and one that starts elsewhere.
  OpcodesOf(kMatrix, kPlaces, absl::StrCat(start, "y[i,] := j, i < 3, j < 4 | x[i,j] <= x[i,y[i,]];"));
  EXPECT_EQ(num_recognised, 0);
  OpcodesOf(kMatrix, kPlaces, "y[i,] = 1, i < 3; y[i,] := j, i < 3, j < 4 | x[i,j] < x[i,y[i,]];");
  EXPECT_EQ(num_recognised, 0);
}

TEST(RecogniseTest, FindsPlacesInSeveralDimensions) {
  EXPECT_EQ(OpcodesOf("x: real[3,4,5];", "ys: int[3]..(2);",
                      "ys[i,] = 0, i < 3; ys[i,] := [j,k], i < 3, j < 4, k < 5 | x[i,j,k] < x[i,ys[i,]..];", "",
                      "y: int[3]..(2);")
                .find("while"),
            std::string::npos);
  EXPECT_EQ(num_recognised, 2);
}

constexpr char kPack[] = "x: real[4]..(3);";

TEST(RecogniseTest, FindsTheBestOfAPack) {
  const std::string start = "y[i,] = 0, i < 4;";
  EXPECT_EQ(OpcodesOf(kPack, "y: int[4];", start + "y[i,] := k, k < 3, i < 4 | x[k][i,] > x[y[i,]][i,];"),
            "compare broadcast broadcast select select compare broadcast select");
  EXPECT_EQ(num_recognised, 4);
  // The last of equal ones, and another start.
  OpcodesOf(kPack, "y: int[4];", start + "y[i,] := k, k < 3, i < 4 | x[k][i,] >= x[y[i,]][i,];");
  EXPECT_EQ(num_recognised, 0);
  OpcodesOf(kPack, "y: int[4];", "y[i,] = 1, i < 4; y[i,] := k, k < 3, i < 4 | x[k][i,] > x[y[i,]][i,];");
  EXPECT_EQ(num_recognised, 0);
  // The best element is looked for elsewhere.
  OpcodesOf(kPack, "y: int[4];", start + "y[i,] := k, k < 3, i < 4 | x[k][i,] > x[y[i,]][3 - i,];");
  EXPECT_EQ(num_recognised, 0);
}

TEST(RecogniseTest, UsesFunctionsOfHlo) {
  EXPECT_EQ(OpcodesOf(kVector, "y: real[6];", "y[i,] = 1.0 / (1.0 + `exp`(-x[i,])), i < 6;"), "logistic");
  EXPECT_EQ(OpcodesOf(kVector, "y: real[6];", "y[i,] = `exp`(x[i,]) - 1.0, i < 6;"), "exponential-minus-one");
  EXPECT_EQ(OpcodesOf(kVector, "y: real[6];", "y[i,] = `log`(1.0 + x[i,]), i < 6;"), "log-plus-one");
  EXPECT_EQ(OpcodesOf(kVector, "y: real[6];", "y[i,] = 1.0 / `sqrt`(x[i,]), i < 6;"), "rsqrt");
}

TEST(RecogniseTest, LeavesOtherStatementsToTheGeneralForm) {
  // The last of several assignments to an element counts.
  OpcodesOf(kMatrix, "y: real[3];", "y[i,] = x[i,j], i < 3, j < 4;");
  EXPECT_EQ(num_recognised, 0);
  // An iteration reads what those before it have assigned.
  OpcodesOf(kVector, "y: real[6];", "y[i,] = 0.0, i < 6; y[i,] := x[i,], i < 6 | x[i,] > y[0,];");
  EXPECT_EQ(num_recognised, 0);
}

// Operands that are shared many times.
TEST(RecogniseTest, EndsSoon) {
  std::string locals = "t0 = i + i, ";
  for (int n = 1; n < 60; ++n) absl::StrAppend(&locals, "t", n, " = (t", n - 1, " + t", n - 1, ") % 1000, ");
  EXPECT_NE(OpcodesOf("x: real[1000];", "y: real[4];", absl::StrCat(locals, "y[i,] = x[t59,], i < 4;")), "");
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
