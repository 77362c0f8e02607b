#include "backends/kernel_ir/lowering/scatter_nest.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "backends/kernel_ir/lowering/update_nest.h"
#include "xla_core/ops/window_starts.h"

namespace xla {
namespace {

// Columns of a scatter's windows that are a tile: at least this many, and this many tiles at most.
constexpr int64_t kMinScatterColumns = 64;
constexpr int64_t kMaxScatterTiles = 8;
// Updates for which it is computed together where their windows start.
constexpr int64_t kStartsAtOnce = 256;
// Copies of the array that tiles combine into are worth their memory where each element gets this many updates, and
// there are so many tiles at most. In small ones, neighbouring updates go to several, so that none waits for the one
// before.
constexpr int64_t kMinUpdatesOfCopy = 16;
constexpr int64_t kMaxChunks = 8;
constexpr int64_t kSmallCopyBytes = 8192;
constexpr int64_t kWaysOfSmallCopies = 4;
// Windows of more elements take so long that nothing else does, but for reading them from memory.
constexpr int64_t kMostElementsOfWindow = 16;
// Scalar operations of an update, approximately.
constexpr int64_t kCostOfUpdate = 4;
constexpr int64_t kStrideGrain = 16;

int64_t BlocksOf(int64_t updates) { return (updates + kStartsAtOnce - 1) / kStartsAtOnce; }

// Loops over the dimensions [first, last) of `sizes`, around `body`.
void ForEach(KernelBuilder& b, absl::Span<const int64_t> sizes, bool independent, std::vector<KernelValue>& index,
             size_t first, size_t last, absl::FunctionRef<void()> body) {
  if (first == last) return body();
  b.For(b.Index(sizes[first]), LoopSchedule::kPlain, independent, [&](KernelValue i) {
    index[first] = i;
    ForEach(b, sizes, independent, index, first + 1, last, body);
  });
}

// The last dimension of updates that counts windows, of more than one element; -1 if there is none.
int InnermostCounted(const HloInstruction& scatter) {
  const Shape& updates = scatter.operand(scatter.operand_count() / 2 + 1)->shape();
  const auto& window_dimensions = scatter.attributes<ScatterAttributes>().update_window_dims;
  for (int d = updates.rank() - 1; d >= 0; --d) {
    if (!absl::c_linear_search(window_dimensions, d) && updates.dimension(d) != 1) return d;
  }
  return -1;
}

class ScatterWriter {
 public:
  ScatterWriter(const ArrayNode& scatter, const std::vector<Shape>& shapes, const std::vector<int>& buffers,
                const ScatterCopies& copies, const LoweringTarget& target, ElementEmitter& emitter)
      : scatter_(scatter),
        instruction_(*scatter.instruction),
        attributes_(instruction_.attributes<ScatterAttributes>()),
        count_(instruction_.operand_count() / 2),
        shapes_(shapes),
        buffers_(buffers),
        copies_(copies),
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
    const int counted = InnermostCounted(instruction_);
    if (copies_.chunks > 0) {
      WriteIntoCopies(counted);
      WriteSumOfCopies();
    } else if (count_ == 1 && counted >= 0 && updates_.dimension(counted) >= kStartsAtOnce) {
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
      if (!absl::c_linear_search(attributes_.inserted_window_dims, d) && !absl::c_linear_search(attributes_.input_batching_dims, d)) {
        window_dimensions.push_back(d);
      }
    }
    const DimensionVector counting = WindowCountingDimensions(indices_, attributes_.index_vector_dim);
    for (int d = 0, w = 0, c = 0; d < updates_.rank(); ++d) {
      if (absl::c_linear_search(attributes_.update_window_dims, d)) {
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
      column_block_ = std::min(columns_, std::max(kMinScatterColumns, (columns_ / kMaxScatterTiles + 15) / 16 * 16));
    }
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

  // The index along `counted` of update number i of a block of kStartsAtOnce.
  void SetIndex(int counted, KernelValue block, KernelValue i, std::vector<KernelValue>& index) {
    index[counted] = b_.Affine({{kStartsAtOnce, block}, {1, i}});
  }

  // Where the windows of a block of updates start is computed in lanes, `outside` of those that are out of range.
  void WriteStarts(int starts, int counted, KernelValue block, KernelValue extent, int64_t outside,
                   std::vector<KernelValue>& index) {
    b_.For(extent, LoopSchedule::kVector, true, [&](KernelValue i) {
      SetIndex(counted, block, i, index);
      KernelValue inside;
      const KernelValue start = PlaceOf(b_, shapes_[0], WindowStart(index, &inside));
      b_.Store(starts, i, inside == kNoValue ? start : b_.Select(inside, start, b_.Index(outside)));
      if (keys_ >= 0) b_.Store(keys_, i, copies_.keys->KeyOf(b_, Update(0, index)));
    });
  }

  // The place of an element of the window that starts there.
  KernelValue PlaceInWindow(KernelValue start, const std::vector<KernelValue>& index) {
    std::vector<KernelValue> in_window(array_.rank(), b_.Index(0));
    for (int u = 0; u < updates_.rank(); ++u) {
      if (window_of_[u] >= 0) in_window[window_of_[u]] = index[u];
    }
    const KernelValue at = b_.AsIndex(start, 0, array_.ElementCount() - 1);
    return b_.Affine({{1, at}, {1, PlaceOf(b_, shapes_[0], in_window)}});
  }

  // Starts first, and then the updates are combined one by one.
  void WriteByStarts(int counted) {
    const int64_t size = updates_.dimension(counted);
    const int starts = b_.AddScratch("starts", S64, kStartsAtOnce);
    ForTiles([&](KernelValue column, KernelValue columns, std::vector<KernelValue>& index) {
      ForEach(b_, sizes_, /*independent=*/false, index, 0, counted, [&] {
        b_.For(b_.Index(BlocksOf(size)), LoopSchedule::kPlain, false, [&](KernelValue block) {
          const KernelValue extent = BlockExtent(b_, size, kStartsAtOnce, block);
          WriteStarts(starts, counted, block, extent, -1, index);
          b_.For(extent, LoopSchedule::kPlain, false, [&](KernelValue i) {
            SetIndex(counted, block, i, index);
            const KernelValue start = b_.Load(starts, i);
            const KernelValue inside = b_.InRange(start, 0, array_.ElementCount() - 1);
            ForWindow(inside, counted + 1, column, columns, index,
                      [&] { Combine(buffers_, {PlaceInWindow(start, index)}, index); });
          });
        });
      });
    });
  }

  // A tile for each chunk of the updates, with copies of its own.
  void WriteIntoCopies(int counted) {
    const int64_t size = updates_.dimension(counted);
    const int64_t ways = copies_.ways;
    const int64_t of_chunk = ways * copies_.stride;
    const int starts = b_.AddScratch("starts", S64, kStartsAtOnce);
    if (copies_.keys.has_value() && HasSingleElements()) keys_ = b_.AddScratch("keys", copies_.type, kStartsAtOnce);
    b_.Phase(copies_.chunks, [&](KernelValue chunk) {
      emitter_.BeginPhase();
      std::vector<KernelValue> index(updates_.rank(), b_.Index(0));
      const KernelValue neutral = b_.Constant((copies_.keys.has_value() ? copies_.keys->reducer() : Reducer()).neutral);
      b_.For(b_.Index(of_chunk), LoopSchedule::kVector, true, [&](KernelValue i) {
        b_.Store(copies_.buffer, b_.Affine({{of_chunk, chunk}, {1, i}}), neutral);
      });
      ForEach(b_, sizes_, /*independent=*/false, index, 0, counted, [&] {
        const KernelValue blocks = BlockExtent(b_, BlocksOf(size), copies_.blocks, chunk);
        b_.For(blocks, LoopSchedule::kPlain, false, [&](KernelValue b) {
          const KernelValue block = b_.Affine({{copies_.blocks, chunk}, {1, b}});
          const KernelValue extent = BlockExtent(b_, size, kStartsAtOnce, block);
          WriteStarts(starts, counted, block, extent, array_.ElementCount(), index);
          const auto combine = [&](KernelValue i, int64_t way) {
            SetIndex(counted, block, i, index);
            CombineIntoCopy(b_.Load(starts, i), counted, b_.Affine({{of_chunk, chunk}}, way * copies_.stride), i,
                            index);
          };
          const KernelValue rounds = b_.Quotient(extent, ways);
          b_.For(rounds, LoopSchedule::kPlain, false, [&](KernelValue round) {
            for (int64_t way = 0; way < ways; ++way) combine(b_.Affine({{ways, round}}, way), way);
          });
          if (ways == 1) return;
          b_.For(b_.Affine({{1, extent}, {-ways, rounds}}), LoopSchedule::kPlain, false, [&](KernelValue i) {
            combine(b_.Affine({{ways, rounds}, {1, i}}), 0);
          });
        });
      });
    });
  }

  bool HasSingleElements() const {
    return std::all_of(window_.begin(), window_.end(), [](int64_t size) { return size == 1; });
  }

  // A window of one element goes to the place after the array if it is out of range, others nowhere. `i` is the number
  // of the update in its block.
  void CombineIntoCopy(KernelValue start, int counted, KernelValue copy, KernelValue i,
                       std::vector<KernelValue>& index) {
    const int64_t elements = array_.ElementCount();
    const auto combine = [&](KernelValue place) {
      if (!copies_.keys.has_value()) return Combine({copies_.buffer}, {place}, index);
      const KernelValue key = keys_ >= 0 ? b_.Load(keys_, i) : copies_.keys->KeyOf(b_, Update(0, index));
      b_.Store(copies_.buffer, place, b_.Binary(*copies_.keys->reducer().op, b_.Load(copies_.buffer, place), key));
    };
    if (HasSingleElements()) {
      const KernelValue at = b_.AsIndex(start, 0, elements);
      return combine(b_.Affine({{1, copy}, {1, at}}));
    }
    ForWindow(b_.InRange(start, 0, elements - 1), counted + 1, b_.Index(0), b_.Index(columns_), index, [&] {
      combine(b_.Affine({{1, copy}, {1, PlaceInWindow(start, index)}}));
    });
  }

  // The array and all copies.
  void WriteSumOfCopies() {
    const int64_t elements = array_.ElementCount();
    const int64_t copies = copies_.chunks * copies_.ways;
    const int64_t block =
        std::max(kMinScatterColumns, target_.tile_cost / copies / kMinScatterColumns * kMinScatterColumns);
    b_.Phase((elements + block - 1) / block, [&](KernelValue tile) {
      emitter_.BeginPhase();
      b_.For(BlockExtent(b_, elements, block, tile), LoopSchedule::kVector, true, [&](KernelValue i) {
        const KernelValue place = b_.Affine({{block, tile}, {1, i}});
        const HloOpcode op = *Reducer().op;
        KernelValue value = b_.Load(copies_.buffer, place);
        for (int64_t copy = 1; copy < copies; ++copy) {
          const KernelValue other = b_.Load(copies_.buffer, b_.Affine({{1, place}}, copy * copies_.stride));
          value = b_.Binary(op, value, other);
        }
        if (copies_.keys.has_value()) value = copies_.keys->ValueOf(b_, value);
        b_.Store(buffers_[0], place, b_.Binary(op, b_.Load(buffers_[0], place), value));
      });
    });
  }

  KernelReducer Reducer() const { return AnalyzeReducer(*instruction_.called_computation(0), array_.element_type()); }

  // Goes through the updates in order and combines each element with its place. Places are computed once for each
  // window.
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
          Combine(buffers_, places, index);
        });
      });
    });
  }

  // The elements of the arrays in `buffers` at `places`, with those of the updates at `index`.
  void Combine(const std::vector<int>& buffers, const std::vector<KernelValue>& places,
               const std::vector<KernelValue>& index) {
    ElementEmitter::Values arguments;
    for (int k = 0; k < count_; ++k) arguments.push_back(b_.Load(buffers[k], places[k]));
    for (int k = 0; k < count_; ++k) arguments.push_back(Update(k, index));
    const ElementEmitter::Values combined = emitter_.Apply(*instruction_.called_computation(0), arguments);
    for (int k = 0; k < count_; ++k) b_.Store(buffers[k], places[k], combined[k]);
  }

  KernelValue Update(int k, const std::vector<KernelValue>& index) {
    return emitter_.Emit({instruction_.operand(count_ + 1 + k), {}, scatter_.context},
                         IndexArithmetic::Of(updates_.dimensions(), index));
  }

  const ArrayNode& scatter_;
  const HloInstruction& instruction_;
  const ScatterAttributes& attributes_;
  const int count_;
  const std::vector<Shape>& shapes_;
  const std::vector<int>& buffers_;
  const ScatterCopies& copies_;
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
  int keys_ = -1;  // scratch with the keys of a block of updates, if they are made together
};

}  // namespace

