#include "backends/host/launch_queue.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "backends/event.h"
#include "gmock/gmock.h"

namespace xla {
namespace {

// What a task was called with, and how often.
class Call {
 public:
  LaunchQueue::Task task() {
    return [this](const absl::Status& status) {
      ++count_;
      first_.Set(status);
    };
  }
  bool WasCalled() const { return first_.event().IsReady(); }
  // Waits for the first call; DeadlineExceeded if there is none within ten seconds.
  absl::Status Await() const { return first_.event().Await(absl::Now() + absl::Seconds(10)); }
  int count() const { return count_; }

 private:
  EventSource first_;
  std::atomic<int> count_{0};
};

std::shared_ptr<const ResourceContext> Limited(const ResourceLimits& limits) {
  return std::make_shared<const ResourceContext>(limits, "running the program");
}

std::shared_ptr<const ResourceContext> StoppedBy(std::shared_ptr<const Cancellation> cancellation) {
  ResourceLimits limits;
  limits.cancellation = std::move(cancellation);
  return Limited(limits);
}

TEST(LaunchQueue, RunsOnAThreadOfItsOwn) {
  LaunchQueue queue;
  std::thread::id id;
  EventSource done;
  queue.Launch(Event(), nullptr, [&](const absl::Status& status) {
    EXPECT_TRUE(status.ok());
    id = std::this_thread::get_id();
    done.Set(absl::OkStatus());
  });
  EXPECT_TRUE(done.event().Await().ok());
  EXPECT_NE(id, std::this_thread::get_id());
}

TEST(LaunchQueue, WaitsForTheEvent) {
  LaunchQueue queue;
  EventSource source;
  Call call;
  queue.Launch(source.event(), nullptr, call.task());
  absl::SleepFor(absl::Milliseconds(40));
  EXPECT_FALSE(call.WasCalled());
  source.Set(absl::OkStatus());
  EXPECT_TRUE(call.Await().ok());
}

TEST(LaunchQueue, PassesOnTheErrorOfTheEvent) {
  LaunchQueue queue;
  Call of_past, of_later, of_lost;
  queue.Launch(Event::Of(absl::DataLossError("broken")), nullptr, of_past.task());
  EXPECT_EQ(of_past.Await(), absl::DataLossError("broken"));
  {
    EventSource later, lost;
    queue.Launch(later.event(), nullptr, of_later.task());
    queue.Launch(lost.event(), nullptr, of_lost.task());
    later.Set(absl::DataLossError("broken too"));
  }
  EXPECT_EQ(of_later.Await(), absl::DataLossError("broken too"));
  EXPECT_FALSE(of_lost.Await().ok());
}

TEST(LaunchQueue, GivesUpAtTheDeadline) {
  LaunchQueue queue;
  EventSource source;
  Call call;
  ResourceLimits limits;
  limits.timeout = absl::Milliseconds(50);
  queue.Launch(source.event(), Limited(limits), call.task());
  EXPECT_EQ(call.Await(), absl::DeadlineExceededError("the time limit of 50ms passed while waiting for the arguments"));
  source.Set(absl::OkStatus());
  absl::SleepFor(absl::Milliseconds(40));
  EXPECT_EQ(call.count(), 1) << "the event comes too late";
}

TEST(LaunchQueue, GivesUpWhenItIsCancelled) {
  LaunchQueue queue;
  EventSource source;
  Call cancelled, other;
  const auto cancellation = std::make_shared<Cancellation>();
  queue.Launch(source.event(), StoppedBy(cancellation), cancelled.task());
  queue.Launch(source.event(), StoppedBy(std::make_shared<Cancellation>()), other.task());
  cancellation->Cancel();
  EXPECT_EQ(cancelled.Await().code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(other.WasCalled());
  source.Set(absl::OkStatus());
  EXPECT_TRUE(other.Await().ok());
  EXPECT_EQ(cancelled.count(), 1);
}

// Each task ends the one before it, so that all of them wait at once.
TEST(LaunchQueue, TasksThatAreStuckDoNotHoldUpOthers) {
  constexpr int kTasks = 12;
  LaunchQueue queue;
  std::vector<EventSource> may_end(kTasks);
  std::vector<Call> ends(kTasks);
  for (int i = 0; i < kTasks; ++i) {
    queue.Launch(Event(), nullptr, [&, i](const absl::Status& status) {
      const absl::Status next_ended = i + 1 < kTasks ? may_end[i + 1].event().Await() : absl::OkStatus();
      EXPECT_TRUE(next_ended.ok());
      may_end[i].Set(absl::OkStatus());
      ends[i].task()(status);
    });
  }
  for (Call& end : ends) EXPECT_TRUE(end.Await().ok());
}

TEST(LaunchQueue, ManyMayWaitForEachOther) {
  constexpr int kTasks = 500;
  LaunchQueue queue;
  std::vector<EventSource> sources(kTasks + 1);
  std::vector<int> order;
  for (int i = kTasks - 1; i >= 0; --i) {
    queue.Launch(sources[i].event(), nullptr, [&, i](const absl::Status& status) {
      order.push_back(i);
      sources[i + 1].Set(status);
    });
  }
  sources[0].Set(absl::OkStatus());
  EXPECT_TRUE(sources[kTasks].event().Await(absl::Now() + absl::Seconds(20)).ok());
  EXPECT_EQ(order.size(), static_cast<size_t>(kTasks));
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(LaunchQueue, ItsEndWaitsForWhatRunsAndCancelsTheRest) {
  constexpr int kTasks = 60;
  std::atomic<int> running{0}, run{0}, cancelled{0};
  {
    LaunchQueue queue;
    for (int i = 0; i < kTasks; ++i) {
      queue.Launch(Event(), nullptr, [&](const absl::Status& status) {
        if (!status.ok()) {
          EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
          ++cancelled;
          return;
        }
        ++running;
        absl::SleepFor(absl::Milliseconds(50));
        --running;
        ++run;
      });
    }
    while (running == 0) absl::SleepFor(absl::Milliseconds(1));
  }
  EXPECT_EQ(running, 0);
  EXPECT_GT(run, 0);
  EXPECT_EQ(run + cancelled, kTasks) << "each is called once";
}

TEST(LaunchQueue, CancelsWhatBecomesReadyAfterItsEnd) {
  EventSource source;
  Call plain, limited;
  {
    LaunchQueue queue;
    queue.Launch(source.event(), nullptr, plain.task());
    queue.Launch(source.event(), StoppedBy(std::make_shared<Cancellation>()), limited.task());
  }
  source.Set(absl::OkStatus());
  EXPECT_EQ(plain.Await().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(limited.Await().code(), absl::StatusCode::kCancelled);
}

TEST(LaunchQueue, MayEndInATask) {
  Call call;
  auto queue = std::make_shared<LaunchQueue>();
  EventSource may_end;
  queue->Launch(Event(), nullptr, [&, held = queue](const absl::Status& status) mutable {
    EXPECT_TRUE(may_end.event().Await().ok());
    held.reset();  // the last reference
    call.task()(status);
  });
  queue.reset();
  may_end.Set(absl::OkStatus());
  EXPECT_TRUE(call.Await().ok());
}

}  // namespace
}  // namespace xla
