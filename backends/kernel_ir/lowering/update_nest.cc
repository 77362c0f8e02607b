#include "backends/kernel_ir/lowering/update_nest.h"

#include <algorithm>
#include <functional>

#include "xla_core/ops/window_starts.h"

namespace xla {
namespace {

constexpr int64_t kTileGrain = 64;
// Columns of a scatter's windows that are a tile: at least so many, and so many tiles at most.
constexpr int64_t kMinColumns = 32;
constexpr int64_t kMaxScatterTiles = 16;

bool Contains(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The number of an element in memory, from its index along each dimension.
KernelValue PlaceOf(KernelBuilder& b, const Shape& shape, absl::Span<const KernelValue> index) {
  std::vector<std::pair<int64_t, KernelValue>> terms;
  int64_t stride = 1;
  const std::vector<int> order = PhysicalOrder(shape);
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    if (shape.dimension(*d) != 1) terms.push_back({stride, index[*d]});
    stride *= shape.dimension(*d);
  }
  return b.Affine(terms);
}

// Loops over the dimensions [first, last) of `sizes`, around `body`.
void ForEach(KernelBuilder& b, absl::Span<const int64_t> sizes, bool independent, std::vector<KernelValue>& index,
             size_t first, size_t last, absl::FunctionRef<void()> body) {
  if (first == last) return body();
  b.For(b.Index(sizes[first]), LoopSchedule::kPlain, independent, [&](KernelValue i) {
    index[first] = i;
    ForEach(b, sizes, independent, index, first + 1, last, body);
  });
}

}  // namespace

void WriteUpdate(const ArrayNode& update, const Shape& shape, int buffer, const LoweringTarget& target,
                 ElementEmitter& emitter) {
  const HloInstruction& instruction = *update.instruction;
  const Shape& part = instruction.operand(1)->shape();
  const int rank = part.rank();
  if (part.ElementCount() == 0) return;
  KernelBuilder& b = emitter.builder();
  // The last dimension in memory is the inner loop, all others are one.
  const std::vector<int> order = PhysicalOrder(shape);
  const int64_t inner = rank == 0 ? 1 : part.dimension(order.back());
  const int64_t outer = part.ElementCount() / inner;
  const int64_t rows =
      std::max<int64_t>({1, target.tile_cost / inner, (outer + target.max_tiles - 1) / target.max_tiles});
  const int64_t outer_blocks = (outer + rows - 1) / rows;
  const int64_t wanted = std::max<int64_t>(1, std::min(inner / target.tile_cost, target.max_tiles / outer_blocks));
  const int64_t columns = std::min(inner, ((inner + wanted - 1) / wanted + kTileGrain - 1) / kTileGrain * kTileGrain);
  const int64_t inner_blocks = (inner + columns - 1) / columns;
  b.Phase(outer_blocks * inner_blocks, [&](KernelValue tile) {
    emitter.BeginPhase();
    std::vector<KernelValue> starts(rank);
    const bool vector_form = rank > 0 && instruction.operand(2)->shape().rank() == 1;
    for (int d = 0; d < rank; ++d) {
      starts[d] = b.Index(0);
      const int64_t last = shape.dimension(d) - part.dimension(d);
      if (last == 0) continue;
      ElementIndex place;
      if (vector_form && rank > 1) place.push_back({rank, b.Index(d)});
      starts[d] = emitter.ClampedStart(
          emitter.Emit({instruction.operand(vector_form ? 2 : 2 + d), {}, update.context}, place), last);
    }
    const KernelValue row_block = b.Quotient(tile, inner_blocks);
    const KernelValue column_block = b.Remainder(tile, inner_blocks);
    b.For(BlockExtent(b, outer, rows, row_block), LoopSchedule::kPlain, true, [&](KernelValue i) {
      KernelValue row = b.Affine({{rows, row_block}, {1, i}});
      std::vector<KernelValue> index(rank, b.Index(0));
      for (int k = rank - 2; k >= 0; --k) {
        index[order[k]] = b.Remainder(row, part.dimension(order[k]));
        row = b.Quotient(row, part.dimension(order[k]));
      }
      b.For(BlockExtent(b, inner, columns, column_block), LoopSchedule::kVector, true, [&](KernelValue j) {
        if (rank > 0) index[order.back()] = b.Affine({{columns, column_block}, {1, j}});
        const KernelValue value =
            emitter.Emit({instruction.operand(1), {}, update.context}, IndexArithmetic::Of(part.dimensions(), index));
        std::vector<KernelValue> to(rank);
        for (int d = 0; d < rank; ++d) to[d] = b.Affine({{1, starts[d]}, {1, index[d]}});
        b.Store(buffer, PlaceOf(b, shape, to), value);
      });
    });
  });
}

void WriteScatter(const ArrayNode& scatter, const std::vector<Shape>& shapes, const std::vector<int>& buffers,
                  const LoweringTarget& target, ElementEmitter& emitter) {
  const HloInstruction& instruction = *scatter.instruction;
  const auto& a = instruction.attributes<ScatterAttributes>();
  const int count = instruction.operand_count() / 2;
  const Shape& array = shapes[0];
  const Shape& indices = instruction.operand(count)->shape();
  const Shape& updates = instruction.operand(count + 1)->shape();
  if (updates.ElementCount() == 0 || array.ElementCount() == 0) return;
  KernelBuilder& b = emitter.builder();
  const int rank = updates.rank();

  // Array dimensions that windows have, and index dimensions that count windows, both by update dimension.
  DimensionVector window_dimensions;
  for (int d = 0; d < array.rank(); ++d) {
    if (!Contains(a.inserted_window_dims, d) && !Contains(a.input_batching_dims, d)) window_dimensions.push_back(d);
  }
  const DimensionVector counting = WindowCountingDimensions(indices, a.index_vector_dim);
  std::vector<int> window_of(rank, -1), counted_by(rank, -1);
  for (int d = 0, w = 0, c = 0; d < rank; ++d) {
    if (Contains(a.update_window_dims, d)) {
      window_of[d] = static_cast<int>(window_dimensions[w++]);
    } else {
      counted_by[d] = static_cast<int>(counting[c++]);
    }
  }
  DimensionVector window(array.rank(), 1);
  size_t first_of_part = rank;  // dimensions from here on are within windows
  for (int d = 0; d < rank; ++d) {
    if (window_of[d] >= 0) window[window_of[d]] = updates.dimension(d);
  }
  while (first_of_part > 0 && window_of[first_of_part - 1] >= 0) --first_of_part;

  // Tiles are columns of windows, where all windows have the same: each takes all updates in order.
  const bool has_columns = first_of_part < static_cast<size_t>(rank);
  const int64_t columns = has_columns ? updates.dimension(rank - 1) : 1;
  int64_t block = columns;
  const bool aligned = has_columns && updates.dimension(rank - 1) == array.dimension(window_of[rank - 1]);
  if (aligned && updates.ElementCount() > 4 * target.tile_cost) {
    block = std::min(columns, std::max(kMinColumns, (columns / kMaxScatterTiles + 15) / 16 * 16));
  }
  b.Phase((columns + block - 1) / block, [&](KernelValue tile) {
    emitter.BeginPhase();
    std::vector<KernelValue> index(rank, b.Index(0));
    const std::vector<int64_t> sizes(updates.dimensions().begin(), updates.dimensions().end());
    const KernelValue extent = BlockExtent(b, columns, block, tile);
    ForEach(b, sizes, /*independent=*/false, index, 0, first_of_part, [&] {
      // Where the window starts; the loops within it do not change that, but those of other window dimensions.
      std::vector<KernelValue> base(array.rank(), b.Index(0));
      KernelValue inside = kNoValue;
      for (size_t k = 0; k < a.scatter_dims_to_operand_dims.size(); ++k) {
        const int64_t d = a.scatter_dims_to_operand_dims[k];
        std::vector<KernelValue> at(indices.rank(), b.Index(0));
        for (int u = 0; u < rank; ++u) {
          if (counted_by[u] >= 0) at[counted_by[u]] = index[u];
        }
        if (a.index_vector_dim < indices.rank()) at[a.index_vector_dim] = b.Index(static_cast<int64_t>(k));
        const KernelValue start = emitter.Emit({instruction.operand(count), {}, scatter.context},
                                               IndexArithmetic::Of(indices.dimensions(), at));
        const int64_t last = array.dimension(static_cast<int>(d)) - window[d];
        // Values of u64 beyond s64 are negative here: out of range, as they should be.
        const KernelValue wide = b.Convert(start, S64);
        const KernelValue within = b.InRange(wide, 0, last);
        inside = b.And(inside, within);
        // Not a claim, because what is out of range is computed with too.
        const KernelValue safe = b.Binary(
            HloOpcode::kMaximum, b.Binary(HloOpcode::kMinimum, wide, b.Index(std::max<int64_t>(last, 0))), b.Index(0));
        base[d] = b.AsIndex(safe, 0, std::max<int64_t>(last, 0));
      }
      for (size_t k = 0; k < a.input_batching_dims.size(); ++k) {
        for (int u = 0; u < rank; ++u) {
          if (counted_by[u] == a.scatter_indices_batching_dims[k]) base[a.input_batching_dims[k]] = index[u];
        }
      }
      const auto combine = [&] {
        std::vector<KernelValue> to = base;
        for (int u = 0; u < rank; ++u) {
          if (window_of[u] >= 0) to[window_of[u]] = b.Affine({{1, base[window_of[u]]}, {1, index[u]}});
        }
        ElementEmitter::Values arguments;
        std::vector<KernelValue> places;
        for (int k = 0; k < count; ++k) {
          places.push_back(PlaceOf(b, shapes[k], to));
          arguments.push_back(b.Load(buffers[k], places[k], inside));
        }
        for (int k = 0; k < count; ++k) {
          arguments.push_back(emitter.Emit({instruction.operand(count + 1 + k), {}, scatter.context},
                                           IndexArithmetic::Of(updates.dimensions(), index)));
        }
        const ElementEmitter::Values combined = emitter.Apply(*instruction.called_computation(0), arguments);
        for (int k = 0; k < count; ++k) b.Store(buffers[k], places[k], combined[k], inside);
      };
      if (!has_columns) return combine();
      ForEach(b, sizes, /*independent=*/true, index, first_of_part, rank - 1, [&] {
        b.For(extent, LoopSchedule::kVector, true, [&](KernelValue i) {
          index[rank - 1] = b.Affine({{block, tile}, {1, i}});
          combine();
        });
      });
    });
  });
}

}  // namespace xla
