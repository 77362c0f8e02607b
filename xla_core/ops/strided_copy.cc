#include "xla_core/ops/strided_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "xla_core/support/checked_math.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

// A block is what one thread copies before it asks for more, and what the deadline waits for: some 20 microseconds.
constexpr int64_t kBlockElements = 1 << 15;
// Columns of a block of a transpose, so that its rows, too, are many tiles long.
constexpr int64_t kTiledBlockColumns = 256;
// Side of the tiles of a transpose in bytes: one cache line on either side.
constexpr int64_t kTileBytes = 64;
// Shorter runs than this are cheaper as a loop than as a call of memcpy.
constexpr int64_t kShortRun = 16;

// Rows that lie densely on both sides. memcpy takes longer to call than to copy a few elements.
template <typename T>
void CopyRuns(const void* from_bytes, void* to_bytes, const CopyDimension& rows, const CopyDimension& columns) {
  const T* from = static_cast<const T*>(from_bytes);
  T* to = static_cast<T*>(to_bytes);
  const int64_t n = columns.size;
  for (int64_t r = 0; r < rows.size; ++r) {
    if (n < kShortRun) {
      for (int64_t c = 0; c < n; ++c) to[c] = from[c];
    } else {
      std::memcpy(to, from, n * sizeof(T));
    }
    from += rows.from_stride;
    to += rows.to_stride;
  }
}

template <typename T>
void CopyFills(const void* from_bytes, void* to_bytes, const CopyDimension& rows, const CopyDimension& columns) {
  const T* from = static_cast<const T*>(from_bytes);
  T* to = static_cast<T*>(to_bytes);
  for (int64_t r = 0; r < rows.size; ++r) {
    std::fill_n(to, columns.size, *from);
    from += rows.from_stride;
    to += rows.to_stride;
  }
}

template <typename T>
void CopyLines(const void* from_bytes, void* to_bytes, const CopyDimension& rows, const CopyDimension& columns) {
  const T* from = static_cast<const T*>(from_bytes);
  T* to = static_cast<T*>(to_bytes);
  for (int64_t r = 0; r < rows.size; ++r) {
    for (int64_t c = 0; c < columns.size; ++c) to[c * columns.to_stride] = from[c * columns.from_stride];
    from += rows.from_stride;
    to += rows.to_stride;
  }
}

// Rows are consecutive in the source, columns in the target.
template <typename T>
void CopyTiles(const void* from_bytes, void* to_bytes, const CopyDimension& rows, const CopyDimension& columns) {
  constexpr int64_t kTile = std::max<int64_t>(8, kTileBytes / sizeof(T));
  const T* from = static_cast<const T*>(from_bytes);
  T* to = static_cast<T*>(to_bytes);
  for (int64_t column = 0; column < columns.size; column += kTile) {
    const int64_t width = std::min(kTile, columns.size - column);
    for (int64_t row = 0; row < rows.size; row += kTile) {
      const int64_t height = std::min(kTile, rows.size - row);
      const T* tile_from = from + row + column * columns.from_stride;
      T* tile_to = to + row * rows.to_stride + column;
      for (int64_t r = 0; r < height; ++r) {
        for (int64_t c = 0; c < width; ++c) tile_to[r * rows.to_stride + c] = tile_from[r + c * columns.from_stride];
      }
    }
  }
}

// Sorts by target stride, slowest first, and joins dimensions that are one on both sides. Returns false if there is
// nothing to copy.
bool Simplify(absl::Span<const CopyDimension> dimensions, CopyDimensions* simple) {
  for (const CopyDimension& dimension : dimensions) {
    if (dimension.size == 0) return false;
    if (dimension.size > 1) simple->push_back(dimension);
  }
  std::stable_sort(simple->begin(), simple->end(),
                   [](const CopyDimension& a, const CopyDimension& b) { return a.to_stride > b.to_stride; });
  size_t last = 0;
  for (size_t i = 1; i < simple->size(); ++i) {
    CopyDimension& outer = (*simple)[last];
    const CopyDimension inner = (*simple)[i];
    if (outer.from_stride == inner.from_stride * inner.size && outer.to_stride == inner.to_stride * inner.size) {
      outer = {outer.size * inner.size, inner.from_stride, inner.to_stride};
    } else {
      (*simple)[++last] = inner;
    }
  }
  if (!simple->empty()) simple->resize(last + 1);
  return true;
}

