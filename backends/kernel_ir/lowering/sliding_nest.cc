#include "backends/kernel_ir/lowering/sliding_nest.h"

#include <algorithm>
#include <utility>

#include "backends/kernel_ir/lowering/extremum_keys.h"
#include "backends/kernel_ir/lowering/scan_nest.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// Sizes that no ordinary window has; below them nothing overflows.
constexpr int64_t kMostPlaces = int64_t{1} << 40;
// Work below which windows are folded one by one, and how much of that has to be saved.
constexpr double kMinWork = 4096;
constexpr double kMinGain = 2;
// Operations of a place that is folded; of an element that is read, of another place that it takes in, of a step, and
// of an array between two passes.
constexpr double kFoldCost = 0.8;
constexpr double kFoldCostOfFloatExtrema = 2;
constexpr double kReadCost = 4;
constexpr double kPlaceCost = 3;
constexpr double kStepCost = 1.5;
constexpr double kPassCost = 3;
// Fewer columns are flattened together with the dimension. More make strips, of a cache line of the held type, of
// which so many are read at once.
constexpr int64_t kMinSlidingColumns = 16;
constexpr int64_t kStripBytes = 64;
constexpr int64_t kStrips = 16;
constexpr int64_t kBlockGrain = 16;
constexpr int64_t kStaggerBytes = 1344;
// What a window may need of scratch.
constexpr int64_t kMostWindowBytes = 1024 * 1024;
// Groups of places that are read in one expression.
constexpr int64_t kMostUnrolledPlaces = 16;

// The largest n with 2^n <= groups, or the smallest with 2^n >= groups.
int StepsOf(int64_t groups, bool may_repeat) {
  int steps = 0;
  while (int64_t{2} << steps <= groups) ++steps;
  return may_repeat && int64_t{1} << steps < groups ? steps + 1 : steps;
}

// Places in scratch between the first and the last group of a window.
int64_t SpanOf(const WindowDimension& window, const SlidingPass& pass) {
  return pass.rest > 0 ? pass.groups : std::max<int64_t>(0, (pass.groups - 1) * window.window_dilation);
}

// Of accumulators that are held as integers in their order.
absl::optional<ExtremumKeys> KeysOf(const KernelReducer& reducer) {
  return ExtremumKeys::Of(reducer, reducer.accumulator_type);
}

const WindowDimension& WindowOf(const HloInstruction& reduce_window, int d) {
  return reduce_window.attributes<WindowAttributes>().window.dimensions[d];
}

// Dimensions with windows, in the order of the passes: first what leaves the least.
std::vector<int> DimensionsOf(const HloInstruction& reduce_window) {
  std::vector<int> dimensions;
  const Shape& x = reduce_window.operand(0)->shape();
  const Shape& result = reduce_window.shape();
  for (const int d : PhysicalOrder(result)) {
    if (!(WindowOf(reduce_window, d) == WindowDimension())) dimensions.push_back(d);
  }
  const auto left = [&](int d) {
    return static_cast<double>(result.dimension(d)) / static_cast<double>(x.dimension(d));
  };
  std::stable_sort(dimensions.begin(), dimensions.end(), [&](int a, int b) { return left(a) < left(b); });
  return dimensions;
}

double CostOf(const WindowDimension& window) {
  const double places = static_cast<double>(std::min(window.stride, window.size) - 1);
  const int steps = StepsOf(window.size / window.stride, /*may_repeat=*/true);
  return kReadCost + kPlaceCost * places + kStepCost * (steps + (window.size % window.stride != 0 ? 1 : 0));
}

// Operations of an element of the result.
double CostOfPasses(const HloInstruction& reduce_window) {
  const std::vector<int> dimensions = DimensionsOf(reduce_window);
  double cost = 0;
  double elements = 1;  // of an array between passes, for each element of the result
  for (auto d = dimensions.rbegin(); d != dimensions.rend(); ++d) {
    cost += elements * (CostOf(WindowOf(reduce_window, *d)) + (d == dimensions.rbegin() ? 0 : kPassCost));
    elements *= static_cast<double>(reduce_window.operand(0)->shape().dimension(*d)) /
                static_cast<double>(reduce_window.shape().dimension(*d));
  }
  return cost;
}

double CostOfFolds(const HloInstruction& reduce_window, const KernelReducer& reducer) {
  double cost = KeysOf(reducer).has_value() ? kFoldCostOfFloatExtrema : kFoldCost;
  for (const WindowDimension& d : reduce_window.attributes<WindowAttributes>().window.dimensions) {
    cost *= static_cast<double>(d.size);
  }
  return cost;
}

