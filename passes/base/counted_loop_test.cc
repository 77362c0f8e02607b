#include "passes/base/counted_loop.h"

#include <limits>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "passes/analyses/trip_counts.h"
#include "passes/base/built_module.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

using Values = std::vector<HloInstruction*>;
using State = absl::Span<HloInstruction* const>;

// The loop whose element `result` is.
const HloInstruction& LoopOf(const HloInstruction* result) { return *result->operand(0); }

TEST(CountedLoop, NoIterationLeavesTheInitialValues) {
  BuiltModule m;
  HloInstruction* const x = m.build.Scalar(S32, 7);
  bool was_called = false;
  const Values results =
      CountedLoop(m.build, "loop", S32, 0, {x}, [&](InstructionBuilder&, HloInstruction*, State state) {
        was_called = true;
        return Values(state.begin(), state.end());
      });
  EXPECT_FALSE(was_called);
  EXPECT_THAT(results, ElementsAre(x));
  EXPECT_EQ(m->computations().size(), 1u);
}

TEST(CountedLoop, ASingleIterationNeedsNoLoop) {
  BuiltModule m;
  const Values results = CountedLoop(m.build, "loop", S64, 1, {m.build.Scalar(S64, 7)},
                                     [](InstructionBuilder& build, HloInstruction* counter, State state) {
                                       return Values{build.Sub(state[0], build.Add(counter, build.Scalar(S64, 2)))};
                                     });
  EXPECT_EQ(m->computations().size(), 1u);
  EXPECT_THAT(m.ElementsOf<int64_t>(results[0]), ElementsAre(5));
}

// 0 + 1 + 2 + 3 + 4, and Fibonacci numbers, whose next values both follow from the previous ones.
TEST(CountedLoop, CountsFromZeroAndChangesTheWholeStateAtOnce) {
  BuiltModule m;
  const Values results =
      CountedLoop(m.build, "loop", S32, 5, {m.build.Zero(S32), m.build.Zero(S32), m.build.One(S32)},
                  [](InstructionBuilder& build, HloInstruction* counter, State state) {
                    return Values{build.Add(state[0], counter), state[2], build.Add(state[1], state[2])};
                  });
  ASSERT_EQ(results.size(), 3u);
  const std::vector<Literal> values = m.Evaluate(results);
  EXPECT_EQ(*values[0].data<int32_t>(), 10);
  EXPECT_EQ(*values[1].data<int32_t>(), 5);
  EXPECT_EQ(*values[2].data<int32_t>(), 8);
}

TEST(CountedLoop, CountsBeyond32BitsWithAWideCounter) {
  BuiltModule m;
  const int64_t count = int64_t{1} << 40;
  const Values results =
      CountedLoop(m.build, "loop", S64, count, {m.build.Zero(F32)},
                  [](InstructionBuilder&, HloInstruction*, State state) { return Values{state[0]}; });
  EXPECT_EQ(LoopOf(results[0]).shape().tuple_shape(0).element_type(), S64);
  EXPECT_THAT(TripCount(LoopOf(results[0])), Optional(count));
}

TEST(CountedLoop, ReachesTheGreatestCountOfEachCounter) {
  for (const PrimitiveType type : {S32, S64}) {
    BuiltModule m;
    const int64_t count = type == S32 ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
    const Values results =
        CountedLoop(m.build, "loop", type, count, {m.build.Zero(F32)},
                    [](InstructionBuilder&, HloInstruction*, State state) { return Values{state[0]}; });
    EXPECT_THAT(TripCount(LoopOf(results[0])), Optional(count)) << PrimitiveTypeName(type);
  }
}

TEST(CountedLoop, NamesItsComputations) {
  BuiltModule m;
  const Values results =
      CountedLoop(m.build, "cholesky", S32, 2, {m.build.Zero(F32)},
                  [](InstructionBuilder&, HloInstruction*, State state) { return Values{state[0]}; });
  for (const HloComputation* called : LoopOf(results[0]).called_computations()) {
    EXPECT_TRUE(absl::StartsWith(called->name(), "cholesky")) << called->name();
  }
}

TEST(CountedLoop, PassesOnTheErrorOfAnIteration) {
  for (const int64_t count : {1, 2}) {
    BuiltModule m;
    CountedLoop(m.build, "loop", S32, count, {m.build.Zero(F32)},
                [](InstructionBuilder& build, HloInstruction* counter, State state) {
                  return Values{build.Add(state[0], counter)};
                });
    EXPECT_EQ(m.build.status().code(), absl::StatusCode::kInternal) << count;
    EXPECT_THAT(std::string(m.build.status().message()), HasSubstr("add"));
  }
}

// While the function runs, the body has a parameter and two elements of it and no root.
TEST(CountedLoop, AnIterationMayAskForScalarComputations) {
  BuiltModule m;
  const Values results = CountedLoop(m.build, "loop", S32, 3, {m.build.One(F32)},
                                     [](InstructionBuilder& build, HloInstruction*, State state) {
                                       HloComputation* add = ScalarComputation(build.module(), HloOpcode::kAdd, F32);
                                       return Values{build.Call(add, {state[0], state[0]})};
                                     });
  EXPECT_THAT(m.ElementsOf<float>(results[0]), ElementsAre(8));
}

TEST(CountedLoop, CountersAreAsWideAsTheyMustBe) {
  EXPECT_EQ(CounterTypeFor(0), S32);
  EXPECT_EQ(CounterTypeFor(2147483647), S32);
  EXPECT_EQ(CounterTypeFor(2147483648), S64);
  EXPECT_EQ(CounterTypeFor(std::numeric_limits<int64_t>::max()), S64);
}

}  // namespace
}  // namespace xla
