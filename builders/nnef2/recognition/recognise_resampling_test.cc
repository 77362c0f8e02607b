#include <string>

#include "builders/nnef2/recognition/test_support.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

// Of 4 elements 8, with a triangle of 4 weights.
constexpr char kUpsample[] =
    "y[b,|2 * i + j - 3|] += x[b,|i - 1 <> 0 : 3|] * (1.0 - `abs`(real(j - 2) + 0.5) / 2.0), b < 3, i < 6, j < 4;";

TEST(RecogniseResamplingTest, MultipliesByWeights) {
  EXPECT_EQ(OpcodesOf("x: real[3,4];", "y: real[3,8];", kUpsample), "dot");
  EXPECT_EQ(num_recognised, 1);
  // The places are computed with reals.
  EXPECT_EQ(
      OpcodesOf("x: real[4,3];", "y: real[6,3];",
                "r = real(i) * 0.5, y[i,k] += `abs`(real(1 - j) - `frac`(r)) * x[|int(`floor`(r)) + j <> 0 : 3|,k],"
                " i < 6, j < 2, k < 3;"),
      "dot transpose");
}

TEST(RecogniseResamplingTest, SumsNarrowTypesAsFloats) {
  EXPECT_EQ(OpcodesOf("x: real[3,4];", "y: real[3,8];", kUpsample, "", "", BF16), "convert dot convert");
}

TEST(RecogniseResamplingTest, GathersWhereTheMatrixIsLarge) {
  const std::string opcodes =
      OpcodesOf("x: real[2000];", "y: real[4000];",
                "r = real(i) * 0.5, y[i,] += `abs`(real(1 - j) - `frac`(r)) * x[|int(`floor`(r)) + j <> 0 : 1999|,],"
                " i < 4000, j < 2;");
  EXPECT_TRUE(Has(opcodes, "gather")) << opcodes;
  EXPECT_FALSE(Has(opcodes, "dot")) << opcodes;
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseResamplingTest, KeepsADimensionWithAFactorOfOne) {
  EXPECT_EQ(OpcodesOf("x: real[4];", "y: real[4];",
                      "y[|i + j - 1|,] += x[|i - 1 <> 0 : 3|,] * (1.0 - `abs`(real(j))), i < 6, j < 1;"),
            "");
  EXPECT_EQ(num_recognised, 1);
}

TEST(RecogniseResamplingTest, LeavesOtherSumsAlone) {
  // Weights that are data.
  EXPECT_FALSE(Has(OpcodesOf("x: real[4]; w: real[4];", "y: real[8];",
                             "y[|2 * i + j - 3|,] += x[|i - 1 <> 0 : 3|,] * w[j,], i < 6, j < 4;"),
                   "dot"));
  // Plain sums.
  EXPECT_FALSE(Has(OpcodesOf("x: real[9];", "y: real[4];", "y[i,] += x[8 - 2 * i - j,], i < 4, j < 2;"), "dot"));
  // Scales.
  EXPECT_FALSE(Has(OpcodesOf("x: real[4];", "y: real[4];", "y[i,] += x[i,] * real(i), i < 4;"), "dot"));
  // Both dimensions at a time.
  EXPECT_FALSE(
      Has(OpcodesOf("x: real[4,4];", "y: real[4,4];", "y[i,|i + j|] += x[i,j] * real(j), i < 4, j < 4;"), "dot"));
  // A condition.
  EXPECT_FALSE(Has(
      OpcodesOf("x: real[3,4];", "y: real[3,8];", std::string(kUpsample, sizeof(kUpsample) - 2) + " | x[b,0] > 0.0;"),
      "dot"));
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
