#include "backends/plan/memory_contents.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(MemoryContents, KnowsWhatWasWrittenLast) {
  MemoryContents contents;
  EXPECT_FALSE(contents.Holds(0, 8, 1));
  EXPECT_TRUE(contents.Holds(8, 8, 1)) << "no byte is missing";
  contents.Write(0, 16, 1);
  contents.Write(4, 8, 2);
  EXPECT_TRUE(contents.Holds(0, 4, 1));
  EXPECT_TRUE(contents.Holds(4, 8, 2));
  EXPECT_TRUE(contents.Holds(8, 16, 1));
  EXPECT_FALSE(contents.Holds(0, 16, 1));
  EXPECT_FALSE(contents.Holds(8, 17, 1));
  EXPECT_THAT(contents.ValuesInsteadOf(0, 16, 1), ElementsAre(2));
  EXPECT_THAT(contents.ValuesInsteadOf(16, 20, 1), IsEmpty());
}

TEST(MemoryContents, JoinsWhatWasWrittenInParts) {
  MemoryContents contents;
  contents.Write(0, 4, 1);
  contents.Write(4, 8, 1);
  EXPECT_TRUE(contents.Holds(0, 8, 1));
  contents.Erase(3, 5);
  EXPECT_FALSE(contents.Holds(0, 8, 1));
  EXPECT_TRUE(contents.Holds(5, 8, 1));
}

TEST(MemoryContents, BytesHaveSeveralNames) {
  MemoryContents contents;
  contents.Write(0, 8, 5);
  contents.AddName(0, 8, 3);
  contents.AddName(0, 8, 3);
  EXPECT_TRUE(contents.Holds(0, 8, 3));
  EXPECT_TRUE(contents.Holds(0, 8, 5));
  EXPECT_THAT(contents.ValuesInsteadOf(0, 8, 9), ElementsAre(3, 5));
  contents.RemoveName(0, 4, 5);
  EXPECT_FALSE(contents.Holds(0, 4, 5));
  EXPECT_TRUE(contents.Holds(4, 8, 5));
  EXPECT_TRUE(contents.Holds(0, 8, 3));
  contents.AddName(100, 108, 3);
  EXPECT_FALSE(contents.Holds(100, 108, 3)) << "what holds nothing has no name";
}

TEST(MemoryContents, MeetsInWhatBothHold) {
  MemoryContents some;
  some.Write(0, 8, 1);
  some.AddName(0, 8, 2);
  MemoryContents others = some;
  EXPECT_FALSE(some.MeetWith(others));
  others.RemoveName(0, 8, 1);
  others.Write(6, 10, 1);
  EXPECT_TRUE(some.MeetWith(others));
  EXPECT_TRUE(some.Holds(0, 6, 2));
  EXPECT_TRUE(some.Holds(6, 8, 1));
  EXPECT_FALSE(some.Holds(0, 6, 1));
  EXPECT_FALSE(some.Holds(6, 8, 2));
  EXPECT_FALSE(some.Holds(8, 10, 1));
  EXPECT_FALSE(some.MeetWith(others));
}

}  // namespace
}  // namespace xla