// Decides whether to scatter into several copies that are combined later: only if the function's order does not
// matter, windows are small, and there are many more updates than elements.
ScatterCopies PlanScatterCopies(const HloInstruction& scatter, const SumOrder& order) {
  ScatterCopies copies;
  const int counted = InnermostCounted(scatter);
  if (scatter.operand_count() != 3 || counted < 0) return copies;
  const Shape& array = scatter.operand(0)->shape();
  const Shape& updates = scatter.operand(2)->shape();
  const KernelReducer reducer = AnalyzeReducer(*scatter.called_computation(0), array.element_type());
  const bool in_any_order = reducer.op.has_value() && reducer.reorders &&
                            reducer.accumulator_type == array.element_type() && array.element_type() != PRED &&
                            !IsSubByte(array.element_type());
  int64_t window = 1;
  for (const int64_t d : scatter.attributes<ScatterAttributes>().update_window_dims) window *= updates.dimension(d);
  if (window > kMostElementsOfWindow) return copies;
  if (!in_any_order || array.ElementCount() == 0 || updates.ElementCount() == 0) return copies;
  const int64_t blocks = BlocksOf(updates.dimension(counted));
  const int64_t by_updates = updates.ElementCount() / kMinUpdatesOfCopy / array.ElementCount();
  const int64_t by_work = updates.ElementCount() / std::max<int64_t>(1, order.part_work / kCostOfUpdate);
  const int64_t wanted = std::min({blocks, kMaxChunks, by_updates, by_work});
  if (wanted < 2) return copies;
  copies.blocks = (blocks + wanted - 1) / wanted;
  copies.chunks = (blocks + copies.blocks - 1) / copies.blocks;
  copies.stride = (array.ElementCount() + kStrideGrain) / kStrideGrain * kStrideGrain;
  copies.keys = ExtremumKeys::Of(reducer, array.element_type());
  copies.type = copies.keys.has_value() ? copies.keys->type() : array.element_type();
  if (copies.stride * ByteWidth(array.element_type()) <= kSmallCopyBytes) copies.ways = kWaysOfSmallCopies;
  return copies;
}

void WriteScatter(const ArrayNode& scatter, const std::vector<Shape>& shapes, const std::vector<int>& buffers,
                  const ScatterCopies& copies, const LoweringTarget& target, ElementEmitter& emitter) {
  ScatterWriter(scatter, shapes, buffers, copies, target, emitter).Write();
}

}  // namespace xla
