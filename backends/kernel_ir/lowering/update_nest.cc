#include "backends/kernel_ir/lowering/update_nest.h"

#include <algorithm>
#include <functional>

#include "xla_core/ops/window_starts.h"

namespace xla {
namespace {

constexpr int64_t kTileGrain = 64;
// Columns of a scatter's windows that are a tile: at least so many, and so many tiles at most.
constexpr int64_t kMinColumns = 64;
constexpr int64_t kMaxScatterTiles = 8;
// Updates for which it is computed together where their windows start.
constexpr int64_t kStartsAtOnce = 256;

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

namespace {

class ScatterWriter {
 public:
  ScatterWriter(const ArrayNode& scatter, const std::vector<Shape>& shapes, const std::vector<int>& buffers,
                const LoweringTarget& target, ElementEmitter& emitter)
      : scatter_(scatter),
        instruction_(*scatter.instruction),
        attributes_(instruction_.attributes<ScatterAttributes>()),
        count_(instruction_.operand_count() / 2),
        shapes_(shapes),
        buffers_(buffers),
        array_(shapes[0]),
        indices_(instruction_.operand(count_)->shape()),
        updates_(instruction_.operand(count_ + 1)->shape()),
        target_(target),
        emitter_(emitter),
        b_(emitter.builder()),
        sizes_(updates_.dimensions().begin(), updates_.dimensions().end()),
        window_of_(updates_.rank(), -1),
        counted_by_(updates_.rank(), -1),
        window_(array_.rank(), 1) {}

  void Write() {
    if (updates_.ElementCount() == 0 || array_.ElementCount() == 0) return;
    FindWindows();
    FindColumns();
    const int counted = InnermostCounted();
    if (count_ == 1 && counted >= 0 && updates_.dimension(counted) >= kStartsAtOnce) {
      WriteByStarts(counted);
    } else {
      WriteByUpdates();
    }
  }

 private:
  // Array dimensions that windows have, and index dimensions that count windows, both by update dimension.
  void FindWindows() {
    DimensionVector window_dimensions;
    for (int d = 0; d < array_.rank(); ++d) {
      if (!Contains(attributes_.inserted_window_dims, d) && !Contains(attributes_.input_batching_dims, d)) {
        window_dimensions.push_back(d);
      }
    }
    const DimensionVector counting = WindowCountingDimensions(indices_, attributes_.index_vector_dim);
    for (int d = 0, w = 0, c = 0; d < updates_.rank(); ++d) {
      if (Contains(attributes_.update_window_dims, d)) {
        window_of_[d] = static_cast<int>(window_dimensions[w++]);
        window_[window_of_[d]] = updates_.dimension(d);
      } else {
        counted_by_[d] = static_cast<int>(counting[c++]);
      }
    }
  }

  // Tiles are columns of windows, where all windows have the same: each takes all updates in order.
  void FindColumns() {
    const int last = updates_.rank() - 1;
    first_of_part_ = last + 1;
    while (first_of_part_ > 0 && window_of_[first_of_part_ - 1] >= 0) --first_of_part_;
    has_columns_ = first_of_part_ <= last;
    if (has_columns_) columns_ = updates_.dimension(last);
    column_block_ = columns_;
    const bool aligned = has_columns_ && columns_ == array_.dimension(window_of_[last]);
    if (aligned && updates_.ElementCount() > 4 * target_.tile_cost) {
      column_block_ = std::min(columns_, std::max(kMinColumns, (columns_ / kMaxScatterTiles + 15) / 16 * 16));
    }
  }

  // The last dimension of updates that counts windows, of more than one element; -1 if there is none.
  int InnermostCounted() const {
    for (int d = updates_.rank() - 1; d >= 0; --d) {
      if (window_of_[d] < 0 && updates_.dimension(d) != 1) return d;
    }
    return -1;
  }

