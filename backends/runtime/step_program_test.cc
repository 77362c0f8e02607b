#include "backends/runtime/step_program.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/support/thread_pool.h"

namespace xla {
namespace {

using testing::ElementsAre;

constexpr BufferSlice kFirst = {BufferSlice::kArena, 0, 8};
constexpr BufferSlice kSecond = {BufferSlice::kArena, 8, 8};
constexpr BufferSlice kFlag = {BufferSlice::kArena, 16, 1};

class CalledThunk : public Thunk {
 public:
  CalledThunk(bool is_on_device, std::vector<BufferSlice> reads, std::vector<BufferSlice> writes,
              std::function<absl::Status()> call)
      : Thunk(InfoOf(is_on_device, std::move(reads), std::move(writes))), call_(std::move(call)) {}
  absl::Status Execute(ExecuteContext&) const override { return call_(); }

 private:
  static ThunkInfo InfoOf(bool is_on_device, std::vector<BufferSlice> reads, std::vector<BufferSlice> writes) {
    ThunkInfo info;
    info.is_on_device = is_on_device;
    info.reads = std::move(reads);
    info.writes = std::move(writes);
    return info;
  }
  const std::function<absl::Status()> call_;
};

// Writes down what it is asked for.
class LoggedDevice : public DeviceWork {
 public:
  explicit LoggedDevice(std::vector<std::string>* log) : log_(log) {}
  absl::Status RunSteps(const StepProgram& program, int32_t first, int32_t end, ProfileSink*,
                        ExecuteContext& context) override {
    log_->push_back("steps");
    for (int32_t i = first; i < end; ++i) {
      const Thunk* const thunk = program.steps[i].thunk;
      if (thunk == nullptr) continue;
      EXPECT_TRUE(thunk->Execute(context).ok());
    }
    return fails;
  }
  absl::Status ToHost(absl::Span<const BufferSlice> slices) override { return Log("to host", slices); }
  absl::Status ToDevice(absl::Span<const BufferSlice> slices) override { return Log("to device", slices); }

  absl::Status fails;

 private:
  absl::Status Log(const char* what, absl::Span<const BufferSlice> slices) {
    std::string line = what;
    for (const BufferSlice& slice : slices) absl::StrAppend(&line, " ", slice.offset);
    log_->push_back(line);
    return fails;
  }
  std::vector<std::string>* const log_;
};

class StepProgramTest : public testing::Test {
 protected:
  StepProgramTest() {
    context_.bases = bases_;
    context_.pool = &pool_;
    context_.device_work = &device_;
  }

  void AddThunk(bool is_on_device, std::vector<BufferSlice> reads, std::vector<BufferSlice> writes,
                const std::string& name) {
    program_.thunks.push_back(
        std::make_unique<CalledThunk>(is_on_device, std::move(reads), std::move(writes), [this, name] {
          log_.push_back(name);
          return absl::OkStatus();
        }));
    ProgramStep step;
    step.thunk = program_.thunks.back().get();
    program_.steps.push_back(step);
  }
  absl::Status Run() {
    StepCounts counts;
    return RunSteps(program_, {}, context_, &counts);
  }

  char memory_[32] = {};
  void* bases_[2] = {nullptr, memory_};
  ThreadPool pool_{1};
  std::vector<std::string> log_;
  LoggedDevice device_{&log_};
  ExecuteContext context_;
  StepProgram program_;
};

TEST_F(StepProgramTest, BringsToTheHostWhatItsThunksTouch) {
  AddThunk(/*is_on_device=*/true, {kFirst}, {kSecond}, "kernel");
  AddThunk(/*is_on_device=*/false, {kSecond}, {kFirst}, "host");
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(log_, ElementsAre("steps", "kernel", "to host 8", "to host 0", "host", "to device 0"));
}

TEST_F(StepProgramTest, GivesADeviceTheStepsBetweenThoseOfTheHost) {
  const auto done = [this] {
    ProgramStep step;
    step.kind = ProgramStep::Kind::kEntryDone;
    program_.steps.push_back(step);
  };
  AddThunk(/*is_on_device=*/true, {}, {}, "a");
  done();
  AddThunk(/*is_on_device=*/true, {}, {}, "b");
  done();
  AddThunk(/*is_on_device=*/false, {}, {}, "host");
  AddThunk(/*is_on_device=*/true, {}, {}, "c");
  StepCounts counts;
  int told = 0;
  const std::function<void(int64_t, int64_t)> progress = [&](int64_t, int64_t) { ++told; };
  StepOptions options;
  options.progress = &progress;
  ASSERT_TRUE(RunSteps(program_, options, context_, &counts).ok());
  EXPECT_THAT(log_, ElementsAre("steps", "a", "b", "host", "steps", "c"));
  EXPECT_EQ(counts.steps, 4);
  EXPECT_EQ(told, 1) << "what lies between the device's steps is not told";
  log_.clear();
  options.max_steps = 1;
  EXPECT_TRUE(absl::IsResourceExhausted(RunSteps(program_, options, context_, &counts)));
  EXPECT_THAT(log_, ElementsAre());
}

TEST_F(StepProgramTest, BringsToTheHostWhatJumpsDependOn) {
  ProgramStep leave;
  leave.kind = ProgramStep::Kind::kJumpUnless;
  leave.slice = kFlag;
  leave.target = 2;
  program_.steps.push_back(leave);
  AddThunk(/*is_on_device=*/true, {}, {}, "left out");
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(log_, ElementsAre("to host 16"));
  log_.clear();
  memory_[16] = 1;
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(log_, ElementsAre("to host 16", "steps", "left out"));
}

// condition, test, body, repeat
TEST_F(StepProgramTest, CountsLoopsInsteadOfAskingTheDevice) {
  AddThunk(/*is_on_device=*/true, {}, {kFlag}, "condition");
  ProgramStep test;
  test.kind = ProgramStep::Kind::kJumpUnless;
  test.slice = kFlag;
  test.target = 4;
  test.trip_count = 2;
  program_.steps.push_back(test);
  AddThunk(/*is_on_device=*/true, {}, {}, "body");
  ProgramStep repeat;
  repeat.kind = ProgramStep::Kind::kJump;
  repeat.target = 0;
  repeat.first_target = 1;
  program_.steps.push_back(repeat);
  for (int run = 0; run < 2; ++run) {
    log_.clear();
    ASSERT_TRUE(Run().ok());
    EXPECT_THAT(log_, ElementsAre("steps", "condition", "steps", "body", "steps", "body"));
  }
  program_.steps[1].trip_count = 0;
  log_.clear();
  ASSERT_TRUE(Run().ok());
  EXPECT_THAT(log_, ElementsAre("steps", "condition"));
}

TEST_F(StepProgramTest, EndsWithTheErrorOfTheDevice) {
  AddThunk(/*is_on_device=*/false, {kFirst}, {kSecond}, "host");
  device_.fails = absl::AbortedError("the device is lost");
  EXPECT_EQ(Run(), absl::AbortedError("the device is lost"));
  EXPECT_THAT(log_, ElementsAre("to host 0"));
}

}  // namespace
}  // namespace xla