bool IsOrdinary(const WindowDimension& window, int64_t size) {
  const bool is_small = std::max({window.size, window.stride, window.window_dilation, window.base_dilation,
                                  std::abs(window.padding_low), std::abs(window.padding_high), size}) < kMostPlaces;
  if (!is_small || window.window_reversal || window.size < 1) return false;
  return window.stride == 1 || window.window_dilation == 1;
}

// The part of a pass that makes some windows of some strips of columns of a row.
struct Part {
  KernelValue row;
  KernelValue first_strip;
  KernelValue strips;
  KernelValue first_output;
  KernelValue outputs;
};

// Elements of a buffer after which another one begins at a place of its own within pages: what is written there does
// not look like what is read here, nor does it take the same places of a cache.
int64_t Staggered(int64_t elements, int64_t width, int64_t page_bytes) {
  if (page_bytes <= 1) return elements;
  const int64_t pages = std::max<int64_t>(0, CeilDiv(elements * width - kStaggerBytes, page_bytes));
  return (pages * page_bytes + kStaggerBytes) / width;
}

class PassWriter {
 public:
  PassWriter(const SlidingPass& pass, int source, bool is_last, const ArrayNode& node, const Shape& shape, int buffer,
             const LoweringTarget& target, ElementEmitter& emitter)
      : pass_(pass),
        source_(source),
        is_last_(is_last),
        node_(node),
        instruction_(*node.instruction),
        window_(WindowOf(instruction_, pass.dimension)),
        reducer_(emitter.ReducerOf(instruction_)),
        keys_(KeysOf(reducer_)),
        shape_(shape),
        buffer_(buffer),
        target_(target),
        emitter_(emitter),
        b_(emitter.builder()),
        held_(HeldType(reducer_)),
        span_(SpanOf(window_, pass)),
        steps_(StepsOf(pass.groups, MayRepeatElements(reducer_))) {}

  // Lays out tiles over rows, blocks of outputs and blocks of strips, and as many parts per tile as make it worth its
  // cost.
  void Write() {
    if (pass_.groups > 0) groups_ = b_.AddScratch("groups", held_, pass_.strips * StripSize());
    if (pass_.rest > 0) rests_ = b_.AddScratch("rests", held_, pass_.strips * StripSize());
    if (steps_ > 1) sums_[0] = b_.AddScratch("windows", held_, StripSize());
    if (steps_ > 2) sums_[1] = b_.AddScratch("longer_windows", held_, StripSize());
    const int64_t strips = CeilDiv(pass_.inner, pass_.columns);
    const int64_t strip_blocks = CeilDiv(strips, pass_.strips);
    const int64_t output_blocks = CeilDiv(pass_.outputs, pass_.block);
    const int64_t parts = pass_.rows * output_blocks * strip_blocks;
    const int64_t work = pass_.strips * StripSize() * (4 + steps_);
    const int64_t at_once = std::max<int64_t>({1, target_.tile_cost / work, CeilDiv(parts, target_.max_tiles)});
    b_.Phase(CeilDiv(parts, at_once), [&](KernelValue tile) {
      emitter_.BeginPhase();
      b_.For(BlockExtent(b_, parts, at_once, tile), LoopSchedule::kPlain, false, [&](KernelValue i) {
        const KernelValue number = b_.Affine({{at_once, tile}, {1, i}});
        const KernelValue strip_block = b_.Remainder(number, strip_blocks);
        const KernelValue others = b_.Quotient(number, strip_blocks);
        const KernelValue output_block = b_.Remainder(others, output_blocks);
        WritePart({b_.Quotient(others, output_blocks), b_.Affine({{pass_.strips, strip_block}}),
                   BlockExtent(b_, strips, pass_.strips, strip_block), b_.Affine({{pass_.block, output_block}}),
                   BlockExtent(b_, pass_.outputs, pass_.block, output_block)});
      });
    });
  }

 private:
  // An element of a strip in scratch, and of the array.
  struct Place {
    KernelValue in_strip;
    KernelValue at;  // along the dimension, from the part's first on
    KernelValue column;
  };

  int64_t StripSize() const {
    return Staggered((pass_.block + span_) * pass_.columns, ByteWidth(held_), target_.page_bytes);
  }
  bool IsFlat() const { return pass_.inner < kMinSlidingColumns; }

