#include "xla_core/ops/reduce_loops.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "xla_core/ops/box_walk.h"
#include "xla_core/ops/parallel_status.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Elements that a block of work should fold, so that it is worth handing to another thread. Rows longer than this are
// cut into pieces of this size, whose results meet in order.
constexpr int64_t kElementsPerBlock = 1 << 16;

// Walks through the rows of one result, that is through the reduced dimensions but the innermost.
BoxWalk RowsOf(const ReduceNest& nest) {
  return BoxWalk(DimensionVector(nest.reduced_sizes.begin(), nest.reduced_sizes.end() - 1),
                 DimensionVector(nest.reduced_strides.begin(), nest.reduced_strides.end() - 1));
}

// One result whose rows are cut into pieces, side by side on all threads.
absl::Status FoldLongRows(const ReduceNest& nest, HloOpcode op, const FoldedArray& array, int64_t source, int64_t place,
                          EvalContext& context) {
  constexpr int64_t kPiecesAtATime = 256;
  const int64_t row = nest.reduced_sizes.back();
  const int64_t pieces = CeilDiv(row, kElementsPerBlock);
  std::vector<std::unique_ptr<RowFold>> partial(std::min(pieces, kPiecesAtATime));
  for (std::unique_ptr<RowFold>& fold : partial) fold = MakeKnownFold(op, array);
  const std::unique_ptr<RowFold> total = MakeKnownFold(op, array);
  total->Start(1);
  BoxWalk rows = RowsOf(nest);
  do {
    for (int64_t first = 0; first < pieces; first += kPiecesAtATime) {
      const int64_t count = std::min(kPiecesAtATime, pieces - first);
      RETURN_IF_ERROR(context.ParallelFor(count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t start = (first + i) * kElementsPerBlock;
          partial[i]->StartEmpty();
          partial[i]->FoldRow(source + rows.offset() + start, std::min(kElementsPerBlock, row - start));
        }
      }));
      for (int64_t i = 0; i < count; ++i) total->Merge(*partial[i]);
    }
  } while (rows.Next());
  total->Store(&place, 1, 0);
  return absl::OkStatus();
}

// The innermost dimension is reduced: each result folds contiguous rows.
absl::Status FoldRows(const ReduceNest& nest, HloOpcode op, const FoldedArray& array, EvalContext& context) {
  const int64_t row = nest.reduced_sizes.back();
  if (MayReorder(op, array.type) && row > kElementsPerBlock) {
    BoxWalk source(nest.kept_sizes, nest.kept_strides);
    BoxWalk place(nest.kept_sizes, nest.result_strides);
    do {
      RETURN_IF_ERROR(FoldLongRows(nest, op, array, source.offset(), place.offset(), context));
    } while (source.Next() && place.Next());
    return absl::OkStatus();
  }
  const int64_t grain = std::max<int64_t>(1, kElementsPerBlock / nest.reduced_count);
  return context.ParallelFor(nest.kept_count, grain, [&](int64_t begin, int64_t end) {
    const std::unique_ptr<RowFold> fold = MakeKnownFold(op, array);
    BoxWalk source(nest.kept_sizes, nest.kept_strides);
    BoxWalk place(nest.kept_sizes, nest.result_strides);
    source.Seek(begin);
    place.Seek(begin);
    BoxWalk rows = RowsOf(nest);  // after its last row it is at its first again
    for (int64_t i = begin; i < end; ++i, source.Next(), place.Next()) {
      fold->Start(1);
      do {
        fold->FoldRow(source.offset() + rows.offset(), row);
      } while (rows.Next());
      const int64_t result = place.offset();
      fold->Store(&result, 1, 0);
    }
  });
}

// The innermost dimension is kept: rows of neighbouring results take rows of neighbouring elements.
absl::Status FoldColumns(const ReduceNest& nest, HloOpcode op, const FoldedArray& array, EvalContext& context) {
  // One result at a time if their elements are not neighbours, which takes a dynamic size.
  const int64_t columns = nest.kept_strides.back() == 1 ? kMaxLanes : 1;
  const int64_t width = nest.kept_sizes.back();
  const int64_t blocks_per_row = CeilDiv(width, columns);
  const int64_t last_size = nest.reduced_sizes.back();
  const int64_t last_stride = nest.reduced_strides.back();
  std::array<int64_t, kMaxLanes> neighbours;
  for (int64_t l = 0; l < kMaxLanes; ++l) neighbours[l] = l;
  const int64_t grain = std::max<int64_t>(1, kElementsPerBlock / std::min(columns, width) / nest.reduced_count);
  return context.ParallelFor(nest.kept_count / width * blocks_per_row, grain, [&](int64_t begin, int64_t end) {
    const std::unique_ptr<RowFold> fold = MakeKnownFold(op, array);
    BoxWalk source(nest.kept_sizes, nest.kept_strides);
    BoxWalk place(nest.kept_sizes, nest.result_strides);
    BoxWalk rows = RowsOf(nest);
    for (int64_t block = begin; block < end; ++block) {
      const int64_t column = block % blocks_per_row * columns;
      const int64_t n = std::min(columns, width - column);
      source.Seek(block / blocks_per_row * width + column);
      place.Seek(block / blocks_per_row * width + column);
      fold->Start(n);
      do {
        int64_t offset = source.offset() + rows.offset();
        for (int64_t i = 0; i < last_size; ++i, offset += last_stride) fold->StepRow(offset, n);
      } while (rows.Next());
      fold->Store(neighbours.data(), n, place.offset());
    }
  });
}

}  // namespace

// kMaxLanes results at a time: each step takes one more element for every lane, so that a call of the function serves
// many.
absl::Status FoldByFunction(const ReduceNest& nest, const ScalarFunction& reducer, absl::Span<const FoldedArray> arrays,
                            EvalContext& context) {
  const auto fold_block = [&](int64_t begin, int64_t end) -> absl::Status {
    FunctionFold fold(reducer, arrays, context);
    BoxWalk sources(nest.kept_sizes, nest.kept_strides);
    BoxWalk places(nest.kept_sizes, nest.result_strides);
    sources.Seek(begin);
    places.Seek(begin);
    std::array<int64_t, kMaxLanes> lane_sources, lane_places;
    for (int64_t done = begin; done < end; done += kMaxLanes) {
      const int64_t n = std::min<int64_t>(kMaxLanes, end - done);
      for (int64_t l = 0; l < n; ++l, sources.Next(), places.Next()) {
        lane_sources[l] = sources.offset();
        lane_places[l] = places.offset();
      }
      fold.Start(n);
      BoxWalk elements(nest.reduced_sizes, nest.reduced_strides);
      int64_t steps = 0;
      do {
        if (++steps % 1024 == 0) RETURN_IF_ERROR(context.CheckDeadline());
        RETURN_IF_ERROR(fold.Step(lane_sources.data(), n, elements.offset()));
      } while (elements.Next());
      fold.Store(lane_places.data(), n, 0);
    }
    return absl::OkStatus();
  };
  const int64_t grain = kMaxLanes * std::max<int64_t>(1, kElementsPerBlock / kMaxLanes / nest.reduced_count);
  if (!reducer.is_compiled()) return SerialForStatus(context, nest.kept_count, grain, fold_block);
  return ParallelForStatus(context, nest.kept_count, grain, fold_block);
}

absl::Status FoldByKnownReducer(const ReduceNest& nest, HloOpcode op, const FoldedArray& array, EvalContext& context) {
  return nest.reduced_strides.back() == 1 ? FoldRows(nest, op, array, context) : FoldColumns(nest, op, array, context);
}

}  // namespace xla
