#include "backends/replicated/watched_collectives.h"

#include <map>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "backends/host/local_collectives.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

absl::Status KeepWaiting() { return absl::OkStatus(); }

// A place where a call is done when the test says so.
class ScriptedMeetings : public Collectives {
 public:
  class Started : public StartedCollective {
   public:
    explicit Started(absl::Duration until_met) : until_met_(until_met) {}
    Event done() const override { return done_.event(); }
    absl::Time met() const override { return met_; }
    absl::Status Await(absl::FunctionRef<absl::Status()> check) override {
      if (until_met_ == absl::InfiniteDuration()) {
        while (check().ok()) absl::SleepFor(absl::Milliseconds(1));
        return check();
      }
      absl::SleepFor(until_met_);
      met_ = absl::Now();
      absl::SleepFor(absl::Milliseconds(20));
      done_.Set(absl::OkStatus());
      return absl::OkStatus();
    }

   private:
    const absl::Duration until_met_;
    absl::Time met_ = absl::InfinitePast();
    EventSource done_;
  };

  std::shared_ptr<StartedCollective> Start(CollectiveCall) override { return std::make_shared<Started>(until_met); }
  void DeviceEnded(int64_t device, const absl::Status& status) override { ended.emplace_back(device, status.code()); }
  bool failed() const override { return false; }
  bool shares_values() const override { return shares; }

  bool shares = false;
  absl::Duration until_met = absl::ZeroDuration();
  std::vector<std::pair<int64_t, absl::StatusCode>> ended;
};

class WatchedCollectivesTest : public ::testing::Test {
 protected:
  CollectiveCall Call() const {
    CollectiveCall call;
    call.instruction = module_->entry()->root();
    call.group = {0, 1};
    call.operands = {{&shape_, nullptr}};
    call.results = {{&shape_, nullptr}};
    return call;
  }

  const std::unique_ptr<HloModule> module_ = OrDie(ParseHloModule(kAdd));
  const Shape shape_ = Shape::Array(F32, {10});
  ScriptedMeetings meetings_;
};

TEST_F(WatchedCollectivesTest, TellWaitingFromTransfer) {
  WatchedCollectives watched(&meetings_, {/*measures=*/true});
  meetings_.until_met = absl::Milliseconds(40);
  EXPECT_EQ(watched.Start(Call())->Await(&KeepWaiting), absl::OkStatus());
  EXPECT_EQ(watched.Start(Call())->Await(&KeepWaiting), absl::OkStatus());
  const std::vector<CollectiveCost> costs = watched.costs();
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].instruction, module_->entry()->root());
  EXPECT_EQ(costs[0].calls, 2);
  EXPECT_EQ(costs[0].bytes, 160);
  EXPECT_GE(costs[0].waiting, absl::Milliseconds(80));
  EXPECT_GE(costs[0].transfer, absl::Milliseconds(40));
}

TEST_F(WatchedCollectivesTest, MeasureNothingUnlessAsked) {
  WatchedCollectives watched(&meetings_, {});
  EXPECT_EQ(watched.Start(Call())->Await(&KeepWaiting), absl::OkStatus());
  EXPECT_TRUE(watched.costs().empty());
}

TEST_F(WatchedCollectivesTest, LimitHowLongADeviceWaits) {
  WatchedCollectives watched(&meetings_, {/*measures=*/false, /*timeout=*/absl::Milliseconds(30)});
  meetings_.until_met = absl::InfiniteDuration();
  EXPECT_EQ(
      watched.Start(Call())->Await(&KeepWaiting),
      absl::DeadlineExceededError("device 0 has waited 30ms at sum with devices {0,1}, which is as long as it may; see "
                                  "what the others do, or set a longer collective timeout"));
}

// Values that each device copied for itself would take the square of what devices bring.
TEST_F(WatchedCollectivesTest, ShareValuesWhereTheMeetingsDo) {
  const WatchedCollectives watched(&meetings_, {});
  EXPECT_FALSE(watched.shares_values());
  meetings_.shares = true;
  EXPECT_TRUE(watched.shares_values());
}

TEST_F(WatchedCollectivesTest, EndDevicesThatNeverRan) {
  WatchedCollectives watched(&meetings_, {});
  watched.DeviceEnded(1, absl::OkStatus());
  watched.EndOthers({0, 1, 2}, absl::AbortedError("no"));
  EXPECT_THAT(meetings_.ended, ElementsAre(Pair(1, absl::StatusCode::kOk), Pair(0, absl::StatusCode::kAborted),
                                           Pair(2, absl::StatusCode::kAborted)));
}

}  // namespace
}  // namespace xla
