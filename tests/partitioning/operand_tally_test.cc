#include "tests/partitioning/operand_tally.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

TEST(OperandTally, CountsWhatIsTakenAsItIsCutAndWhatIsMoved) {
  const auto module = ParseHloModule(R"(HloModule m, num_partitions=2
ENTRY e {
  x = f32[8,16] parameter(0), sharding={devices=[2,1]<=[2]}
  n = f32[8,16] negate(x), sharding={devices=[2,1]<=[2]}
  e = f32[8,16] exponential(n), sharding={devices=[1,2]<=[2]}
  w = f32[8,16] sine(e), sharding={replicated}
  ROOT c = f32[8,16] cosine(w), sharding={replicated}
})");
  ASSERT_TRUE(module.ok()) << module.status();
  OperandTally tally;
  ASSERT_EQ(tally.AddModule(**module, "", 2, RingsFrom(kRingBytes)), absl::OkStatus());
  const std::string text = tally.ToString();
  EXPECT_THAT(text, HasSubstr("  negate                      1         0          0\n")) << text;
  EXPECT_THAT(text, HasSubstr("  exponential                 0         0          1\n    ")) << text;
  EXPECT_THAT(text, HasSubstr("  sine                        0         1          0\n    ")) << text;
  EXPECT_THAT(text, ::testing::Not(HasSubstr("cosine"))) << "its operand is whole: " << text;
}

}  // namespace
}  // namespace xla