  // All elements of the dimension and of a strip: at once ...
  void ForFlat(KernelValue count, absl::FunctionRef<void(const Place&)> body) {
    b_.For(b_.Affine({{pass_.inner, count}}), LoopSchedule::kVector, true, [&](KernelValue i) {
      body({i, b_.Quotient(i, pass_.inner), b_.Remainder(i, pass_.inner)});
    });
  }
  // ... or those of a number of columns.
  void ForColumns(KernelValue at, KernelValue strip, KernelValue columns, absl::FunctionRef<void(const Place&)> body) {
    b_.For(columns, LoopSchedule::kVector, true, [&](KernelValue j) {
      body({b_.Affine({{pass_.columns, at}, {1, j}}), at, b_.Affine({{pass_.columns, strip}, {1, j}})});
    });
  }

  KernelValue Combine(KernelValue left, KernelValue right) { return b_.Binary(*reducer_.op, left, right); }
  KernelValue Neutral() { return b_.Constant((keys_.has_value() ? keys_->reducer() : reducer_).neutral); }
  KernelValue Held(KernelValue x) { return keys_.has_value() ? keys_->KeyOf(b_, x) : x; }
  KernelValue ValueOf(KernelValue held) { return keys_.has_value() ? keys_->ValueOf(b_, held) : held; }

  void WritePart(const Part& part) {
    if (pass_.groups > 0) ReadGroups(part);
    b_.For(part.strips, LoopSchedule::kPlain, false, [&](KernelValue s) { WriteStrip(part, s); });
  }

  void ReadGroups(const Part& part) {
    const KernelValue count = b_.Index(pass_.block + span_);
    if (IsFlat()) return ForFlat(count, [&](const Place& place) { ReadGroup(part, b_.Index(0), place); });
    b_.For(count, LoopSchedule::kPlain, true, [&](KernelValue at) {
      b_.For(part.strips, LoopSchedule::kPlain, true, [&](KernelValue s) {
        const KernelValue strip = b_.Affine({{1, part.first_strip}, {1, s}});
        ForColumns(at, strip, b_.Index(pass_.columns), [&](const Place& place) { ReadGroup(part, s, place); });
      });
    });
  }

  // Each step makes longer windows, counted in groups, by combining two shorter ones, until they are as long as those
  // of the result. The two may overlap only where repeating an element changes nothing.
  void WriteStrip(const Part& part, KernelValue s) {
    int from = groups_;
    int next = 0;
    int64_t size = 1;  // of the windows in `from`, in groups
    for (int step = 1; step < steps_; ++step) {
      const int64_t longer = LengthBehind(step);
      const KernelValue count = b_.Index((pass_.block + SpanBehind(longer)) * pass_.columns);
      b_.For(count, LoopSchedule::kVector, true,
             [&](KernelValue i) { b_.Store(sums_[next], i, Longer(from, size, longer, s, i)); });
      from = sums_[next];
      next = 1 - next;
      size = longer;
    }
    const auto finish = [&](const Place& place) {
      if (pass_.groups == 0) return Finish(part, place, ReadPlaces(part, place, 0, pass_.rest));
      KernelValue value =
          steps_ == 0 ? LoadBehind(groups_, s, place.in_strip, 0) : Longer(from, size, pass_.groups, s, place.in_strip);
      if (pass_.rest > 0) value = Combine(value, LoadBehind(rests_, s, place.in_strip, pass_.groups));
      Finish(part, place, value);
    };
    if (IsFlat()) return ForFlat(part.outputs, finish);
    const KernelValue strip = b_.Affine({{1, part.first_strip}, {1, s}});
    const KernelValue columns = BlockExtent(b_, pass_.inner, pass_.columns, strip);
    b_.For(part.outputs, LoopSchedule::kPlain, true, [&](KernelValue at) { ForColumns(at, strip, columns, finish); });
  }

  // Groups of a window after this many of the steps: doubled each time, or, where none may be taken in twice, the
  // leading bits of what they will be.
  int64_t LengthBehind(int step) const {
    return MayRepeatElements(reducer_) ? int64_t{1} << step : pass_.groups >> (steps_ - step);
  }

  // Places after those of the windows that are still to come, of a window of `size` groups.
  int64_t SpanBehind(int64_t size) const { return span_ - (size - 1) * window_.window_dilation; }

  // An element of strip `s`, so many groups after element i.
  KernelValue LoadBehind(int scratch, KernelValue s, KernelValue i, int64_t groups) {
    const bool has_strips = scratch == groups_ || scratch == rests_;
    const int64_t behind = groups * window_.window_dilation * pass_.columns;
    return b_.Load(scratch, b_.Affine({{has_strips ? StripSize() : 0, s}, {1, i}}, behind));
  }

