// ScatterTiles: what each device needs of a dimension that the window of a select-and-scatter moves over.
//
// A tile of the result gets what the windows that reach into it scatter. To know which element each of them selects,
// the device looks at all of their elements, also those of neighbouring tiles, and needs their sources:
//
//   8 rows in 2 tiles, windows of 3 with stride 2 and padding 1_0        tile 0: rows 0..3     tile 1: rows 4..7
//     windows that reach into the tile                                   0..2                  2..3
//     rows that they look at                                             (-1)0..5              3..7
//     window over rows and sources of these alone                        pad=1_0               pad=0_0
//
// Rows that do not exist can never be selected, so tiles at either end have a window of another padding: another
// *form*.
#ifndef PASSES_PARTITIONING_SCATTER_TILES_H_
#define PASSES_PARTITIONING_SCATTER_TILES_H_

#include <cstdint>
#include <vector>

#include "passes/partitioning/window_tiles.h"
#include "xla_core/ir/attributes.h"

namespace xla {

// The select-and-scatter of a tile, along one dimension. Rows and sources are counted from the first that the device
// has.
struct ScatterForm {
  int64_t first_row = 0;
  int64_t rows = 0;
  int64_t first_source = 0;
  int64_t sources = 0;  // 0: no window reaches into the tile
  WindowDimension window;
  // Those of the tile, counted from first_row on.
  int64_t first_own = 0;
  int64_t own_rows = 0;

  bool operator==(const ScatterForm& o) const;
};

class ScatterTiles {
 public:
  // More forms along one dimension make a program larger than they make it faster.
  static constexpr size_t kMostForms = 4;

  // `reach`: the window, rows of the operand and outputs, which are the sources.
  static bool Allows(const WindowReach& reach, int64_t tiles);
  // Allows(reach, tiles).
  ScatterTiles(const WindowReach& reach, int64_t tiles);

  // What the device has of the operand and of the sources, which are cut along the dimension or whole.
  const WindowTiles& rows() const { return rows_; }
  const WindowTiles& sources() const { return sources_; }
  const std::vector<ScatterForm>& forms() const { return forms_; }
  const std::vector<int>& form_of_tile() const { return form_of_tile_; }

 private:
  ScatterForm FormOf(const WindowReach& reach, int64_t tile) const;

  const int64_t shard_rows_;
  WindowTiles rows_;
  WindowTiles sources_;
  std::vector<ScatterForm> forms_;
  std::vector<int> form_of_tile_;
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_SCATTER_TILES_H_
