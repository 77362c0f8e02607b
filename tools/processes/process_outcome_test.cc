#include "tools/processes/process_outcome.h"

#include "gtest/gtest.h"

namespace xla {
namespace {

TEST(ProcessOutcome, TravelsAsBytes) {
  ProcessOutcome outcome;
  outcome.results = {Literal::Scalar(1.5f), Literal::Tuple({Literal::Scalar(true)})};
  outcome.outfeed = {{}, {Literal::Scalar(7)}};
  outcome.peak_rss_bytes = 1;
  outcome.peak_value_bytes = 2;
  outcome.steps = 3;
  outcome.collectives.push_back({"r", "all-reduce", "f32[2]", 4, 5, 0.25, 0.5});
  outcome.trace = "{}";
  const std::string bytes = outcome.ToBytes();
  const auto read = ProcessOutcome::FromBytes(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->results.size(), 2u);
  EXPECT_TRUE(read->results[1].BitwiseEquals(outcome.results[1]));
  ASSERT_EQ(read->outfeed.size(), 2u);
  EXPECT_TRUE(read->outfeed[1][0].BitwiseEquals(Literal::Scalar(7)));
  EXPECT_EQ(read->peak_rss_bytes, 1);
  EXPECT_EQ(read->peak_value_bytes, 2);
  EXPECT_EQ(read->steps, 3);
  ASSERT_EQ(read->collectives.size(), 1u);
  EXPECT_EQ(read->collectives[0].opcode, "all-reduce");
  EXPECT_EQ(read->collectives[0].waiting_seconds, 0.25);
  EXPECT_EQ(read->trace, "{}");
  EXPECT_FALSE(ProcessOutcome::FromBytes(bytes.substr(0, bytes.size() - 1)).ok());
}

}  // namespace
}  // namespace xla