  // A window of `longer` groups at element i of a strip, from windows of `size`.
  KernelValue Longer(int from, int64_t size, int64_t longer, KernelValue s, KernelValue i) {
    const int64_t behind = MayRepeatElements(reducer_) ? longer - size : size;
    KernelValue value = Combine(LoadBehind(from, s, i, 0), LoadBehind(from, s, i, behind));
    if (behind + size < longer) value = Combine(value, LoadBehind(groups_, s, i, longer - 1));
    return value;
  }

  // ---- The array

  void ReadGroup(const Part& part, KernelValue s, const Place& place) {
    const KernelValue element = b_.Affine({{StripSize(), s}, {1, place.in_strip}});
    KernelValue value = kNoValue;
    if (pass_.rest > 0) {
      value = ReadPlaces(part, place, 0, pass_.rest);
      b_.Store(rests_, element, value);
    }
    const KernelValue others = ReadPlaces(part, place, pass_.rest, window_.stride - pass_.rest);
    b_.Store(groups_, element, value == kNoValue ? others : Combine(value, others));
  }

  // `count` places from number `first` of the group on.
  KernelValue ReadPlaces(const Part& part, const Place& place, int64_t first, int64_t count) {
    if (count > kMostUnrolledPlaces) {
      const Place of_loop = place;
      return b_.Reduce(
          {count}, 1, {Neutral()}, {},
          [&](absl::Span<const KernelValue> j) -> KernelBuilder::Values {
            return {Read(part, of_loop, b_.Affine({{1, j[0]}}, first))};
          },
          [&](absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) -> KernelBuilder::Values {
            return {Combine(left[0], right[0])};
          })[0];
    }
    KernelValue value = Read(part, place, b_.Index(first));
    for (int64_t j = 1; j < count; ++j) value = Combine(value, Read(part, place, b_.Index(first + j)));
    return value;
  }

  // Place number j of a group; what is not in the array changes nothing.
  KernelValue Read(const Part& part, const Place& place, KernelValue j) {
    const KernelValue position =
        b_.Affine({{window_.stride, part.first_output}, {window_.stride, place.at}, {1, j}}, -window_.padding_low);
    KernelValue inside = b_.InRange(position, 0, (pass_.length - 1) * window_.base_dilation);
    inside = b_.And(inside, b_.InRange(b_.Remainder(position, window_.base_dilation), 0, 0));
    inside = b_.And(inside, b_.InRange(place.column, 0, pass_.inner - 1));
    const KernelValue at = b_.Quotient(position, window_.base_dilation);
    KernelValue value;
    if (source_ >= 0) {
      const KernelValue element =
          b_.Affine({{pass_.length * pass_.inner, part.row}, {pass_.inner, at}, {1, place.column}});
      value = b_.Load(source_, element, inside);
    } else {
      const KernelValue x = emitter_.Emit(
          {instruction_.operand(0), {}, node_.context},
          emitter_.indices().Along(pass_.dimension, pass_.sizes, PhysicalOrder(shape_), part.row, at, place.column),
          inside);
      value = Held(b_.Convert(b_.Convert(x, shape_.element_type()), reducer_.accumulator_type));
    }
    return inside == kNoValue ? value : b_.Select(inside, value, Neutral());
  }

  // Stores the value of a window.
  void Finish(const Part& part, const Place& place, KernelValue value) {
    const KernelValue output = b_.Affine({{1, part.first_output}, {1, place.at}});
    const KernelValue element =
        b_.Affine({{pass_.outputs * pass_.inner, part.row}, {pass_.inner, output}, {1, place.column}});
    if (!is_last_) return b_.Store(pass_.workspace, element, value);
    const KernelValue initial = emitter_.Emit({instruction_.operand(1), {}, node_.context}, {});
    const KernelValue left = b_.Convert(b_.Convert(initial, shape_.element_type()), reducer_.accumulator_type);
    b_.Store(buffer_, element, b_.Convert(ValueOf(Combine(Held(left), value)), shape_.element_type()));
  }

  const SlidingPass& pass_;
  const int source_;  // the workspace that is read; -1: the operand
  const bool is_last_;
  const ArrayNode& node_;
  const HloInstruction& instruction_;
  const WindowDimension& window_;
  const KernelReducer& reducer_;
  const absl::optional<ExtremumKeys> keys_;
  const Shape& shape_;
  const int buffer_;
  const LoweringTarget& target_;
  ElementEmitter& emitter_;
  KernelBuilder& b_;
  const PrimitiveType held_;
  const int64_t span_;
  const int steps_;
  int groups_ = -1;
  int rests_ = -1;
  int sums_[2] = {-1, -1};
};

}  // namespace