  // Where the window of an update starts along each dimension of the array. `inside` becomes kNoValue where that always
  // is within the array; where it is not, the start is some place within.
  std::vector<KernelValue> WindowStart(const std::vector<KernelValue>& index, KernelValue* inside) {
    std::vector<KernelValue> base(array_.rank(), b_.Index(0));
    *inside = kNoValue;
    for (size_t k = 0; k < attributes_.scatter_dims_to_operand_dims.size(); ++k) {
      const int64_t d = attributes_.scatter_dims_to_operand_dims[k];
      std::vector<KernelValue> at(indices_.rank(), b_.Index(0));
      for (int u = 0; u < updates_.rank(); ++u) {
        if (counted_by_[u] >= 0) at[counted_by_[u]] = index[u];
      }
      if (attributes_.index_vector_dim < indices_.rank()) {
        at[attributes_.index_vector_dim] = b_.Index(static_cast<int64_t>(k));
      }
      const KernelValue start = emitter_.Emit({instruction_.operand(count_), {}, scatter_.context},
                                              IndexArithmetic::Of(indices_.dimensions(), at));
      const int64_t last = array_.dimension(static_cast<int>(d)) - window_[d];
      // Values of u64 beyond s64 are negative here: out of range, as they should be.
      const KernelValue wide = b_.Convert(start, S64);
      const KernelValue within = b_.InRange(wide, 0, last);
      *inside = b_.And(*inside, within);
      // Not a claim, because what is out of range is computed with too.
      const KernelValue safe = b_.Binary(
          HloOpcode::kMaximum, b_.Binary(HloOpcode::kMinimum, wide, b_.Index(std::max<int64_t>(last, 0))), b_.Index(0));
      base[d] = b_.AsIndex(safe, 0, std::max<int64_t>(last, 0));
    }
    for (size_t k = 0; k < attributes_.input_batching_dims.size(); ++k) {
      for (int u = 0; u < updates_.rank(); ++u) {
        if (counted_by_[u] == attributes_.scatter_indices_batching_dims[k]) {
          base[attributes_.input_batching_dims[k]] = index[u];
        }
      }
    }
    return base;
  }

  using TileBody = absl::FunctionRef<void(KernelValue tile, KernelValue extent, std::vector<KernelValue>& index)>;

  // Tiles of columns; the body gets its first column and their number.
  void ForTiles(TileBody body) {
    b_.Phase((columns_ + column_block_ - 1) / column_block_, [&](KernelValue tile) {
      emitter_.BeginPhase();
      std::vector<KernelValue> index(updates_.rank(), b_.Index(0));
      body(b_.Affine({{column_block_, tile}}), BlockExtent(b_, columns_, column_block_, tile), index);
    });
  }

  // All elements of a window, from its dimension `first` on, where the predicate holds.
  void ForWindow(KernelValue inside, int first, KernelValue column, KernelValue extent, std::vector<KernelValue>& index,
                 absl::FunctionRef<void()> combine) {
    const auto window = [&] {
      if (!has_columns_) {
        ForEach(b_, sizes_, /*independent=*/true, index, first, updates_.rank(), combine);
        return ElementEmitter::Values();
      }
      const int last = updates_.rank() - 1;
      ForEach(b_, sizes_, /*independent=*/true, index, first, last, [&] {
        b_.For(extent, LoopSchedule::kVector, true, [&](KernelValue i) {
          index[last] = b_.Affine({{1, column}, {1, i}});
          combine();
        });
      });
      return ElementEmitter::Values();
    };
    b_.If(inside, window, [] { return ElementEmitter::Values(); });
  }

