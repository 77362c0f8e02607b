#include "backends/vulkan/control_regions.h"

#include <memory>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace vulkan {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using Kind = ProgramStep::Kind;

constexpr BufferSlice kFlag = {BufferSlice::kArena, 64, 4};

class NoThunk : public Thunk {
 public:
  explicit NoThunk(ThunkInfo info) : Thunk(std::move(info)) {}
  absl::Status Execute(ExecuteContext&) const override { return absl::OkStatus(); }
};

// Writes programs as the planner does.
class ControlRegionsTest : public testing::Test {
 protected:
  void Kernel(bool is_on_device = true, bool has_side_effect = false) {
    ThunkInfo info;
    info.is_on_device = is_on_device;
    info.has_side_effect = has_side_effect;
    program_.thunks.push_back(std::make_unique<NoThunk>(info));
    program_.steps.emplace_back().thunk = program_.thunks.back().get();
  }
  int32_t Here() const { return static_cast<int32_t>(program_.steps.size()); }
  template <typename Condition, typename Body>
  void Loop(int64_t trip_count, Condition condition, Body body) {
    const int32_t begin = Here();
    condition();
    const int32_t test = Here();
    program_.steps.emplace_back().kind = Kind::kJumpUnless;
    body();
    ProgramStep& repeat = program_.steps.emplace_back();
    repeat.kind = Kind::kJump;
    repeat.target = begin;
    repeat.first_target = test;
    program_.steps[test].target = Here();
    program_.steps[test].trip_count = trip_count;
    program_.steps[test].slice = kFlag;
  }
  template <typename Branch>
  void Conditional(int count, Branch branch) {
    const auto first = static_cast<int32_t>(program_.targets.size());
    program_.targets.resize(first + count);
    ProgramStep& step = program_.steps.emplace_back();
    step.kind = Kind::kSwitch;
    step.first_target = first;
    step.target_count = count;
    step.slice = kFlag;
    std::vector<int32_t> jumps;
    for (int i = 0; i < count; ++i) {
      program_.targets[first + i] = Here();
      branch(i);
      jumps.push_back(Here());
      program_.steps.emplace_back().kind = Kind::kJump;
    }
    for (const int32_t jump : jumps) program_.steps[jump].target = Here();
  }
  std::vector<ControlRegion> Find() const { return FindControlRegions(program_); }

  StepProgram program_;
};

TEST_F(ControlRegionsTest, FindsALoopWithAConditionalInIt) {
  Kernel();
  Loop(
      -1, [&] { Kernel(); },
      [&] {
        Kernel();
        Conditional(2, [&](int i) {
          for (int k = 0; k <= i; ++k) Kernel();
        });
      });
  Kernel();
  const std::vector<ControlRegion> regions = Find();
  ASSERT_THAT(regions, SizeIs(1));
  EXPECT_TRUE(regions[0].is_loop);
  EXPECT_EQ(regions[0].first, 1);
  EXPECT_EQ(regions[0].end, Here() - 1);
  EXPECT_TRUE(regions[0].slice == kFlag);
  EXPECT_THAT(regions[0].condition, SizeIs(1));
  ASSERT_THAT(regions[0].body, SizeIs(2));
  EXPECT_EQ(ThunksOf(regions[0].body), 2);
  ASSERT_THAT(regions[0].body[1].parts, SizeIs(2));
  EXPECT_THAT(regions[0].body[1].parts[0], SizeIs(1));
  EXPECT_THAT(regions[0].body[1].parts[1], SizeIs(2));
}

TEST_F(ControlRegionsTest, RepeatsLoopsThatAreCounted) {
  Loop(
      -1, [&] { Kernel(); },
      [&] {
        Loop(
            3, [&] { Kernel(); }, [&] { Kernel(); });
      });
  // A counted loop alone is the host's, who does not wait for it.
  Loop(
      3, [&] { Kernel(); }, [&] { Kernel(); });
  const std::vector<ControlRegion> regions = Find();
  ASSERT_THAT(regions, SizeIs(1));
  EXPECT_EQ(ThunksOf(regions[0].body), 4);
}

TEST_F(ControlRegionsTest, FindsTheInnermostLoopOfThoseThatEndByThemselves) {
  Loop(
      -1, [&] { Kernel(); },
      [&] {
        Loop(
            -1, [&] { Kernel(); }, [&] { Kernel(); });
      });
  const std::vector<ControlRegion> regions = Find();
  ASSERT_THAT(regions, SizeIs(1));
  EXPECT_EQ(regions[0].first, 2);
}

TEST_F(ControlRegionsTest, FindsConditionals) {
  Conditional(3, [&](int i) {
    if (i != 1) Kernel();
  });
  const std::vector<ControlRegion> regions = Find();
  ASSERT_THAT(regions, SizeIs(1));
  EXPECT_FALSE(regions[0].is_loop);
  EXPECT_EQ(regions[0].end, Here());
  EXPECT_THAT(regions[0].body[0].parts[1], IsEmpty());
}

TEST_F(ControlRegionsTest, LeavesToTheHostWhatTheDeviceCannotDo) {
  Loop(
      -1, [&] { Kernel(); }, [&] { Kernel(/*is_on_device=*/false); });
  Loop(
      -1, [&] { Kernel(/*is_on_device=*/true, /*has_side_effect=*/true); }, [&] { Kernel(); });
  Loop(
      -1, [] {}, [] {});
  Conditional(2, [&](int) { Kernel(/*is_on_device=*/false); });
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(ControlRegionsTest, LeavesToTheHostWhatIsMuch) {
  Loop(
      -1, [&] { Kernel(); },
      [&] {
        Loop(
            int64_t{1} << 60, [] {}, [&] { Kernel(); });
      });
  Conditional(100, [&](int) { Kernel(); });
  Conditional(2, [&](int) {
    for (int k = 0; k < 100; ++k) Kernel();
  });
  EXPECT_THAT(Find(), IsEmpty());
}

// Iterations of nothing are none.
TEST_F(ControlRegionsTest, PassesOverEmptyLoops) {
  Loop(
      -1, [&] { Kernel(); },
      [&] {
        Loop(
            int64_t{1} << 60, [&] { Kernel(); }, [] {});
      });
  const std::vector<ControlRegion> regions = Find();
  ASSERT_THAT(regions, SizeIs(1));
  EXPECT_EQ(ThunksOf(regions[0].body), 1);
}

}  // namespace
}  // namespace vulkan
}  // namespace xla
