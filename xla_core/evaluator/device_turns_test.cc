#include "xla_core/evaluator/device_turns.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/run_text.h"
#include "xla_core/ops/custom_call_registry.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(DeviceTurns, AreNoMoreThanAtOnce) {
  constexpr int kAtOnce = 3, kDevices = 10, kTurns = 10;
  DeviceTurns turns(kAtOnce);
  std::atomic<int> working{0}, most{0}, done{0};
  std::vector<std::thread> threads;
  for (int d = 0; d < kDevices; ++d) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < kTurns; ++repeat) {
        turns.Begin();
        const int now = ++working;
        int known = most;
        while (now > known && !most.compare_exchange_weak(known, now)) continue;
        std::this_thread::yield();
        --working;
        ++done;
        turns.End();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(most, kAtOnce);
  EXPECT_EQ(done, kDevices * kTurns);
  EXPECT_FALSE(turns.are_wanted());
}

TEST(DeviceTurns, GoToWhoHasWaitedLongest) {
  DeviceTurns turns(1);
  turns.Begin();
  EXPECT_FALSE(turns.are_wanted());
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int d = 0; d < 4; ++d) {
    std::atomic<bool> has_come{false};
    threads.emplace_back([&turns, &order, &has_come, d] {
      has_come = true;
      turns.Begin();
      order.push_back(d);
      turns.End();
    });
    while (!has_come) std::this_thread::yield();
    absl::SleepFor(absl::Milliseconds(20));  // until it waits
  }
  EXPECT_TRUE(turns.are_wanted());
  turns.End();
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

// ---- Programs on more devices than work at once

int64_t ManyDevices() { return 24 * UsableCpuCount(); }

// Every device passes through `iterations` of a loop with `body`, which makes s32[] `next` of s32[] `x`.
std::string Loop(int64_t iterations, absl::string_view body) {
  return absl::StrCat(R"(HloModule m
    sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    cond { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      n = s32[] constant()",
                      iterations, R"() ROOT go_on = pred[] compare(i, n), direction=LT }
    body { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
      x = s32[] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)
      )",
                      body, R"(
      ROOT t = (s32[], s32[]) tuple(j, next) }
    ENTRY main { zero = s32[] constant(0) one = s32[] constant(1) s = (s32[], s32[]) tuple(zero, one)
      loop = (s32[], s32[]) while(s), condition=cond, body=body
      ROOT r = s32[] get-tuple-element(loop), index=1 })");
}

std::vector<int32_t> ValuesOnMany(const std::string& text) {
  const auto results = RunTextOnDevices(text, ManyDevices(), 1);
  EXPECT_EQ(results.status(), absl::OkStatus());
  std::vector<int32_t> values;
  if (results.ok()) {
    for (const Literal& result : *results) values.push_back(*result.data<int32_t>());
  }
  return values;
}

TEST(ManyDevices, MeetOverAndOver) {
  // max keeps the sum of ones, which is the number of devices.
  const std::vector<int32_t> values = ValuesOnMany(Loop(5, R"(
      all = s32[] all-reduce(one), channel_id=1, replica_groups={}, to_apply=sum
      next = s32[] maximum(all, x))"));
  EXPECT_THAT(values, SizeIs(ManyDevices()));
  EXPECT_THAT(values, Each(static_cast<int32_t>(ManyDevices())));
}

TEST(ManyDevices, GetWhatOthersSend) {
  // Values go from each device to the one before it, and zeros follow from the last one on.
  std::string pairs;
  for (int64_t d = 1; d < ManyDevices(); ++d) absl::StrAppend(&pairs, d > 1 ? "," : "", "{", d, ",", d - 1, "}");
  const std::vector<int32_t> values =
      ValuesOnMany(Loop(3, absl::StrCat("next = s32[] collective-permute(x), source_target_pairs={", pairs, "}")));
  EXPECT_EQ(std::count(values.begin(), values.end(), 1), ManyDevices() - 3);
}

TEST(ManyDevices, MayWaitForEachOtherInCustomCalls) {
  std::atomic<int64_t> missing{ManyDevices()};
  const absl::Status registered = CustomCallRegistry::Global().Register(
      "device_turns_test_meet", [&missing](const CustomCall& call) -> absl::StatusOr<Literal> {
        --missing;
        while (missing > 0) {
          RETURN_IF_ERROR(call.context.CheckDeadline());
          absl::SleepFor(absl::Milliseconds(1));
        }
        return call.operands.Take(0);
      });
  ASSERT_EQ(registered, absl::OkStatus());
  EvaluatorOptions options;
  options.timeout = absl::Seconds(60);
  const auto results = RunTextOnDevices(
      R"(HloModule m
        ENTRY main { x = s32[] constant(7)
          ROOT r = s32[] custom-call(x), custom_call_target="device_turns_test_meet" })",
      ManyDevices(), 1, {}, nullptr, options);
  EXPECT_EQ(results.status(), absl::OkStatus());
}