  // Where the windows of many updates start is computed in lanes, and then they are combined one by one.
  void WriteByStarts(int counted) {
    const int64_t elements = array_.ElementCount();
    const int64_t size = updates_.dimension(counted);
    const int starts = b_.AddScratch("starts", S64, kStartsAtOnce);
    const auto set_index = [&](std::vector<KernelValue>& index, KernelValue block, KernelValue i) {
      index[counted] = b_.Affine({{kStartsAtOnce, block}, {1, i}});
    };
    ForTiles([&](KernelValue column, KernelValue columns, std::vector<KernelValue>& index) {
      ForEach(b_, sizes_, /*independent=*/false, index, 0, counted, [&] {
        const KernelValue blocks = b_.Index((size + kStartsAtOnce - 1) / kStartsAtOnce);
        b_.For(blocks, LoopSchedule::kPlain, false, [&](KernelValue block) {
          const KernelValue extent = BlockExtent(b_, size, kStartsAtOnce, block);
          b_.For(extent, LoopSchedule::kVector, true, [&](KernelValue i) {
            set_index(index, block, i);
            KernelValue inside;
            const KernelValue start = PlaceOf(b_, shapes_[0], WindowStart(index, &inside));
            b_.Store(starts, i, inside == kNoValue ? start : b_.Select(inside, start, b_.Index(-1)));
          });
          b_.For(extent, LoopSchedule::kPlain, false, [&](KernelValue i) {
            set_index(index, block, i);
            const KernelValue start = b_.Load(starts, i);
            const KernelValue inside = b_.InRange(start, 0, elements - 1);
            ForWindow(inside, counted + 1, column, columns, index, [&] {
              std::vector<KernelValue> in_window(array_.rank(), b_.Index(0));
              for (int u = 0; u < updates_.rank(); ++u) {
                if (window_of_[u] >= 0) in_window[window_of_[u]] = index[u];
              }
              const KernelValue at = b_.AsIndex(start, 0, elements - 1);
              const KernelValue place = b_.Affine({{1, at}, {1, PlaceOf(b_, shapes_[0], in_window)}});
              Combine({place}, index);
            });
          });
        });
      });
    });
  }

  void WriteByUpdates() {
    ForTiles([&](KernelValue column, KernelValue columns, std::vector<KernelValue>& index) {
      ForEach(b_, sizes_, /*independent=*/false, index, 0, first_of_part_, [&] {
        // The loops within windows do not change where they start.
        KernelValue inside;
        const std::vector<KernelValue> base = WindowStart(index, &inside);
        ForWindow(inside, first_of_part_, column, columns, index, [&] {
          std::vector<KernelValue> to = base;
          for (int u = 0; u < updates_.rank(); ++u) {
            if (window_of_[u] >= 0) to[window_of_[u]] = b_.Affine({{1, base[window_of_[u]]}, {1, index[u]}});
          }
          std::vector<KernelValue> places;
          for (int k = 0; k < count_; ++k) places.push_back(PlaceOf(b_, shapes_[k], to));
          Combine(places, index);
        });
      });
    });
  }

  // The elements of the arrays at `places`, with those of the updates at `index`.
  void Combine(const std::vector<KernelValue>& places, const std::vector<KernelValue>& index) {
    ElementEmitter::Values arguments;
    for (int k = 0; k < count_; ++k) arguments.push_back(b_.Load(buffers_[k], places[k]));
    for (int k = 0; k < count_; ++k) {
      arguments.push_back(emitter_.Emit({instruction_.operand(count_ + 1 + k), {}, scatter_.context},
                                        IndexArithmetic::Of(updates_.dimensions(), index)));
    }
    const ElementEmitter::Values combined = emitter_.Apply(*instruction_.called_computation(0), arguments);
    for (int k = 0; k < count_; ++k) b_.Store(buffers_[k], places[k], combined[k]);
  }

  const ArrayNode& scatter_;
  const HloInstruction& instruction_;
  const ScatterAttributes& attributes_;
  const int count_;
  const std::vector<Shape>& shapes_;
  const std::vector<int>& buffers_;
  const Shape& array_;
  const Shape& indices_;
  const Shape& updates_;
  const LoweringTarget& target_;
  ElementEmitter& emitter_;
  KernelBuilder& b_;
  const std::vector<int64_t> sizes_;
  std::vector<int> window_of_, counted_by_;
  DimensionVector window_;
  // Update dimensions from this one on are within windows.
  int first_of_part_ = 0;
  bool has_columns_ = false;
  int64_t columns_ = 1;
  int64_t column_block_ = 1;
};

}  // namespace

void WriteScatter(const ArrayNode& scatter, const std::vector<Shape>& shapes, const std::vector<int>& buffers,
                  const LoweringTarget& target, ElementEmitter& emitter) {
  ScatterWriter(scatter, shapes, buffers, target, emitter).Write();
}

}  // namespace xla
