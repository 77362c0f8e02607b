// WindowTiles: what each device reads of a dimension that a window moves over, and the window that it has there.
//
// A convolution, a reduce-window, a pad and a slice read, for output o and tap t of a window,
//
//   row (o * stride + t * window_dilation - padding_low) / base_dilation
//
// of the operand, if that is a whole number and there is such a row; elsewhere is padding. So a tile of the outputs
// reads a range of rows, which begins a little before the operand's own tile and ends a little after it:
//
//   8 rows in 4 tiles, window of 3, padding 1_1          tile 0     tile 1     tile 2     tile 3
//     outputs                                            0..1       2..3       4..5       6..7
//     rows that they read                                (-1)0..2   1..4       3..6       5..7(8)
//     window over these rows alone                       pad=1_0    pad=0_0    pad=0_0    pad=0_1
//
// A gradient of a kernel is a convolution whose window is as large as its input, and whose outputs are few: there the
// taps are cut, each tile has a part of every sum, and what it reads is a range of rows, too.
//
// Rows (-1) and 8 do not exist. Where nothing that a row could hold leaves results as they are (zeros do not, if the
// kernel is infinite), a tile has only the rows that exist, and a window of another padding: another *form*. Where
// something does, all tiles read as many rows, those that do not exist are filled, and one form does for all of them,
// unless phases of dilation differ.
#ifndef PASSES_PARTITIONING_WINDOW_TILES_H_
#define PASSES_PARTITIONING_WINDOW_TILES_H_

#include <cstdint>
#include <vector>

#include "xla_core/ir/attributes.h"
#include "xla_core/support/checked_math.h"

namespace xla {

// A dimension that a window moves over, as a whole.
struct WindowReach {
  int dimension = 0;       // which of the instruction's window, padding or ranges
  WindowDimension window;  // its size is the number of taps
  int64_t rows = 0;        // of the operand
  int64_t outputs = 0;
  // Tiles are ranges of taps, in the order of the kernel, instead of ranges of outputs.
  bool is_by_taps = false;
  // A value is known for rows that do not exist.
  bool is_filled = false;

  int64_t size() const { return is_by_taps ? window.size : outputs; }  // of what is cut
};

// What a tile's instruction looks like, along one dimension.
struct WindowForm {
  int64_t begin = 0;  // the first row that it reads, counted from the first that the device has
  int64_t rows = 0;   // how many; 0: it sees padding only
  WindowDimension
      window;  // over these rows alone; its size is also the number of taps that the tile has, from the first

  bool operator==(const WindowForm& o) const { return begin == o.begin && rows == o.rows && window == o.window; }
};

class WindowTiles {
 public:
  // More forms than this make a program larger than they make it faster.
  static constexpr int kMostForms = 16;
  // Each hop is a collective of its own, which takes its time however few rows it sends.
  static constexpr int64_t kMostHops = 8;

  // Whether it can be cut into that many tiles: there are as many outputs, or taps, and not too many forms.
  static bool Allows(const WindowReach& reach, int64_t tiles);
  // Allows(reach, tiles).
  WindowTiles(const WindowReach& reach, int64_t tiles);

  // The rows that every tile has: `row_count()` from starts()[tile] on. They include those that do not exist, before
  // the first row or after the last.
  int64_t row_count() const { return row_count_; }
  const std::vector<int64_t>& starts() const { return starts_; }
  // Whether those that do not exist have to be filled, which is where there are some.
  bool is_filled() const { return is_filled_; }
  int64_t operand_rows() const { return reach_.rows; }
  // How many tiles have outputs that exist, or taps: the first ones.
  int64_t used_tiles() const { return reach_.is_by_taps ? tiles_ : CeilDiv(reach_.outputs, size_); }

  const std::vector<WindowForm>& forms() const { return forms_; }
  const std::vector<int>& form_of_tile() const { return form_of_tile_; }

  // Where the operand is cut in the same way: how many rows before and after its shard a device needs. The most of all.
  int64_t rows_before() const { return rows_before_; }
  int64_t rows_after() const { return rows_after_; }
  // How many shards away the farthest of them are, on both sides together.
  int64_t hop_count() const { return CeilDiv(rows_before_, shard_rows_) + CeilDiv(rows_after_, shard_rows_); }
  // For one tile.
  int64_t RowsBefore(int64_t tile) const;
  int64_t RowsAfter(int64_t tile) const;

 private:
  struct Range {
    int64_t first = 0;
    int64_t count = 0;
    WindowDimension window;
  };

  // What a tile reads. Rows that do not exist count unless they are `clipped`.
  Range RangeOf(int64_t tile, bool clipped) const;
  // No output of the tile exists, so it does not matter what it computes.
  bool IsUnused(int64_t tile) const { return tile >= used_tiles(); }
  void ChooseStarts();
  void ChooseForms();

  WindowReach reach_;
  int64_t tiles_;
  int64_t size_;        // outputs, or taps, of a tile
  int64_t shard_rows_;  // of the operand, if it is cut
  bool is_filled_ = false;
  int64_t row_count_ = 0;
  int64_t rows_before_ = 0;
  int64_t rows_after_ = 0;
  std::vector<int64_t> starts_;
  std::vector<WindowForm> forms_;
  std::vector<int> form_of_tile_;
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_WINDOW_TILES_H_