PrimitiveType HeldType(const KernelReducer& reducer) {
  const absl::optional<ExtremumKeys> keys = KeysOf(reducer);
  return keys.has_value() ? keys->type() : reducer.accumulator_type;
}

// Whether to make windows out of shorter ones instead of folding each: the function's order must not matter, scratch
// must suffice, and there must be enough to gain.
bool IsSliding(const HloInstruction& reduce_window, const KernelReducer& reducer) {
  if (reduce_window.opcode() != HloOpcode::kReduceWindow || !reduce_window.shape().IsArray()) return false;
  if (!reducer.op.has_value() || !reducer.reorders) return false;
  const Shape& x = reduce_window.operand(0)->shape();
  const Shape& result = reduce_window.shape();
  if (x.ElementCount() == 0 || result.ElementCount() == 0) return false;
  bool has_windows = false;
  for (int d = 0; d < x.rank(); ++d) {
    const WindowDimension& window = WindowOf(reduce_window, d);
    if (window == WindowDimension()) continue;
    has_windows = true;
    if (!IsOrdinary(window, x.dimension(d))) return false;
    const int64_t span = (window.size / window.stride + 1) * window.window_dilation;
    if (2 * span * ByteWidth(reducer.accumulator_type) > kMostWindowBytes) return false;
  }
  if (!has_windows) return false;
  const double folds = CostOfFolds(reduce_window, reducer);
  return folds > kMinGain * CostOfPasses(reduce_window) &&
         folds * static_cast<double>(result.ElementCount()) > kMinWork;
}

bool HasWindowNest(const HloInstruction& reduce_window, const KernelReducer& reducer) {
  return IsScan(reduce_window, reducer) || IsSliding(reduce_window, reducer);
}

// Plans one pass for each dimension that has a window, each from the result of the one before. Blocks are chosen so
// that what a pass keeps stays in cache.
SlidingPlan PlanSliding(const HloInstruction& reduce_window, const Shape& shape, const KernelReducer& reducer,
                        const LoweringTarget& target) {
  SlidingPlan plan;
  const Shape& x = reduce_window.operand(0)->shape();
  DimensionVector sizes(x.dimensions().begin(), x.dimensions().end());
  const std::vector<int> order = PhysicalOrder(shape);
  const int64_t width = ByteWidth(HeldType(reducer));
  for (const int d : DimensionsOf(reduce_window)) {
    const WindowDimension& window = WindowOf(reduce_window, d);
    SlidingPass pass;
    pass.dimension = d;
    pass.sizes = sizes;
    bool behind = false;
    for (const int other : order) {
      if (other != d) (behind ? pass.inner : pass.rows) *= sizes[other];
      behind = behind || other == d;
    }
    pass.length = sizes[d];
    pass.outputs = shape.dimension(d);
    pass.groups = window.size / window.stride;
    pass.rest = window.size % window.stride;
    sizes[d] = pass.outputs;
    const int64_t span = SpanOf(window, pass);
    pass.columns = pass.inner < kMinSlidingColumns ? pass.inner : std::min(pass.inner, kStripBytes / width);
    pass.strips = std::min(CeilDiv(pass.inner, pass.columns), kStrips);
    const int64_t most = std::max<int64_t>({1, 2 * span, target.window_bytes / (pass.columns * width) - span});
    const int64_t blocks = std::max<int64_t>(1, (pass.outputs + most / 2) / most);
    pass.block = std::min(pass.outputs, CeilDiv(CeilDiv(pass.outputs, blocks), kBlockGrain) * kBlockGrain);
    while (pass.strips > 1 && pass.strips * (pass.block + span) * pass.columns * width > target.windows_bytes) {
      pass.strips /= 2;
    }
    plan.passes.push_back(std::move(pass));
  }
  return plan;
}

void WriteSliding(const SlidingPlan& plan, const ArrayNode& reduce_window, const Shape& shape, int buffer,
                  const LoweringTarget& target, ElementEmitter& emitter) {
  int source = -1;
  for (size_t i = 0; i < plan.passes.size(); ++i) {
    const bool is_last = i + 1 == plan.passes.size();
    PassWriter(plan.passes[i], source, is_last, reduce_window, shape, buffer, target, emitter).Write();
    source = plan.passes[i].workspace;
  }
}

}  // namespace xla
