// Events: waiting, callbacks, and what happens when a party goes away.
#include "backends/event.h"

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

TEST(Event, WithoutSourceHasHappened) {
  const Event event;
  EXPECT_TRUE(event.IsReady());
  EXPECT_TRUE(event.WaitUntil(absl::InfinitePast()));
  EXPECT_EQ(event.Await(), absl::OkStatus());
  EXPECT_EQ(Event::Of(absl::OkStatus()).status(), absl::OkStatus());
  EXPECT_EQ(Event::Of(absl::DataLossError("gone")).Await(), absl::DataLossError("gone"));
}

TEST(Event, HappensOnce) {
  EventSource source;
  const Event event = source.event();
  EXPECT_FALSE(event.IsReady());
  EXPECT_EQ(event.status(), absl::UnavailableError("the event has not happened yet"));
  source.Set(absl::DataLossError("first"));
  source.Set(absl::OkStatus());
  EXPECT_EQ(event.status(), absl::DataLossError("first"));
}

TEST(Event, AwaitGivesUpAtTheDeadline) {
  const EventSource source;
  EXPECT_EQ(source.event().Await(absl::Now() + absl::Milliseconds(5)),
            absl::DeadlineExceededError("waited for an event until the deadline"));
  EXPECT_FALSE(source.event().WaitUntil(absl::InfinitePast()));
}

TEST(Event, WakesThoseWhoWait) {
  EventSource source;
  const Event event = source.event();
  std::thread waiter([event] { EXPECT_EQ(event.Await(), absl::DataLossError("x")); });
  std::thread with_deadline([event] { EXPECT_TRUE(event.WaitUntil(absl::Now() + absl::Hours(1))); });
  source.Set(absl::DataLossError("x"));
  waiter.join();
  with_deadline.join();
}

TEST(Event, FailsWhenItsSourceIsGone) {
  Event event;
  {
    const EventSource source;
    event = source.event();
  }
  EXPECT_EQ(event.Await(), absl::AbortedError("whoever was to bring the event about has given up"));
  EventSource first;
  event = first.event();
  first = EventSource();
  EXPECT_EQ(event.status().code(), absl::StatusCode::kAborted);
}

TEST(Event, MovedSourceKeepsItsEvent) {
  EventSource first;
  const Event event = first.event();
  EventSource second = std::move(first);
  EXPECT_FALSE(event.IsReady());
  second.Set(absl::OkStatus());
  EXPECT_TRUE(event.IsReady());
}

TEST(Event, CallsBackOnceEvenIfTheEventOutlivesEverything) {
  std::vector<absl::StatusCode> seen;
  const auto record = [&seen](const absl::Status& status) { seen.push_back(status.code()); };
  {
    EventSource source;
    source.event().OnReady(record);
    EXPECT_THAT(seen, ElementsAre());
    source.Set(absl::DataLossError(""));
    source.event().OnReady(record);
  }
  Event().OnReady(record);
  EXPECT_THAT(seen, ElementsAre(absl::StatusCode::kDataLoss, absl::StatusCode::kDataLoss, absl::StatusCode::kOk));
}

TEST(Event, CallbacksFollowEachOtherInsteadOfNesting) {
  std::vector<int> order;
  EventSource first, second;
  first.event().OnReady([&](const absl::Status&) {
    second.Set(absl::OkStatus());
    order.push_back(1);
  });
  second.event().OnReady([&](const absl::Status&) { order.push_back(2); });
  first.Set(absl::OkStatus());
  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(Event, LongChainsTakeNoStack) {
  constexpr int kLength = 300000;
  std::vector<EventSource> sources(kLength);
  for (int i = 0; i + 1 < kLength; ++i) {
    EventSource& next = sources[i + 1];
    sources[i].event().OnReady([&next](const absl::Status& status) { next.Set(status); });
  }
  sources[0].Set(absl::DataLossError("root"));
  EXPECT_EQ(sources.back().event().status(), absl::DataLossError("root"));
}

TEST(Event, CallbackMayDestroyTheSource) {
  auto source = std::make_unique<EventSource>();
  source->event().OnReady([&source](const absl::Status&) { source.reset(); });
  source->Set(absl::OkStatus());
  EXPECT_EQ(source, nullptr);
}

TEST(AllOf, HappensWithTheFirstErrorInOrder) {
  EXPECT_TRUE(AllOf({}).IsReady());
  EXPECT_TRUE(AllOf({Event(), Event()}).IsReady());
  EventSource a, b;
  const Event all = AllOf({Event(), a.event(), b.event(), Event::Of(absl::DataLossError("c"))});
  b.Set(absl::DataLossError("b"));
  EXPECT_FALSE(all.IsReady());
  a.Set(absl::OkStatus());
  EXPECT_EQ(all.status(), absl::DataLossError("b"));
}

TEST(Future, GivesItsValueOrItsError) {
  EXPECT_EQ(*Future<int>(3).Await(), 3);
  EXPECT_EQ(Future<int>(absl::DataLossError("x")).Await().status(), absl::DataLossError("x"));
  EventSource source;
  auto value = std::make_shared<int>(0);
  const Future<int> future(source.event(), value);
  EXPECT_FALSE(future.IsReady());
  EXPECT_EQ(future.Await(absl::Now()).status().code(), absl::StatusCode::kDeadlineExceeded);
  *value = 7;
  source.Set(absl::OkStatus());
  EXPECT_EQ(*future.Await(), 7);
}

TEST(Event, ErrorsKeepTheirPayloads) {
  absl::Status error = absl::DataLossError("x");
  error.SetPayload("test", absl::Cord("more about it"));
  EXPECT_EQ(Event::Of(error).Await(), error);
}

TEST(Event, ManyThreadsSetAndWait) {
  for (int round = 0; round < 200; ++round) {
    EventSource source;
    const Event event = source.event();
    std::atomic<int> calls{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&source, event, &calls, i] {
        event.OnReady([&calls](const absl::Status&) { ++calls; });
        if (i % 2 == 0) source.Set(absl::OkStatus());
        EXPECT_EQ(event.Await(), absl::OkStatus());
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(calls, 4);
  }
}

}  // namespace
}  // namespace xla
