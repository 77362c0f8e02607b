// Statements whose extents are known at run time only.
#include <string>

#include "builders/nnef2/recognition/test_support.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

TEST(RecogniseDynamicTest, Convolves) {
  const std::string inputs = "x: real[2,4,n]; w: real[6,4,3];", graph_inputs = "x: real[2,4,n|9]; w: real[6,4,3];";
  const std::string opcodes = OpcodesOf(inputs, "y: real[2,6,n];",
                                        "y[b,m,i] += x[b,c,|i + j - 1|] * w[m,c,j], b < 2, m < 6, i < n, c < 4, j < 3;",
                                        graph_inputs, "y: real[2,6,~];");
  // What lies past the extent is not summed up.
  EXPECT_TRUE(Has(opcodes, "select")) << opcodes;
  EXPECT_TRUE(Has(opcodes, "convolution")) << opcodes;
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseDynamicTest, ConvolvesFromAPlaceThatVaries) {
  const std::string opcodes =
      OpcodesOf("x: real[2,4,n]; w: real[6,4,3];", "y: real[2,6,n / 2];",
                "y[b,m,i] += x[b,c,|2 * i + j - n / 2|] * w[m,c,j], b < 2, m < 6, i < n / 2, c < 4, j < 3;",
                "x: real[2,4,n|9]; w: real[6,4,3];", "y: real[2,6,~];");
  EXPECT_TRUE(Has(opcodes, "dynamic-slice")) << opcodes;
  EXPECT_TRUE(Has(opcodes, "convolution")) << opcodes;
}

TEST(RecogniseDynamicTest, ConvolvesChannelsThatVary) {
  const std::string in = OpcodesOf("x: real[2,c,9]; w: real[6,c,3];", "y: real[2,6,9];",
                                   "y[b,m,i] += x[b,k,|i + j - 1|] * w[m,k,j], b < 2, m < 6, i < 9, k < c, j < 3;",
                                   "x: real[2,c|4,9]; w: real[6,c|4,3];");
  EXPECT_TRUE(Has(in, "convolution")) << in;
  EXPECT_TRUE(Has(in, "select")) << in;
  EXPECT_EQ(num_recognised, 1);
  const std::string out =
      OpcodesOf("x: real[2,4,9]; w: real[d,4,3];", "y: real[2,d,9];",
                "y[b,g * d + m,i] += x[b,g * 4 + k,|i + j - 1|] * w[g * d + m,k,j], b < 2, g < 1, m < d, i < 9, "
                "k < 4, j < 3;",
                "x: real[2,4,9]; w: real[d|6,4,3];", "y: real[2,~,9];");
  EXPECT_TRUE(Has(out, "convolution")) << out;
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseDynamicTest, ConvolvesGroupsThatVary) {
  const std::string opcodes =
      OpcodesOf("x: real[2,c,9]; w: real[c,1,3];", "y: real[2,c,9];",
                "y[b,g + m,i] += x[b,g + k,|i + j - 1|] * w[g + m,k,j], b < 2, g < c, m < 1, i < 9, k < 1, j < 3;",
                "x: real[2,c|4,9]; w: real[c,1,3];", "y: real[2,~,9];");
  EXPECT_TRUE(Has(opcodes, "convolution")) << opcodes;
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseDynamicTest, LeavesConvolutionsAloneWhoseGroupsHaveChannelsThatVary) {
  EXPECT_FALSE(
      Has(OpcodesOf("x: real[2,c,9]; w: real[2 * c,1,3];", "y: real[2,2 * c,9];",
                    "y[b,2 * g + m,i] += x[b,g + k,|i + j - 1|] * w[2 * g + m,k,j], b < 2, g < c, m < 2, i < 9, k < 1, "
                    "j < 3;",
                    "x: real[2,c|4,9]; w: real[2 * c,1,3];", "y: real[2,~,9];"),
          "convolution"));
  EXPECT_FALSE(Has(OpcodesOf("x: real[2,2 * c,9]; w: real[6,c,3];", "y: real[2,6,9];",
                             "y[b,3 * g + m,i] += x[b,g * c + k,|i + j - 1|] * w[3 * g + m,k,j], b < 2, g < 2, m < 3, "
                             "i < 9, k < c, j < 3;",
                             "x: real[2,2 * c|8,9]; w: real[6,c,3];"),
                   "convolution"));
}

TEST(RecogniseDynamicTest, GathersInsideOfWhatThereIs) {
  const std::string opcodes = OpcodesOf("x: real[n,2]; k: int[3];", "y: real[3,2];",
                                        "y[i,j] = x[k[i,],j], i < 3, j < 2;", "x: real[n|9,2]; k: int[3];");
  EXPECT_TRUE(Has(opcodes, "minimum")) << opcodes;
  EXPECT_TRUE(Has(opcodes, "gather")) << opcodes;
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseDynamicTest, ReducesWindows) {
  const std::string opcodes = OpcodesOf("x: real[n];", "y: real[n];", "y[i,] >= x[|i + j - 1|,], i < n, j < 3;",
                                        "x: real[n|9];", "y: real[~];");
  EXPECT_TRUE(Has(opcodes, "reduce-window")) << opcodes;
  EXPECT_TRUE(Has(opcodes, "select")) << opcodes;
}

TEST(RecogniseDynamicTest, FindsPlaces) {
  const std::string opcodes =
      OpcodesOf("x: real[3,n];", "y: int[3];", "y[i,] = 0, i < 3; y[i,] := j, i < 3, j < n | x[i,j] < x[i,y[i,]];",
                "x: real[3,n|9];", "y: int[3];");
  EXPECT_TRUE(Has(opcodes, "reduce")) << opcodes;
  EXPECT_FALSE(Has(opcodes, "while")) << opcodes;
  EXPECT_EQ(num_recognised, 2);
}

TEST(RecogniseDynamicTest, JoinsParts) {
  const std::string opcodes = OpcodesOf("x: real[n,2]; z: real[m,2];", "y: real[n + m,2];",
                                        "y[i,k] = x[0,k], i < n + m, k < 2; y[n + i,k] := z[i,k], i < m, k < 2;",
                                        "x: real[n|4,2]; z: real[m|5,2];", "y: real[~,2];");
  EXPECT_TRUE(Has(opcodes, "dynamic-update-slice")) << opcodes;
  EXPECT_FALSE(Has(opcodes, "scatter")) << opcodes;
  EXPECT_EQ(num_recognised, 2);
}

TEST(RecogniseDynamicTest, CutsParts) {
  const std::string opcodes =
      OpcodesOf("x: real[n];", "y: real[2];", "y[i,] = x[n - 3 + i,], i < 2;", "x: real[n|9];", "y: real[2];");
  // A place before the beginning is moved inside.
  EXPECT_FALSE(Has(opcodes, "dynamic-slice")) << opcodes;
  const std::string inside = OpcodesOf("x: real[n]; z: real[12];", "y: real[2];", "y[i,] = z[n + i,], i < 2;",
                                       "x: real[n|9]; z: real[12];", "y: real[2];");
  EXPECT_TRUE(Has(inside, "dynamic-slice")) << inside;
  EXPECT_EQ(num_recognised, 1);
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
