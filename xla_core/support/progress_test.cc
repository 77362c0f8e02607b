#include "xla_core/support/progress.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Progress : public ::testing::Test {
 protected:
  ProgressLine::Terminal FakeTerminal() {
    return {[this] { return seconds_; }, [this](absl::string_view text) { output_.emplace_back(text); }};
  }

  double seconds_ = 100;
  std::vector<std::string> output_;
};

TEST_F(Progress, SaysNothingAboutShortWork) {
  {
    ProgressLine line("running", 10, FakeTerminal());
    seconds_ += 0.9;
    line.Update(9);
  }
  EXPECT_THAT(output_, IsEmpty());
}

TEST_F(Progress, ShowsShareAndTimeLeftAndWipesItself) {
  {
    ProgressLine line("running", 200, FakeTerminal());
    seconds_ += 10;
    line.Update(50);
    seconds_ += 0.01;
    line.Update(51);
  }
  EXPECT_THAT(output_, ElementsAre("\rrunning: 25 % (50 of 200), 30 s left\033[K", "\r\033[K"));
}

TEST_F(Progress, CountsWhenTheTotalIsUnknown) {
  ProgressLine line("reading", 0, FakeTerminal());
  seconds_ += 75;
  line.Update(12);
  EXPECT_THAT(output_, ElementsAre("\rreading: 12 done, 1 min 15 s\033[K"));
}

TEST_F(Progress, SurvivesNumbersBeyondTheTotal) {
  ProgressLine line("running", 10, FakeTerminal());
  seconds_ += 2;
  line.Update(50);
  EXPECT_THAT(output_, ElementsAre("\rrunning: 100 % (10 of 10), 0 s left\033[K"));
}

TEST_F(Progress, IsSilentWithoutATerminal) {
  ProgressLine line("running", 10, {[this] { return seconds_; }, nullptr});
  seconds_ += 5;
  line.Update(5);
  line.Wipe();
}

TEST(FormatDuration, UsesTheUnitThatFits) {
  EXPECT_EQ(FormatDuration(-1), "0 s");
  EXPECT_EQ(FormatDuration(59.9), "59 s");
  EXPECT_EQ(FormatDuration(200), "3 min 20 s");
  EXPECT_EQ(FormatDuration(7500), "2 h 5 min");
  EXPECT_EQ(FormatDuration(1e300), "277777777777 h 46 min");
}

}  // namespace
}  // namespace xla
