// Which thunks run at the same time, and that they do.
#include "backends/runtime/overlap.h"

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = ProgramStep::Kind;

constexpr double kSmall = 40'000;

// Does what the test says.
class TestThunk : public Thunk {
 public:
  using Work = std::function<absl::Status()>;
  TestThunk(ThunkInfo info, Work work) : Thunk(std::move(info)), work_(std::move(work)) {}
  absl::Status Execute(ExecuteContext&) const override { return work_ == nullptr ? absl::OkStatus() : work_(); }

 private:
  const Work work_;
};

BufferSlice Place(int64_t number) { return {BufferSlice::kArena, 64 * number, 64}; }

// Reads and writes numbered places.
ThunkInfo Info(const std::vector<int64_t>& reads, const std::vector<int64_t>& writes, double serial_cost = kSmall) {
  ThunkInfo info;
  for (const int64_t place : reads) info.reads.push_back(Place(place));
  for (const int64_t place : writes) info.writes.push_back(Place(place));
  info.serial_cost = serial_cost;
  return info;
}

struct ProgramBuilder {
  StepProgram program;

  ProgramBuilder& Run(ThunkInfo info, TestThunk::Work work = nullptr) {
    program.thunks.push_back(std::make_unique<TestThunk>(std::move(info), std::move(work)));
    ProgramStep step;
    step.thunk = program.thunks.back().get();
    program.steps.push_back(step);
    return *this;
  }
  ProgramBuilder& Other(Kind kind, int32_t target) {
    ProgramStep step;
    step.kind = kind;
    step.target = target;
    program.steps.push_back(step);
    return *this;
  }
};

// The sequences that were found: first step, number of thunks, step after.
std::vector<std::vector<int>> Found(ProgramBuilder& builder) {
  OverlapThunks(&builder.program);
  std::vector<std::vector<int>> found;
  for (size_t i = 0; i < builder.program.steps.size(); ++i) {
    const ProgramStep& step = builder.program.steps[i];
    if (step.kind == Kind::kRunTogether) found.push_back({static_cast<int>(i), step.target_count, step.target});
  }
  return found;
}

TEST(Overlap, TakesWhatNeedsNothingOfEachOther) {
  ProgramBuilder builder;
  builder.Run(Info({0}, {1})).Run(Info({0}, {2})).Run(Info({0}, {3})).Run(Info({1, 2, 3}, {4}));
  EXPECT_THAT(Found(builder), ElementsAre(ElementsAre(0, 3, 3)));
}

TEST(Overlap, StopsAtEveryKindOfConflict) {
  ProgramBuilder reads_what_is_written, writes_what_is_read, writes_the_same;
  reads_what_is_written.Run(Info({0}, {1})).Run(Info({1}, {2}));
  writes_what_is_read.Run(Info({0}, {1})).Run(Info({2}, {0}));
  writes_the_same.Run(Info({0}, {1})).Run(Info({2}, {1}));
  EXPECT_THAT(Found(reads_what_is_written), IsEmpty());
  EXPECT_THAT(Found(writes_what_is_read), IsEmpty());
  EXPECT_THAT(Found(writes_the_same), IsEmpty());
}

TEST(Overlap, LeavesAloneWhatIsNotWorthIt) {
  ProgramBuilder tiny, shared, ordered;
  tiny.Run(Info({0}, {1}, 100)).Run(Info({0}, {2}, 100));
  shared.Run(Info({0}, {1}, 0)).Run(Info({0}, {2}, 0));
  for (int64_t i = 1; i < 4; ++i) {
    ThunkInfo info = Info({0}, {i});
    info.has_side_effect = true;
    ordered.Run(std::move(info));
  }
  EXPECT_THAT(Found(tiny), IsEmpty());
  EXPECT_THAT(Found(shared), IsEmpty());
  EXPECT_THAT(Found(ordered), IsEmpty());
}

TEST(Overlap, KeepsToStraightLines) {
  ProgramBuilder builder;
  builder.Run(Info({0}, {1})).Other(Kind::kEntryDone, 1).Run(Info({0}, {2})).Other(Kind::kEntryDone, 2);
  builder.Run(Info({0}, {3})).Other(Kind::kJump, 4);
  // The jump goes to the third thunk.
  EXPECT_THAT(Found(builder), ElementsAre(ElementsAre(0, 2, 3)));
}

absl::Status RunOn(int threads, const StepProgram& program, StepCounts* counts) {
  ThreadPool pool(threads);
  ExecuteContext context;
  context.pool = &pool;
  return RunSteps(program, StepOptions(), context, counts);
}

TEST(Overlap, RunsAtTheSameTime) {
  std::atomic<int> running{0};
  // Ends when the other one runs too.
  const auto meet = [&running] {
    ++running;
    const absl::Time end = absl::Now() + absl::Minutes(1);
    while (running < 2 && absl::Now() < end) std::this_thread::yield();
    return running < 2 ? absl::InternalError("alone") : absl::OkStatus();
  };
  ProgramBuilder builder;
  bool is_last = false;
  builder.Run(Info({0}, {1}), meet).Run(Info({0}, {2}), meet).Run(Info({1, 2}, {3}), [&] {
    is_last = running == 2;
    return absl::OkStatus();
  });
  OverlapThunks(&builder.program);
  StepCounts counts;
  EXPECT_EQ(RunOn(2, builder.program, &counts), absl::OkStatus());
  EXPECT_EQ(counts.steps, 3);
  EXPECT_TRUE(is_last);
}

TEST(Overlap, RunsInOrderOnOneThread) {
  std::vector<int> order;
  ProgramBuilder builder;
  for (int i = 0; i < 3; ++i) {
    builder.Run(Info({0}, {i + 1}), [&order, i] {
      order.push_back(i);
      return absl::OkStatus();
    });
  }
  OverlapThunks(&builder.program);
  StepCounts counts;
  EXPECT_EQ(RunOn(1, builder.program, &counts), absl::OkStatus());
  EXPECT_EQ(counts.steps, 3);
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(Overlap, TheFirstErrorIsTheResult) {
  ProgramBuilder builder;
  builder.Run(Info({0}, {1})).Run(Info({0}, {2}), [] { return absl::InternalError("second"); });
  builder.Run(Info({0}, {3}), [] { return absl::InternalError("third"); });
  OverlapThunks(&builder.program);
  StepCounts counts;
  EXPECT_EQ(RunOn(3, builder.program, &counts), absl::InternalError("second"));
}

TEST(RunSteps, ARunThatWasStoppedInItsLastThunkHasNoResult) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "running the program");
  ProgramBuilder builder;
  builder.Run(Info({0}, {1}), [&] {
    cancellation->Cancel();
    return absl::OkStatus();
  });
  ExecuteContext context;
  ThreadPool pool(1);
  context.pool = &pool;
  context.resources = &resources;
  StepCounts counts;
  EXPECT_EQ(RunSteps(builder.program, StepOptions(), context, &counts).code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace xla
