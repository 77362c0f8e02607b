// Statements whose extents are known at run time only.
#include <string>

#include "builders/nnef2/recognition/test_support.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

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
