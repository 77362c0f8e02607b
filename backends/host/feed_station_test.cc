#include "backends/host/feed_station.h"

#include <atomic>
#include <thread>

#include "absl/time/clock.h"
#include "gmock/gmock.h"

namespace xla {
namespace {

absl::Status GoOn() { return absl::OkStatus(); }

// The value as a number, -1 if there is an error.
float NumberOf(const absl::StatusOr<Literal>& value) { return value.ok() ? *value->data<float>() : -1; }

class FeedStationTest : public testing::Test {
 protected:
  const std::shared_ptr<MemoryBudget> memory_ = std::make_shared<MemoryBudget>(100);
  FeedStation station_{memory_};
};

TEST_F(FeedStationTest, GivesValuesInTheirOrderFromTwoQueues) {
  for (const float number : {1.0f, 2.0f}) {
    ASSERT_TRUE(station_.PutInfeed(Literal::Scalar(number)).ok());
    ASSERT_TRUE(station_.PutOutfeed(Literal::Scalar(number + 10)).ok());
  }
  EXPECT_EQ(NumberOf(station_.TakeInfeed(GoOn)), 1);
  EXPECT_EQ(NumberOf(station_.TakeInfeed(GoOn)), 2);
  EXPECT_EQ(NumberOf(station_.TakeOutfeed(Shape::Scalar(F32), GoOn)), 11);
  EXPECT_EQ(NumberOf(station_.TakeOutfeed(Shape::Scalar(F32), GoOn)), 12);
}

TEST_F(FeedStationTest, WaitsUntilAValueComes) {
  std::atomic<bool> has_taken{false};
  std::thread taker([&] {
    EXPECT_EQ(NumberOf(station_.TakeInfeed(GoOn)), 5);
    has_taken = true;
  });
  absl::SleepFor(absl::Milliseconds(60));
  EXPECT_FALSE(has_taken);
  ASSERT_TRUE(station_.PutInfeed(Literal::Scalar(5.0f)).ok());
  taker.join();
  EXPECT_TRUE(has_taken);
}

TEST_F(FeedStationTest, EndsAWaitWhenTheCheckFails) {
  std::atomic<bool> is_cancelled{false};
  std::thread canceller([&] {
    absl::SleepFor(absl::Milliseconds(50));
    is_cancelled = true;
  });
  const auto check = [&] { return is_cancelled ? absl::CancelledError("stop") : absl::OkStatus(); };
  const absl::Time start = absl::Now();
  EXPECT_EQ(station_.TakeInfeed(check).status(), absl::CancelledError("stop"));
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
  EXPECT_EQ(station_.TakeOutfeed(Shape::Scalar(F32), check).status(), absl::CancelledError("stop"));
  canceller.join();
}

TEST_F(FeedStationTest, AValueThatIsThereNeedsNoCheck) {
  ASSERT_TRUE(station_.PutInfeed(Literal::Scalar(5.0f)).ok());
  EXPECT_EQ(NumberOf(station_.TakeInfeed([] { return absl::CancelledError("stop"); })), 5);
}

TEST_F(FeedStationTest, AValueOfAnotherShapeStaysInTheOutfeed) {
  ASSERT_TRUE(station_.PutOutfeed(Literal::Vector<float>({1, 2})).ok());
  ASSERT_TRUE(station_.PutOutfeed(Literal::Scalar(3.0f)).ok());
  EXPECT_EQ(station_.TakeOutfeed(Shape::Scalar(F32), GoOn).status(),
            absl::InvalidArgumentError("the next value of the outfeed queue has shape f32[2], asked for f32[]"));
  EXPECT_TRUE(station_.TakeOutfeed(Shape::Array(F32, {2}), GoOn).ok());
  EXPECT_EQ(NumberOf(station_.TakeOutfeed(Shape::Scalar(F32), GoOn)), 3);
}

TEST_F(FeedStationTest, CountsTheMemoryOfWhatWaits) {
  const Literal forty_bytes = *Literal::Zeros(Shape::Array(F32, {10}));
  ASSERT_TRUE(station_.PutInfeed(forty_bytes).ok());
  ASSERT_TRUE(station_.PutOutfeed(forty_bytes).ok());
  EXPECT_EQ(memory_->used(), 80);
  EXPECT_EQ(station_.PutInfeed(forty_bytes).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(memory_->used(), 80);
  ASSERT_TRUE(station_.TakeInfeed(GoOn).ok());
  EXPECT_EQ(memory_->used(), 40);
  EXPECT_TRUE(station_.PutInfeed(forty_bytes).ok());
}

TEST(FeedStation, GivesBackTheMemoryOfWhatIsLeft) {
  const auto memory = std::make_shared<MemoryBudget>(100);
  {
    FeedStation station(memory);
    ASSERT_TRUE(station.PutInfeed(Literal::Scalar(1.0f)).ok());
    ASSERT_TRUE(station.PutOutfeed(Literal::Scalar(1.0f)).ok());
    EXPECT_EQ(memory->used(), 8);
  }
  EXPECT_EQ(memory->used(), 0);
}

TEST_F(FeedStationTest, GivesEachValueToOneOfManyTakers) {
  constexpr int kValues = 20;  // 80 bytes
  std::atomic<int> sum{0};
  std::vector<std::thread> takers;
  for (int i = 0; i < kValues; ++i) {
    takers.emplace_back([&] { sum += static_cast<int>(NumberOf(station_.TakeInfeed(GoOn))); });
  }
  for (int i = 1; i <= kValues; ++i) ASSERT_TRUE(station_.PutInfeed(Literal::Scalar(static_cast<float>(i))).ok());
  for (std::thread& taker : takers) taker.join();
  EXPECT_EQ(sum, kValues * (kValues + 1) / 2);
}

}  // namespace
}  // namespace xla