TEST(ManyDevices, EndAtTheTimeLimit) {
  EvaluatorOptions options;
  options.timeout = absl::Milliseconds(300);
  const absl::Time start = absl::Now();
  const absl::Status status = RunTextOnDevices(Loop(1'000'000'000, R"(
      f = f32[] convert(x)
      l = f32[64,64] broadcast(f), dimensions={}
      p = f32[64,64] dot(l, l), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      e = f32[1,1] slice(p), slice={[0:1],[0:1]}
      y = f32[] reshape(e)
      z = s32[] convert(y)
      next = s32[] and(z, one))"),
                                               ManyDevices(), 1, {}, nullptr, options)
                                  .status();
  EXPECT_THAT(status.ToString(), HasSubstr("DEADLINE_EXCEEDED: the time limit of 300ms passed"));
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
}

TEST(ManyDevices, HoldScratchOnlyWhileTheyWork) {
  const auto module = ModuleFromText(Loop(4, R"(
      f = f32[] convert(x)
      l = f32[128,128] broadcast(f), dimensions={}
      p = f32[128,128] dot(l, l), lhs_contracting_dims={1}, rhs_contracting_dims={0}
      e = f32[1,1] slice(p), slice={[0:1],[0:1]}
      y = f32[] reshape(e)
      z = s32[] convert(y)
      next = s32[] and(z, one))"));
  EvaluatorOptions options;
  options.replica_count = ManyDevices();
  const auto evaluator = Evaluator::Create(*module, options);
  ASSERT_TRUE(evaluator.ok());
  ASSERT_EQ((*evaluator)->Run(std::vector<std::vector<Literal>>(ManyDevices())).status(), absl::OkStatus());
  // The two arrays of each, its thread, and the scratch memory of products, three pieces in f64.
  constexpr int64_t kArrays = 2 * 4 * 128 * 128, kThread = 48 << 10, kScratch = (3 * 8 + 1) * 128 * 128;
  EXPECT_LE((*evaluator)->peak_memory_bytes(), ManyDevices() * (kArrays + kThread) + 4 * UsableCpuCount() * kScratch);
}

TEST(ManyDevices, CountTheirThreads) {
  EvaluatorOptions options;
  options.max_memory_bytes = 1'000'000;
  const absl::Status status =
      RunTextOnDevices("HloModule m\nENTRY main { ROOT x = s32[] constant(7) }", ManyDevices(), 1, {}, nullptr, options)
          .status();
  EXPECT_THAT(status.ToString(), HasSubstr("RESOURCE_EXHAUSTED: memory limit reached"));
}

TEST(ManyDevices, AreADeadlockWhereNoneCanGoOn) {
  const absl::Status status = RunTextOnDevices(R"(HloModule m
    sum { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
    meet { x = s32[] parameter(0) ROOT y = s32[] all-reduce(x), channel_id=1, replica_groups={}, to_apply=sum }
    leave { x = s32[] parameter(0) ROOT y = s32[] negate(x) }
    ENTRY main { replica = u32[] replica-id() i = s32[] convert(replica)
      ROOT r = s32[] conditional(i, i, i), branch_computations={leave, meet} })",
                                               ManyDevices(), 1)
                                  .status();
  EXPECT_THAT(status.ToString(), HasSubstr("deadlock: no device can go on; device 0 has ended; device 1 waits at y"));
}

}  // namespace
}  // namespace xla
