#include "tests/scaling/measure.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "xla_core/support/machine_memory.h"

namespace xla {
namespace {

std::string ManyNegations(int64_t n) {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[] parameter(0)\n";
  for (int64_t i = 1; i <= n; ++i) absl::StrAppend(&text, "  x", i, " = f32[] negate(x", i - 1, ")\n");
  return text + "}\n";
}

TEST(MeasurePhases, EndsBeforeTheProcessNeedsTooMuch) {
  MeasureOptions options;
  options.phases = {"read"};
  options.backends = false;
  options.rounds = 0;
  options.least_seconds = 1000;  // so that nothing else ends it soon
  const GrowingProgram program = {"negations", 1000, "", ManyNegations};
  MeasureOptions none = options;
  none.budget_seconds = 0;
  MeasurePhases(program, none);  // makes what is made once
  options.most_resident_bytes = AnonymousResidentBytes() + (int64_t{100} << 20);
  const std::vector<PhaseCosts> costs = MeasurePhases(program, options);
  ASSERT_FALSE(costs.empty());
  ASSERT_EQ(costs[0].phase, "read");
  ASSERT_EQ(costs[0].costs.size(), 3u);
  EXPECT_GE(costs[0].costs.back().n, 16000);
  EXPECT_LT(AnonymousResidentBytes(), options.most_resident_bytes);
}

// How often a program of the largest of the three sizes is made, that is how often all three are measured one after the
// other.
int TimesThatTheLargestIsMade(double bound, int rounds) {
  MeasureOptions options;
  options.phases = {"read"};
  options.backends = false;
  options.least_seconds = 1e-4;
  options.bound = bound;
  options.rounds = rounds;
  std::map<int64_t, int> made;
  const GrowingProgram program = {"negations", 1000, "", [&made](int64_t n) {
                                    ++made[n];
                                    return ManyNegations(n);
                                  }};
  const std::vector<PhaseCosts> costs = MeasurePhases(program, options);
  EXPECT_EQ(costs[0].costs.size(), 3u);
  return made[costs[0].costs.back().n];
}

TEST(MeasurePhases, MeasuresAgainWhatGrowsByMoreThanTheBound) {
  EXPECT_EQ(TimesThatTheLargestIsMade(/*bound=*/0.5, /*rounds=*/3), 2);
  EXPECT_EQ(TimesThatTheLargestIsMade(/*bound=*/1000, /*rounds=*/3), 1);
}

}  // namespace
}  // namespace xla
