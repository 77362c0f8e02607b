#include "passes/partitioning/window_tiles.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::ElementsAre;

WindowReach Reach(int64_t rows, int64_t outputs, const WindowDimension& window) {
  WindowReach reach;
  reach.window = window;
  reach.rows = rows;
  reach.outputs = outputs;
  return reach;
}

WindowDimension Taps(int64_t size, int64_t padding_low, int64_t padding_high) {
  WindowDimension window;
  window.size = size;
  window.padding_low = padding_low;
  window.padding_high = padding_high;
  return window;
}

// The example at the head of window_tiles.h.
TEST(WindowTiles, HaveFormsForBothEndsAndTheMiddle) {
  const WindowTiles tiles(Reach(8, 8, Taps(3, 1, 1)), 4);
  EXPECT_EQ(tiles.row_count(), 4);
  EXPECT_THAT(tiles.starts(), ElementsAre(-1, 1, 3, 5));
  EXPECT_THAT(tiles.form_of_tile(), ElementsAre(0, 1, 1, 2));
  EXPECT_EQ(tiles.forms()[0], (WindowForm{1, 3, Taps(3, 1, 0)}));
  EXPECT_EQ(tiles.forms()[1], (WindowForm{0, 4, Taps(3, 0, 0)}));
  EXPECT_EQ(tiles.forms()[2], (WindowForm{0, 3, Taps(3, 0, 1)}));
  EXPECT_EQ(tiles.rows_before(), 1);
  EXPECT_EQ(tiles.rows_after(), 1);
  EXPECT_EQ(tiles.RowsBefore(0), 0);
  EXPECT_EQ(tiles.RowsAfter(3), 0);
}

TEST(WindowTiles, HaveOneFormWhereRowsAreFilled) {
  WindowReach reach = Reach(8, 8, Taps(3, 1, 1));
  reach.is_filled = true;
  const WindowTiles tiles(reach, 4);
  EXPECT_TRUE(tiles.is_filled());
  EXPECT_THAT(tiles.forms(), ElementsAre(WindowForm{0, 4, Taps(3, 0, 0)}));
}

// 5 outputs in 4 tiles of 2: the last tile has none.
TEST(WindowTiles, NeedNothingForOutputsThatDoNotExist) {
  const WindowTiles tiles(Reach(5, 5, Taps(3, 1, 1)), 4);
  EXPECT_EQ(tiles.used_tiles(), 3);
  EXPECT_EQ(tiles.form_of_tile()[3], 0);
  EXPECT_EQ(tiles.RowsBefore(3), 0);
}

// Outputs 3 to 5 of a window over rows that are 2 apart begin between two rows.
TEST(WindowTiles, HaveFormsForPhasesOfDilation) {
  WindowDimension window = Taps(2, 0, 0);
  window.base_dilation = 2;
  WindowReach reach = Reach(4, 6, window);
  reach.is_filled = true;
  const WindowTiles tiles(reach, 2);
  EXPECT_THAT(tiles.starts(), ElementsAre(0, 2));
  ASSERT_EQ(tiles.forms().size(), 2);
  EXPECT_EQ(tiles.forms()[0].window.padding_high, 1);
  EXPECT_EQ(tiles.forms()[1].window.padding_low, 1);
}

// 5 taps in 2 tiles: 3 and 2. A reversed window has the last taps first.
TEST(WindowTiles, AreRangesOfTaps) {
  WindowReach reach = Reach(5, 1, Taps(5, 0, 0));
  reach.is_by_taps = true;
  const WindowTiles straight(reach, 2);
  EXPECT_THAT(straight.forms(), ElementsAre(WindowForm{0, 3, Taps(3, 0, 0)}, WindowForm{0, 2, Taps(2, 0, 0)}));
  EXPECT_THAT(straight.starts(), ElementsAre(0, 3));
  reach.window.window_reversal = true;
  EXPECT_THAT(WindowTiles(reach, 2).starts(), ElementsAre(2, 0));
}

// The first of 2 tiles of 2 outputs lies in the padding.
TEST(WindowTiles, MaySeePaddingOnly) {
  const WindowTiles tiles(Reach(2, 4, Taps(1, 2, 0)), 2);
  EXPECT_EQ(tiles.forms()[tiles.form_of_tile()[0]].rows, 0);
  EXPECT_EQ(tiles.forms()[tiles.form_of_tile()[1]].rows, 2);
}

TEST(WindowTiles, AreNotAllowedWhereThereAreTooFewOrTooMany) {
  EXPECT_TRUE(WindowTiles::Allows(Reach(8, 8, Taps(3, 1, 1)), 8));
  EXPECT_FALSE(WindowTiles::Allows(Reach(8, 3, Taps(6, 0, 0)), 4));
  // A sum of all elements before, in as many forms as tiles.
  EXPECT_TRUE(WindowTiles::Allows(Reach(64, 64, Taps(64, 63, 0)), 8));
  EXPECT_FALSE(WindowTiles::Allows(Reach(64, 64, Taps(64, 63, 0)), 32));
  EXPECT_FALSE(WindowTiles::Allows(Reach(int64_t{1} << 40, int64_t{1} << 40, Taps(3, 1, 1)), 2));
}

}  // namespace
}  // namespace xla
