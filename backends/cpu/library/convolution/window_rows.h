// How the windows of a convolution become rows of a matrix without being copied one by one.
//
// Where features are last, what a window meets in a line of the image lies together, and the same place of the next
// window is equally far away for all windows of a line. So a line of the result is a *run* of rows that lie `row_bytes`
// apart, of which each is in *parts*, at the same distances from all rows: one for each line of the window.
//
//   window of 3x3, 64 features: 3 parts of 3 * 64 bytes, the width of the image * 64 bytes apart; row_bytes 64
//
// Where windows leave the image, or it is spread, the image is copied first, with zeros around and in between. Lines of
// the copy may have what each window meets there, one window after the other: with that, lines of the result follow
// each other as rows do, so that narrow images have long runs, too.
#ifndef BACKENDS_CPU_LIBRARY_CONVOLUTION_WINDOW_ROWS_H_
#define BACKENDS_CPU_LIBRARY_CONVOLUTION_WINDOW_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "backends/cpu/library/convolution/direct_convolution.h"

namespace xla {

// Elements have one byte.
struct WindowRows {
  // Runs of rows, all as long; in the order of the result.
  int64_t run_rows, row_bytes;
  struct RunAxis {
    int64_t count, bytes;
  };
  absl::InlinedVector<RunAxis, 4> run_axes;  // outermost first
  int64_t first;                             // bytes from the input or its copy to the first row
  std::vector<int64_t> parts;                // bytes from a row, in the order of the kernel
  int64_t part_bytes;                        // of which the multiplication reads whole steps

  // Of the copy, bytes of an image's first input that come to each place, or -1 for zeros: a list for each axis.
  bool is_copied = false;
  std::vector<std::vector<int64_t>> places;

  int64_t RunCount() const;
  // Bytes from the input or its copy to the first row of a run.
  int64_t RunStart(int64_t run) const;
  // Of the copy: those of a line of the last axis, and how many lines there are.
  int64_t LineBytes(const DirectConvolution& c) const;
  int64_t LineCount(const DirectConvolution& c) const;
  // Writes lines [begin, end) of the copy.
  void CopyLines(const DirectConvolution& c, const char* input, int64_t begin, int64_t end, char* copy) const;
};

// The way that should take least time. For 8-bit elements, one group, features last in the input, and at least one
// axis; `step` are the bytes of a row that are multiplied together, of `tile_rows` rows.
WindowRows WindowRowsOf(const DirectConvolution& c, int64_t step, int64_t tile_rows);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_CONVOLUTION_WINDOW_ROWS_H_
