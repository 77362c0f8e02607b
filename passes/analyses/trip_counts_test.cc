#include "passes/analyses/trip_counts.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/analyses/printed_analyses.h"

namespace xla {
namespace {

using ::testing::Optional;

// for (TYPE i = INITIAL; i DIRECTION LIMIT; i = i OPCODE STEP)
std::string CountingLoop(const std::string& type, const std::string& initial, const std::string& direction,
                         const std::string& limit, const std::string& opcode, const std::string& step) {
  return absl::StrReplaceAll(R"(HloModule m
condition {
  p = (TYPE[], f32[]) parameter(0)
  i = TYPE[] get-tuple-element(p), index=0
  limit = TYPE[] constant(LIMIT)
  ROOT r = pred[] compare(i, limit), direction=DIRECTION
}
body {
  p = (TYPE[], f32[]) parameter(0)
  i = TYPE[] get-tuple-element(p), index=0
  x = f32[] get-tuple-element(p), index=1
  step = TYPE[] constant(STEP)
  next = TYPE[] OPCODE(i, step)
  y = f32[] add(x, x)
  ROOT t = (TYPE[], f32[]) tuple(next, y)
}
ENTRY main {
  x = f32[] parameter(0)
  initial = TYPE[] constant(INITIAL)
  t = (TYPE[], f32[]) tuple(initial, x)
  ROOT loop = (TYPE[], f32[]) while(t), condition=condition, body=body
})",
                             {{"TYPE", type},
                              {"INITIAL", initial},
                              {"DIRECTION", direction},
                              {"LIMIT", limit},
                              {"OPCODE", opcode},
                              {"STEP", step}});
}

absl::optional<int64_t> CountOf(const std::string& type, const std::string& initial, const std::string& direction,
                                const std::string& limit, const std::string& opcode, const std::string& step) {
  const ParsedModule module(CountingLoop(type, initial, direction, limit, opcode, step));
  return TripCount(module.At("loop"));
}

TEST(TripCounts, CountsUpAndDown) {
  EXPECT_THAT(CountOf("s32", "0", "LT", "10", "add", "1"), Optional(10));
  EXPECT_THAT(CountOf("s32", "1", "LT", "10", "add", "4"), Optional(3));
  EXPECT_THAT(CountOf("s32", "0", "LE", "10", "add", "5"), Optional(3));
  EXPECT_THAT(CountOf("s32", "0", "NE", "10", "add", "5"), Optional(2));
  EXPECT_THAT(CountOf("s32", "7", "EQ", "7", "add", "5"), Optional(1));
  EXPECT_THAT(CountOf("s32", "10", "GT", "0", "subtract", "3"), Optional(4));
  EXPECT_THAT(CountOf("s64", "10", "GE", "-2", "add", "-3"), Optional(5));
  EXPECT_THAT(CountOf("u8", "0", "LT", "255", "add", "1"), Optional(255));
}

TEST(TripCounts, NoTurnIfTheConditionIsFalseAtFirst) {
  EXPECT_THAT(CountOf("s32", "10", "LT", "10", "add", "1"), Optional(0));
  EXPECT_THAT(CountOf("s32", "10", "LT", "10", "multiply", "2"), Optional(0));
  EXPECT_THAT(CountOf("s32", "3", "EQ", "10", "add", "0"), Optional(0));
}

TEST(TripCounts, UnknownIfItWouldWrapAroundOrNeverEnd) {
  EXPECT_EQ(CountOf("s8", "0", "LE", "127", "add", "1"), absl::nullopt);
  EXPECT_EQ(CountOf("s8", "0", "LT", "127", "add", "2"), absl::nullopt);
  EXPECT_EQ(CountOf("u8", "5", "GE", "0", "subtract", "1"), absl::nullopt);
  EXPECT_EQ(CountOf("s32", "0", "NE", "7", "add", "2"), absl::nullopt);
  EXPECT_EQ(CountOf("s32", "0", "LT", "7", "add", "0"), absl::nullopt);
  EXPECT_EQ(CountOf("s32", "0", "LT", "7", "subtract", "1"), absl::nullopt);
  EXPECT_EQ(CountOf("s64", "0", "LE", "9223372036854775807", "add", "1"), absl::nullopt);
  EXPECT_EQ(CountOf("u64", "18446744073709551615", "GT", "3", "subtract", "1"), absl::nullopt);
  EXPECT_EQ(CountOf("s32", "1", "LT", "10", "multiply", "2"), absl::nullopt);
}

TEST(TripCounts, ReachesTheEdgeOfTheType) {
  EXPECT_THAT(CountOf("s64", "-9223372036854775808", "LT", "9223372036854775807", "add", "9223372036854775807"),
              absl::nullopt);
  EXPECT_THAT(CountOf("s64", "1", "LT", "9223372036854775807", "add", "1"), Optional(9223372036854775806));
  EXPECT_THAT(CountOf("s8", "-128", "LT", "127", "add", "85"), Optional(3));
}

// The limit in the state, the increment in a fusion, the comparison the other way round, the loop within another.
constexpr char kDisguised[] = R"(HloModule m
increment { x = s32[] parameter(0) one = s32[] constant(1) ROOT r = s32[] add(one, x) }
condition {
  p = (s32[], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  ROOT r = pred[] compare(n, i), direction=GT
}
body {
  p = (s32[], s32[]) parameter(0)
  b = (s32[], s32[]) opt-barrier(p)
  i = s32[] get-tuple-element(b), index=0
  n = s32[] get-tuple-element(b), index=1
  next = s32[] fusion(i), kind=kLoop, calls=increment
  c = s32[] copy(n)
  ROOT t = (s32[], s32[]) tuple(next, c)
}
ENTRY main {
  zero = s32[] constant(0)
  n = s32[] constant(6)
  t = (s32[], s32[]) tuple(zero, n)
  ROOT loop = (s32[], s32[]) while(t), condition=condition, body=body
})";

TEST(TripCounts, SeesThroughFusionsCopiesAndInvariantState) {
  const ParsedModule module(kDisguised);
  const absl::optional<LoopCounter> counter = FindLoopCounter(module.At("loop"));
  ASSERT_TRUE(counter.has_value());
  EXPECT_EQ(counter->trip_count, 6);
  EXPECT_EQ(counter->state_index, ShapeIndex{0});
  EXPECT_THAT(InvariantInteger(module.At("loop"), {1}), Optional(6));
  EXPECT_EQ(InvariantInteger(module.At("loop"), {0}), absl::nullopt);
  EXPECT_EQ(*FindPrintedAnalysis("trip-counts")->Print(*module, nullptr),
            "main/loop: 6 iterations, counter {0} from 0 by 1\n");
}

TEST(TripCounts, AStateThatIsOneIntegerOrAPredicate) {
  const ParsedModule integer(R"(HloModule m
condition { i = u32[] parameter(0) n = u32[] constant(9) ROOT r = pred[] compare(i, n), direction=LT }
body { i = u32[] parameter(0) s = u32[] constant(2) ROOT r = u32[] add(i, s) }
ENTRY main { z = u32[] constant(0) ROOT loop = u32[] while(z), condition=condition, body=body })");
  EXPECT_THAT(TripCount(integer.At("loop")), Optional(5));
  const ParsedModule once(R"(HloModule m
condition { ROOT go = pred[] parameter(0) }
body { go = pred[] parameter(0) ROOT stop = pred[] constant(false) }
ENTRY main { start = pred[] constant(true) ROOT loop = pred[] while(start), condition=condition, body=body })");
  EXPECT_THAT(TripCount(once.At("loop")), Optional(1));
}

TEST(TripCounts, AnnotationsCountAsEstimatesOnly) {
  const ParsedModule module(R"(HloModule m
condition { i = s32[] parameter(0) n = s32[] constant(9) ROOT r = pred[] compare(i, n), direction=LT }
body { i = s32[] parameter(0) ROOT r = s32[] multiply(i, i) }
ENTRY main { p = s32[] parameter(0)
  ROOT loop = s32[] while(p), condition=condition, body=body, backend_config={"known_trip_count":{"n":"12"}} })");
  EXPECT_EQ(TripCount(module.At("loop")), absl::nullopt);
  EXPECT_THAT(EstimatedTripCount(module.At("loop")), Optional(12));
}

}  // namespace
}  // namespace xla