// Which dimension is walked next to the innermost one: in a transpose the one along which the source is dense, else the
// next in order.
int ChooseRows(const CopyDimensions& dimensions) {
  const int last = static_cast<int>(dimensions.size()) - 1;
  if (std::abs(dimensions[last].from_stride) > 1 && dimensions[last].to_stride == 1) {
    for (int d = 0; d < last; ++d) {
      if (dimensions[d].from_stride == 1) return d;
    }
  }
  return last - 1;
}

}  // namespace

template <typename T>
StridedCopy::Kernel StridedCopy::ChooseKernel(const CopyDimension& rows, const CopyDimension& columns) {
  const bool dense_target = columns.to_stride == 1;
  if (columns.size == 1 || (dense_target && columns.from_stride == 1)) return &CopyRuns<T>;
  if (dense_target && columns.from_stride == 0) return &CopyFills<T>;
  if (dense_target && rows.size > 1 && rows.from_stride == 1) return &CopyTiles<T>;
  return &CopyLines<T>;
}

// The last dimension of the target becomes columns, the best of the others rows, and the rest an outer grid. A copy
// that reads along rows and writes along columns is a transpose and goes in tiles.
StridedCopy::StridedCopy(PrimitiveType type, absl::Span<const CopyDimension> dimensions) : width_(ByteWidth(type)) {
  CopyDimensions simple;
  if (!Simplify(dimensions, &simple)) {
    blocks_ = 0;
    return;
  }
  if (!simple.empty()) {
    columns_ = simple.back();
    if (simple.size() > 1) {
      const int rows = ChooseRows(simple);
      rows_ = simple[rows];
      simple.erase(simple.begin() + rows);
    }
    simple.pop_back();
  }
  kernel_ = DispatchByWidth(type, [&](auto tag) { return ChooseKernel<TagType<decltype(tag)>>(rows_, columns_); });
  const bool tiled = columns_.from_stride != 1 && rows_.from_stride == 1;
  block_columns_ = std::min(columns_.size, tiled ? kTiledBlockColumns : kBlockElements);
  block_rows_ = std::min(rows_.size, kBlockElements / block_columns_);
  blocks_ = CeilDiv(rows_.size, block_rows_) * CeilDiv(columns_.size, block_columns_);
  for (const CopyDimension& d : simple) {
    outer_.push_back({d.size, {d.from_stride, d.to_stride}});
    blocks_ *= d.size;
  }
}

// Blocks are numbered with columns fastest, so a range of blocks is a contiguous part of the target.
void StridedCopy::RunBlocks(int64_t begin, int64_t end, const char* from, char* to) const {
  const int64_t row_blocks = CeilDiv(rows_.size, block_rows_);
  const int64_t column_blocks = CeilDiv(columns_.size, block_columns_);
  int64_t column_block = begin % column_blocks;
  int64_t row_block = begin / column_blocks % row_blocks;
  GridWalk<2> outer(outer_, begin / column_blocks / row_blocks);
  for (int64_t block = begin; block < end; ++block) {
    const int64_t row = row_block * block_rows_;
    const int64_t column = column_block * block_columns_;
    CopyDimension rows = rows_;
    CopyDimension columns = columns_;
    rows.size = std::min(block_rows_, rows_.size - row);
    columns.size = std::min(block_columns_, columns_.size - column);
    const int64_t from_offset = outer.offset(0) + row * rows_.from_stride + column * columns_.from_stride;
    const int64_t to_offset = outer.offset(1) + row * rows_.to_stride + column * columns_.to_stride;
    kernel_(from + from_offset * width_, to + to_offset * width_, rows, columns);
    if (++column_block < column_blocks) continue;
    column_block = 0;
    if (++row_block < row_blocks) continue;
    row_block = 0;
    outer.Next();
  }
}

void StridedCopy::Run(const void* from, void* to) const {
  if (blocks_ == 0) return;
  if (blocks_ == 1) return kernel_(from, to, rows_, columns_);
  RunBlocks(0, blocks_, static_cast<const char*>(from), static_cast<char*>(to));
}

absl::Status StridedCopy::Run(const void* from, void* to, EvalContext& context) const {
  const int64_t block_elements = block_rows_ * block_columns_;
  const int64_t grain = std::max<int64_t>(1, kBlockElements / block_elements);
  if (blocks_ <= grain) {
    Run(from, to);
    return absl::OkStatus();
  }
  return context.ParallelFor(blocks_, grain, [&](int64_t begin, int64_t end) {
    RunBlocks(begin, end, static_cast<const char*>(from), static_cast<char*>(to));
  });
}

DimensionVector RowMajorStrides(const Shape& shape) {
  DimensionVector strides(shape.rank(), 0);
  if (shape.ElementCount() == 0) return strides;
  int64_t stride = 1;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= shape.dimension(d);
  }
  return strides;
}

}  // namespace xla
