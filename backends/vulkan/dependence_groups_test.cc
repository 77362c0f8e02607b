#include "backends/vulkan/dependence_groups.h"

#include "gtest/gtest.h"

namespace xla {
namespace vulkan {
namespace {

constexpr BufferSlice At(int64_t offset, int64_t bytes = 8, int32_t base = BufferSlice::kArena) {
  return {base, offset, bytes};
}

TEST(DependenceGroups, PutsIndependentCommandsTogether) {
  DependenceGroups groups;
  EXPECT_EQ(groups.Place({}, {At(0)}), 0);
  EXPECT_EQ(groups.Place({}, {At(8)}), 0);
  EXPECT_EQ(groups.Place({At(0), At(8)}, {At(16)}), 1);
  EXPECT_EQ(groups.Place({}, {At(24)}), 0) << "after one that waits";
  EXPECT_EQ(groups.Place({At(24)}, {At(0, 8, 5)}), 1) << "the same offset of another base";
  EXPECT_EQ(groups.Place({At(0), At(8)}, {At(32)}), 1) << "several may read";
}

TEST(DependenceGroups, KeepsTheOrderOfReadsAndWritesOfAByte) {
  DependenceGroups groups;
  EXPECT_EQ(groups.Place({}, {At(0, 16)}), 0);
  EXPECT_EQ(groups.Place({At(8, 4)}, {At(100)}), 1);
  EXPECT_EQ(groups.Place({}, {At(11, 1)}), 2) << "what was read is overwritten";
  EXPECT_EQ(groups.Place({}, {At(12, 4)}), 1) << "what was not read";
  EXPECT_EQ(groups.Place({At(0, 16)}, {At(200)}), 3);
  EXPECT_EQ(groups.Place({At(200)}, {At(200)}), 4) << "in place";
  EXPECT_EQ(groups.Place({At(0, 0)}, {}), 0) << "nothing";
}

TEST(DependenceGroups, GivesACommandSeveralGroups) {
  DependenceGroups groups;
  EXPECT_EQ(groups.Place({}, {At(0)}, 3), 0);
  EXPECT_EQ(groups.Place({At(0)}, {At(8)}), 3);
  EXPECT_EQ(groups.Place({}, {At(16)}), 0);
}

TEST(DependenceGroups, LeavesACommandAlone) {
  DependenceGroups groups;
  EXPECT_EQ(groups.Place({}, {At(0)}), 0);
  EXPECT_EQ(groups.PlaceAlone(2), 1);
  EXPECT_EQ(groups.Place({}, {At(8)}), 3);
}

}  // namespace
}  // namespace vulkan
}  // namespace xla
