#include "backends/kernel_ir/kernel_builder.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using Use = KernelBuffer::Use;
using Values = KernelBuilder::Values;

// The text of index `expression` of a tile number t < 1000, i < 4 and j < 8, which is stored where it says.
std::string Simplified(
    const std::function<KernelValue(KernelBuilder&, KernelValue t, KernelValue i, KernelValue j)>& expression) {
  KernelBuilder b("k");
  const int z = b.AddBuffer("z", F32, int64_t{1} << 40, Use::kWrite);
  b.Phase(1000, [&](KernelValue t) {
    b.For(b.Index(4), LoopSchedule::kPlain, true, [&](KernelValue i) {
      b.For(b.Index(8), LoopSchedule::kPlain, true,
            [&](KernelValue j) { b.Store(z, expression(b, t, i, j), b.Constant(Literal::Scalar<float>(1))); });
    });
  });
  const std::string text = KernelToString(std::move(b).Finish());
  std::string lines;
  const size_t begin = text.find("independent {\n", text.find("for %2")) + 14;
  for (size_t at = begin; text.compare(at, 8, "      }\n") != 0; at = text.find('\n', at) + 1) {
    const std::string line = text.substr(at + 8, text.find('\n', at) - at - 8);
    if (line.find("constant f32") == std::string::npos) lines += line + "; ";
  }
  return lines;
}

TEST(KernelBuilder, JoinsSums) {
  EXPECT_EQ(Simplified([](KernelBuilder& b, KernelValue t, KernelValue i, KernelValue j) {
              return b.Affine({{8, b.Affine({{4, t}, {1, i}}, 2)}, {1, j}}, 1);
            }),
            "store z[32*%0 + 8*%1 + %2 + 17], %3; ");
}

}  // namespace
}  // namespace xla
