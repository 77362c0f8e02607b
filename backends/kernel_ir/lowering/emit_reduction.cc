// Rules of operations that combine many elements into one: reduce, reduce-window, dot and convolution.
//
// Each rule describes its fold to emit_fold.h: the extents of the loops over the elements, and a function that emits
// one element, given the loops' indices. Folds never build index arrays; the index of an operand is an expression of
// the result's index and the loops (IndexArithmetic::Rearrange).
//   reduce       x[kept, i..]                        extents: the reduced dimensions, neighbours joined
//   window       x[o * stride + w * dilation - low]  extents: the window; outside of x an element does not count
//   dot          lhs[b, m, k] * rhs[b, k, n]         extents: the contracting dimensions
//   convolution  both of these                       extents: the window, then the input features of a group
// Sums of products run in ProductAccumulator's type and are rounded once, at the end.
#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"
#include "backends/kernel_ir/lowering/emit_fold.h"
#include "backends/kernel_ir/lowering/extremum_keys.h"
#include "backends/kernel_ir/lowering/pair_reducer.h"
#include "xla_core/ops/dot_dimensions.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

ElementIndex Joined(const ElementIndex& a, const ElementIndex& b) {
  ElementIndex joined = a;
  joined.insert(joined.end(), b.begin(), b.end());
  return joined;
}

// Dimensions of an array that are folded over, as loops: neighbouring ones are one loop.
struct FoldedDimensions {
  std::vector<int64_t> sizes;    // of the dimensions
  std::vector<int> place;        // by dimension of the array: which of `sizes`, or -1
  std::vector<int64_t> extents;  // of the loops; products of `sizes`, in order, where those are not one
  bool contiguous = false;       // the last is the fastest in memory

  // As the index of an array of `sizes`.
  ElementIndex IndexOf(absl::Span<const KernelValue> loops) const {
    ElementIndex index;
    for (size_t i = 0; i < extents.size(); ++i) index.push_back({extents[i], loops[i]});
    return index;
  }
};

// How a reduction's dimensions follow each other in memory: runs of neighbours become one loop. If the order of the
// sum may change, loops follow memory instead of the dimensions' order.
FoldedDimensions FoldedDimensionsOf(const Shape& array, absl::Span<const int64_t> dimensions, bool may_reorder) {
  FoldedDimensions folded;
  folded.place.assign(array.rank(), -1);
  std::vector<int> order = PhysicalOrder(array);
  const bool in_order = array.IsRowMajor() || !may_reorder;
  bool contiguous = false;
  for (const int d : order) {
    if (array.dimension(d) != 1) contiguous = absl::c_linear_search(dimensions, d);
  }
  folded.contiguous = contiguous;
  if (in_order) std::iota(order.begin(), order.end(), 0);
  bool neighbour = false;
  for (const int d : order) {
    const int64_t size = array.dimension(d);
    if (absl::c_linear_search(dimensions, d)) {
      folded.place[d] = static_cast<int>(folded.sizes.size());
      folded.sizes.push_back(size);
      if (size == 1) continue;
      if (neighbour && in_order) {
        folded.extents.back() *= size;
      } else {
        folded.extents.push_back(size);
      }
      neighbour = true;
    } else if (size != 1) {
      neighbour = false;
    }
  }
  return folded;
}

// A reduce as the loops of its elements: the operand's dimensions are those of the result and the folded ones.
struct ReduceView {
  explicit ReduceView(const HloInstruction& reduce, bool may_reorder)
      : operand(reduce.operand(0)->shape()),
        result(reduce.shape().IsTuple() ? reduce.shape().tuple_shape(0) : reduce.shape()),
        folded(FoldedDimensionsOf(operand, reduce.attributes<DimensionsAttributes>().dimensions, may_reorder)),
        sizes(result.dimensions().begin(), result.dimensions().end()),
        from(operand.rank()) {
    sizes.insert(sizes.end(), folded.sizes.begin(), folded.sizes.end());
    for (int d = 0, kept = 0; d < operand.rank(); ++d) {
      from[d] = folded.place[d] < 0 ? kept++ : result.rank() + folded.place[d];
    }
  }
  ElementIndex OperandIndex(IndexArithmetic& indices, const ElementIndex& kept,
                            absl::Span<const KernelValue> loops) const {
    return indices.Rearrange(sizes, Joined(kept, folded.IndexOf(loops)), operand.dimensions(), from, {});
  }

  const Shape& operand;
  const Shape& result;
  FoldedDimensions folded;
  DimensionVector sizes;
  std::vector<int> from;
};

// Of wider floats, vectors hold no more keys than they do floats.
absl::optional<ExtremumKeys> NarrowKeysOf(const KernelReducer& reducer, const Shape& operand) {
  const bool is_narrow = ByteWidth(operand.element_type()) <= 2;
  return is_narrow ? ExtremumKeys::Of(reducer, operand.element_type()) : absl::nullopt;
}

}  // namespace

// In this order: partial results that an earlier phase has left; extrema of narrow floats by keys; pairs of value and
// index in lanes; any other function as a fold.
ElementEmitter::Values ElementEmitter::RunReduce(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const int count = instruction.operand_count() / 2;
  const KernelReducer& reducer = ReducerOf(instruction);
  Values initial;
  for (int i = 0; i < count; ++i) {
    const KernelValue value = GetOperand(request, count + i, {});
    if (value == kNoValue) return {};
    initial.push_back(reducer.op.has_value() ? b_.Convert(value, reducer.accumulator_type) : value);
  }
  const ReduceView view(instruction, reducer.reorders);
  Values values = initial;
  const auto partials =
      std::find_if(partials_.begin(), partials_.end(), [&](const Partials& p) { return p.node == request.node; });
  if (partials != partials_.end()) {
    values = CombinePartials(request, *partials, initial);
  } else if (view.operand.ElementCount() != 0) {
    const auto element = [&](absl::Span<const KernelValue> loops) {
      const ElementIndex index = view.OperandIndex(indices_, request.index, loops);
      Values elements;
      for (int i = 0; i < count; ++i) {
        elements.push_back(b_.Convert(EmitOperand(request, i, index, request.predicate), b_.TypeOf(initial[i])));
      }
      return std::make_pair(elements, kNoValue);
    };
    if (const auto keys = NarrowKeysOf(reducer, view.operand); keys.has_value()) {
      const auto of_loops = [&](absl::Span<const KernelValue> loops) {
        return EmitOperand(request, 0, view.OperandIndex(indices_, request.index, loops), request.predicate);
      };
      const KernelValue found = FoldExtremum(request, *keys, view.folded.extents, view.folded.contiguous, of_loops);
      const KernelValue value = b_.Binary(*reducer.op, initial[0], b_.Convert(found, reducer.accumulator_type));
      return {b_.Convert(value, view.result.element_type())};
    }
    const FoldLoops loops = {view.folded.extents,
                             view.folded.contiguous,
                             &reducer,
                             initial,
                             /*may_skip=*/false,
                             instruction.called_computation(0),
                             element};
    values = MayFoldPairs(request, loops) ? FoldPairs(request, loops) : Fold(request, loops);
  }
  if (reducer.op.has_value()) values[0] = b_.Convert(values[0], view.result.element_type());
  return values;
}

KernelValue ElementEmitter::FoldExtremum(const Request& request, const ExtremumKeys& keys,
                                         const std::vector<int64_t>& extents, bool contiguous,
                                         absl::FunctionRef<KernelValue(absl::Span<const KernelValue>)> element) {
  const auto key = [&](absl::Span<const KernelValue> loops) {
    return std::make_pair(Values{keys.KeyOf(b_, element(loops))}, kNoValue);
  };
  const Values neutral = {b_.Constant(keys.reducer().neutral)};
  const FoldLoops loops = {extents, contiguous, &keys.reducer(), neutral, /*may_skip=*/false, nullptr, key};
  return keys.ValueOf(b_, Fold(request, loops)[0]);
}

// Combines the partial results of chunks and groups with the initial value, in order.
ElementEmitter::Values ElementEmitter::CombinePartials(const Request& request, const Partials& partials,
                                                       const Values& initial) {
  const PartialPlaces& places = partials.places;
  const HloOpcode op = *ReducerOf(*request.node.instruction).op;
  const KernelValue element = indices_.Linear(request.index.empty() ? ElementIndex{{1, b_.Index(0)}} : request.index);
  // Without groups, inner elements need not be told from others.
  const int64_t inner = places.groups > 1 ? places.inner : places.elements;
  const KernelValue outside = b_.Quotient(element, inner);
  const KernelValue inside = b_.Remainder(element, inner);
  return b_.Reduce(
      {places.chunks, places.groups}, 1, initial, {},
      [&](absl::Span<const KernelValue> part) -> Values {
        const KernelValue place = b_.Affine({{places.groups * places.elements, part[0]},
                                             {places.groups * inner, outside},
                                             {inner, part[1]},
                                             {1, inside}});
        return {b_.Load(partials.buffer, place, request.predicate)};
      },
      [&](absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) -> Values {
        return {b_.Binary(op, left[0], right[0])};
      });
}

// ---- Pairs of a value and an index

namespace {

// Rows of fewer pairs are combined one after the other.
constexpr int64_t kMinPairs = 32;
constexpr int64_t kPairLanes = 16;

// Whether values are left out of the result: whoever reads it looks at the indices only.
bool OnlyIndicesAreUsed(const HloInstruction& reduce) {
  if (reduce.parent()->root() == &reduce) return false;
  for (const HloInstruction* user : reduce.users()) {
    const bool is_index =
        user->opcode() == HloOpcode::kGetTupleElement && user->attributes<GetTupleElementAttributes>().index == 1;
    if (!is_index) return false;
  }
  return !reduce.users().empty();
}

// The better one of two pairs, or that with the lower index.
// NaN is better than any number, as in the reducers of jnp.argmax; of two NaN the one with the lower index.
ElementEmitter::Values BetterPair(KernelBuilder& b, bool maximum, absl::Span<const KernelValue> left,
                                  absl::Span<const KernelValue> right) {
  const auto direction = maximum ? ComparisonDirection::kGt : ComparisonDirection::kLt;
  const KernelValue is_lower = b.Compare(ComparisonDirection::kLt, left[1], right[1]);
  KernelValue keep = b.Binary(HloOpcode::kOr, b.Compare(direction, left[0], right[0]),
                              b.And(b.Compare(ComparisonDirection::kEq, left[0], right[0]), is_lower));
  if (IsFloat(b.TypeOf(left[0]))) {
    const KernelValue left_is_nan = b.Compare(ComparisonDirection::kNe, left[0], left[0]);
    const KernelValue right_is_number = b.Compare(ComparisonDirection::kEq, right[0], right[0]);
    keep = b.Binary(HloOpcode::kOr, keep, b.And(left_is_nan, b.Binary(HloOpcode::kOr, right_is_number, is_lower)));
  }
  return {b.Select(keep, left[0], right[0]), b.Select(keep, left[1], right[1])};
}

}  // namespace

// The number along dimension `d`, as far as can be seen.
bool ElementEmitter::CountsAlong(ArrayNode node, int d) {
  while (true) {
    node = Resolve(std::move(node));
    const HloInstruction& instruction = *node.instruction;
    if (instruction.opcode() == HloOpcode::kIota) {
      const Shape& shape = instruction.shape();
      const int bits = BitWidth(shape.element_type());
      const bool fits = bits >= 32 || shape.dimension(d) <= int64_t{1} << (bits - 1);
      return fits && instruction.attributes<IotaAttributes>().iota_dimension == d;
    }
    if (instruction.opcode() != HloOpcode::kBroadcast) return false;
    const auto& dimensions = instruction.attributes<BroadcastAttributes>().dimensions;
    const auto place = std::find(dimensions.begin(), dimensions.end(), d);
    if (place == dimensions.end()) return false;
    d = static_cast<int>(place - dimensions.begin());
    node = {instruction.operand(0), {}, node.context};
  }
}

// Lanes combine pairs in another order than that of the elements, which pair_reducer.h allows for argmax and argmin;
// for functions that keep the left one of two NaN only if the indices are known to ascend.
bool ElementEmitter::MayFoldPairs(const Request& request, const FoldLoops& loops) {
  const HloInstruction& reduce = *request.node.instruction;
  const auto& dimensions = reduce.attributes<DimensionsAttributes>().dimensions;
  if (!loops.contiguous || loops.initial.size() != 2 || dimensions.size() != 1 || loops.extents.size() != 1 ||
      loops.extents[0] < kMinPairs || !IsShared(request.node)) {
    return false;
  }
  const absl::optional<PairReducer> reducer = AnalyzePairReducer(*loops.computation);
  return reducer.has_value() &&
         (!reducer->needs_ascending_indices ||
          CountsAlong({reduce.operand(1), {}, request.node.context}, static_cast<int>(dimensions[0])));
}

// In lanes, and then what came before all pairs on their left.
ElementEmitter::Values ElementEmitter::FoldPairs(const Request& request, const FoldLoops& loops) {
  const PairReducer reducer = *AnalyzePairReducer(*loops.computation);
  const PrimitiveType type = b_.TypeOf(loops.initial[0]);
  // A pair that every other one is better than, or equal to.
  const Values neutral = {b_.Constant(*(reducer.maximum ? LiteralUtil::MinValue(type) : LiteralUtil::MaxValue(type))),
                          b_.Constant(*LiteralUtil::MaxValue(b_.TypeOf(loops.initial[1])))};
  lane_reductions_.insert(b_.Depth());
  const Values best = b_.Reduce(
      loops.extents, kPairLanes, neutral, neutral,
      [&](absl::Span<const KernelValue> i) { return loops.element(i).first; },
      [&](absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) {
        return BetterPair(b_, reducer.maximum, left, right);
      });
  Values arguments = loops.initial;
  arguments.insert(arguments.end(), best.begin(), best.end());
  Values values = Apply(*loops.computation, arguments);
  if (reducer.keeps_last_value && IsFloat(type) && !OnlyIndicesAreUsed(*request.node.instruction)) {
    // Which zero it is only the order tells.
    const KernelValue is_zero = b_.Compare(ComparisonDirection::kEq, values[0], Zero(type));
    values[0] = b_.If(
        is_zero, [&] { return Values{Fold(request, loops)[0]}; }, [&] { return Values{values[0]}; })[0];
  }
  return values;
}

// How a reduction goes through memory: its loops, whether they are contiguous, and how many kept elements lie next to
// each other.
ReduceShape ElementEmitter::ShapeOf(const HloInstruction& reduce) {
  const ReduceView view(reduce, ReducerOf(reduce).reorders);
  int64_t inner = view.result.ElementCount();
  if (view.operand.IsRowMajor()) {
    inner = 1;
    for (int d = view.operand.rank() - 1; d >= 0; --d) {
      const int64_t size = view.operand.dimension(d);
      if (view.folded.place[d] >= 0 && size != 1) break;
      inner *= size;
    }
  }
  return {view.folded.extents, view.folded.contiguous, inner};
}

// Begins with the identity instead of the initial value, which whoever combines the parts adds once.
KernelValue ElementEmitter::PartialReduce(const ArrayNode& node, const ElementIndex& kept, KernelValue begin,
                                          int64_t count, int64_t stride) {
  const HloInstruction& instruction = *node.instruction;
  const KernelReducer& reducer = ReducerOf(instruction);
  const ReduceView view(instruction, reducer.reorders);
  const Request request{node, kept, kNoValue};
  std::vector<int64_t> extents = view.folded.extents;
  extents[0] = count;
  const auto operand = [&](absl::Span<const KernelValue> loops) {
    std::vector<KernelValue> all(loops.begin(), loops.end());
    all[0] = b_.Affine({{1, begin}, {stride, loops[0]}});
    return EmitOperand(request, 0, view.OperandIndex(indices_, kept, all), kNoValue);
  };
  if (const auto keys = NarrowKeysOf(reducer, view.operand); keys.has_value()) {
    return b_.Convert(FoldExtremum(request, *keys, extents, view.folded.contiguous, operand), reducer.accumulator_type);
  }
  const auto element = [&](absl::Span<const KernelValue> loops) {
    return std::make_pair(Values{b_.Convert(operand(loops), reducer.accumulator_type)}, kNoValue);
  };
  const Values neutral = {b_.Constant(reducer.neutral)};
  return Fold(request, {extents, view.folded.contiguous, &reducer, neutral, /*may_skip=*/false, nullptr, element})[0];
}

// ---- Windows

namespace {

// Where a window position meets an array along one dimension.
struct WindowPosition {
  KernelValue value;
  KernelValue inside;  // kNoValue: always
};

WindowPosition PositionOf(KernelBuilder& b, const WindowDimension& window, int64_t size, KernelValue output,
                          KernelValue within) {
  const KernelValue position =
      b.Affine({{window.stride, output}, {window.window_dilation, within}}, -window.padding_low);
  WindowPosition found;
  found.inside = b.InRange(position, 0, (size - 1) * window.base_dilation);
  found.value = b.Quotient(position, window.base_dilation);
  found.inside = b.And(found.inside, b.InRange(b.Remainder(position, window.base_dilation), 0, 0));
  return found;
}

// The same for functions that may take in an element twice, of windows that all meet the array: instead of places
// outside, which count for nothing, the nearest within, which is in the window too.
WindowPosition ClampedPositionOf(KernelBuilder& b, const WindowDimension& window, int64_t size, KernelValue output,
                                 KernelValue within) {
  const KernelValue position = b.Affine({{window.stride, output}, {1, within}}, -window.padding_low);
  const auto [low, high] = b.RangeOf(position);
  KernelValue clamped = position;
  if (low < 0) clamped = b.Binary(HloOpcode::kMaximum, clamped, b.Index(0));
  if (high >= size) clamped = b.Binary(HloOpcode::kMinimum, clamped, b.Index(size - 1));
  return {b.AsIndex(clamped, 0, size - 1), kNoValue};
}

// The most elements of an array of `size` elements, and places between dilated ones, that a window can hold.
int64_t MostPlacesInside(const WindowDimension& window, int64_t size) {
  return (size - 1) * window.base_dilation / window.window_dilation + 1;
}

// Whether windows reach so far beyond the array that they are gone through from the first place within it only. That
// changes the lane of elements, so that ordinary windows are left as they are.
bool IsMostlyOutside(const WindowDimension& window, int64_t size) {
  return window.size / 2 > MostPlacesInside(window, size);
}

// The same where `within` counts from the first place that is not in front of the array.
WindowPosition PositionInside(KernelBuilder& b, const WindowDimension& window, int64_t size, KernelValue output,
                              KernelValue within) {
  const int64_t low = window.padding_low;
  const KernelValue in_front = b.Binary(HloOpcode::kMaximum, b.Affine({{-window.stride, output}}, low), b.Index(0));
  const KernelValue first =
      b.Quotient(b.Affine({{1, b.AsIndex(in_front, 0, std::max<int64_t>(low, 0))}}, window.window_dilation - 1),
                 window.window_dilation);
  const KernelValue place = b.Affine({{1, first}, {1, within}});
  WindowPosition found = PositionOf(b, window, size, output, place);
  found.inside = b.And(found.inside, b.InRange(place, 0, window.size - 1));
  return found;
}

// Whether positions of a window along dimension `d` can be clamped. Not along the one in lanes, whose elements would
// not follow each other in memory any more.
bool CanClamp(const HloInstruction& reduce_window, int d, int64_t outputs) {
  const WindowDimension& window = reduce_window.attributes<WindowAttributes>().window.dimensions[d];
  const Shape& operand = reduce_window.operand(0)->shape();
  int fastest = -1;
  for (const int i : PhysicalOrder(operand)) {
    if (operand.dimension(i) != 1) fastest = i;
  }
  return d != fastest && window.base_dilation == 1 && window.window_dilation == 1 && window.size > window.padding_low &&
         (outputs - 1) * window.stride - window.padding_low < operand.dimension(d);
}

}  // namespace

// Folds the window of one result element; places outside of the operand are skipped. Where repeating an element
// changes nothing (maximum, minimum), positions are clamped to the border instead, which needs no condition.
// Windows much larger than the operand are not gone through from end to end.
ElementEmitter::Values ElementEmitter::RunReduceWindow(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const int count = instruction.operand_count() / 2;
  const Shape& operand = instruction.operand(0)->shape();
  const Window& window = instruction.attributes<WindowAttributes>().window;
  const KernelReducer& reducer = ReducerOf(instruction);
  Values initial;
  std::vector<PrimitiveType> types;
  for (int i = 0; i < count; ++i) {
    const KernelValue value = GetOperand(request, count + i, {});
    if (value == kNoValue) return {};
    const Shape& result = instruction.shape().IsTuple() ? instruction.shape().tuple_shape(i) : instruction.shape();
    types.push_back(result.element_type());
    initial.push_back(b_.Convert(value, types[i]));
    if (reducer.op.has_value()) initial[i] = b_.Convert(initial[i], reducer.accumulator_type);
  }
  Values values = initial;
  if (operand.ElementCount() != 0) {
    const Shape& result = instruction.shape().IsTuple() ? instruction.shape().tuple_shape(0) : instruction.shape();
    std::vector<int64_t> extents;
    std::vector<decltype(&PositionOf)> position_of;
    for (int d = 0; d < operand.rank(); ++d) {
      const WindowDimension& along = window.dimensions[d];
      if (IsMostlyOutside(along, operand.dimension(d))) {
        extents.push_back(MostPlacesInside(along, operand.dimension(d)));
        position_of.push_back(&PositionInside);
        continue;
      }
      const bool is_clamped = MayRepeatElements(reducer) && CanClamp(instruction, d, result.dimension(d));
      extents.push_back(along.size);
      position_of.push_back(is_clamped ? &ClampedPositionOf : &PositionOf);
    }
    const auto element = [&](absl::Span<const KernelValue> loops) {
      std::vector<int> from(operand.rank(), -1);
      std::vector<KernelValue> own(operand.rank(), kNoValue);
      KernelValue inside = kNoValue;
      for (int d = 0; d < operand.rank(); ++d) {
        const KernelValue output = indices_.At(result.dimensions(), request.index, d);
        const WindowPosition position =
            position_of[d](b_, window.dimensions[d], operand.dimension(d), output, loops[d]);
        own[d] = position.value;
        inside = b_.And(inside, position.inside);
      }
      const ElementIndex index =
          indices_.Rearrange(result.dimensions(), request.index, operand.dimensions(), from, own);
      Values elements;
      for (int i = 0; i < count; ++i) {
        const KernelValue x = EmitOperand(request, i, index, b_.And(request.predicate, inside));
        elements.push_back(b_.Convert(b_.Convert(x, types[i]), b_.TypeOf(initial[i])));
      }
      return std::make_pair(elements, inside);
    };
    values = Fold(request, {extents, /*contiguous=*/false, &reducer, initial, /*may_skip=*/true,
                            instruction.called_computation(0), element, /*may_unroll=*/true});
  }
  if (reducer.op.has_value()) values[0] = b_.Convert(values[0], types[0]);
  return values;
}

// ---- Products

namespace {

// What products of these are added up in, for a result of this type.
PrimitiveType ProductAccumulator(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType result) {
  const bool wide = lhs == F64 || rhs == F64 || result == F64 || lhs == C128 || rhs == C128 || result == C128;
  if (IsComplex(result)) return wide ? C128 : C64;
  if (IsFloat(result)) return wide ? F64 : F32;
  return result;
}

// Sums of floats that become integers are rounded once, at the end; an accumulator of the result's type rounds each
// product.
bool IsIntegerOfFloats(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType result) {
  return (IsFloat(lhs) || IsFloat(rhs)) && !IsFloat(result) && !IsComplex(result);
}

KernelValue Product(KernelBuilder& b, KernelValue x, KernelValue y, PrimitiveType type) {
  return b.Binary(HloOpcode::kMultiply, b.Convert(x, type), b.Convert(y, type));
}

}  // namespace

// The sum of products along the contracted dimensions, with the accumulator type of the interpreter, so that both
// round alike.
ElementEmitter::Values ElementEmitter::RunDot(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  const Shape& result = instruction.shape();
  DotDimensions dims = DotDimensionsOf(instruction.attributes<DotAttributes>());
  if (const absl::Status status = CompleteDotDimensions(lhs, rhs, dims); !status.ok()) {
    Fail(instruction, status.message());
    return {};
  }
  if (IsIntegerOfFloats(lhs.element_type(), rhs.element_type(), result.element_type())) {
    Fail(instruction, "an integer sum of products of floats");
    return {};
  }
  const PrimitiveType type = ProductAccumulator(lhs.element_type(), rhs.element_type(), result.element_type());
  const KernelReducer reducer = SumReducer(type);
  Values values = {Zero(type)};
  if (lhs.ElementCount() != 0 && rhs.ElementCount() != 0) {
    DimensionVector sizes(result.dimensions().begin(), result.dimensions().end());
    std::vector<int> from_lhs(lhs.rank()), from_rhs(rhs.rank());
    int place = 0;
    for (size_t i = 0; i < dims.lhs_batch.size(); ++i, ++place) {
      from_lhs[dims.lhs_batch[i]] = place;
      from_rhs[dims.rhs_batch[i]] = place;
    }
    for (const int64_t d : dims.lhs_free) from_lhs[d] = place++;
    for (const int64_t d : dims.rhs_free) from_rhs[d] = place++;
    std::vector<int64_t> extents;
    for (size_t i = 0; i < dims.lhs_contracting.size(); ++i, ++place) {
      from_lhs[dims.lhs_contracting[i]] = place;
      from_rhs[dims.rhs_contracting[i]] = place;
      sizes.push_back(lhs.dimension(static_cast<int>(dims.lhs_contracting[i])));
      extents.push_back(sizes.back());
    }
    const auto element = [&](absl::Span<const KernelValue> loops) {
      const auto contracted = absl::MakeConstSpan(sizes).subspan(result.rank());
      const ElementIndex index = Joined(request.index, IndexArithmetic::Of(contracted, loops));
      const KernelValue x =
          EmitOperand(request, 0, indices_.Rearrange(sizes, index, lhs.dimensions(), from_lhs, {}), request.predicate);
      const KernelValue y =
          EmitOperand(request, 1, indices_.Rearrange(sizes, index, rhs.dimensions(), from_rhs, {}), request.predicate);
      return std::make_pair(Values{Product(b_, x, y, type)}, kNoValue);
    };
    const bool contiguous = !extents.empty() && dims.lhs_contracting.back() == lhs.rank() - 1 &&
                            dims.rhs_contracting.back() == rhs.rank() - 1;
    values = Fold(request, {extents, contiguous, &reducer, values, /*may_skip=*/true, nullptr, element});
  }
  return {b_.Convert(values[0], result.element_type())};
}

// The sum over the kernel's window and the input features of the group. Places outside of the input, or between
// dilated elements, count as zero.
ElementEmitter::Values ElementEmitter::RunConvolution(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const auto& a = instruction.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& labels = a.dim_labels;
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  const Shape& result = instruction.shape();
  const bool forward = a.convolution_kind == ConvolutionKind::kUnset || a.convolution_kind == ConvolutionKind::kFprop;
  if (!forward || a.sparsity_config.lhs.has_value() || a.sparsity_config.rhs.has_value()) {
    Fail(instruction, "a sparse convolution, or a gradient");
    return {};
  }
  if (IsIntegerOfFloats(lhs.element_type(), rhs.element_type(), result.element_type())) {
    Fail(instruction, "an integer sum of products of floats");
    return {};
  }
  const PrimitiveType type = ProductAccumulator(lhs.element_type(), rhs.element_type(), result.element_type());
  const KernelReducer reducer = SumReducer(type);
  Values values = {Zero(type)};
  if (lhs.ElementCount() != 0 && rhs.ElementCount() != 0) {
    const auto size_of = [](const Shape& shape, int64_t d) { return shape.dimension(static_cast<int>(d)); };
    const auto output = [&](int64_t d) { return indices_.At(result.dimensions(), request.index, static_cast<int>(d)); };
    const int64_t groups = std::max(a.feature_group_count, a.batch_group_count);
    const int64_t features = size_of(rhs, labels.kernel_input_feature);
    const int64_t outputs = size_of(rhs, labels.kernel_output_feature) / groups;
    const KernelValue group = b_.Quotient(output(labels.output_feature), outputs);
    std::vector<int64_t> extents;
    for (const WindowDimension& d : a.window.dimensions) extents.push_back(d.size);
    extents.push_back(features);
    const size_t spatial = labels.input_spatial.size();
    const auto element = [&](absl::Span<const KernelValue> loops) {
      std::vector<KernelValue> at_lhs(lhs.rank(), kNoValue), at_rhs(rhs.rank(), kNoValue);
      KernelValue inside = kNoValue;
      for (size_t i = 0; i < spatial; ++i) {
        const WindowDimension& window = a.window.dimensions[i];
        const WindowPosition position =
            PositionOf(b_, window, size_of(lhs, labels.input_spatial[i]), output(labels.output_spatial[i]), loops[i]);
        at_lhs[labels.input_spatial[i]] = position.value;
        inside = b_.And(inside, position.inside);
        at_rhs[labels.kernel_spatial[i]] =
            window.window_reversal ? b_.Affine({{-1, loops[i]}}, window.size - 1) : loops[i];
      }
      const KernelValue feature = loops[spatial];
      at_lhs[labels.input_feature] = a.feature_group_count > 1 ? b_.Affine({{features, group}, {1, feature}}) : feature;
      at_lhs[labels.input_batch] =
          a.batch_group_count > 1
              ? b_.Affine({{size_of(result, labels.output_batch), group}, {1, output(labels.output_batch)}})
              : output(labels.output_batch);
      at_rhs[labels.kernel_input_feature] = feature;
      at_rhs[labels.kernel_output_feature] = output(labels.output_feature);
      const KernelValue x =
          EmitOperand(request, 0, IndexArithmetic::Of(lhs.dimensions(), at_lhs), b_.And(request.predicate, inside));
      const KernelValue y = EmitOperand(request, 1, IndexArithmetic::Of(rhs.dimensions(), at_rhs), request.predicate);
      return std::make_pair(Values{Product(b_, x, y, type)}, inside);
    };
    const bool contiguous = labels.input_feature == lhs.rank() - 1 && labels.kernel_input_feature == rhs.rank() - 1;
    values = Fold(request, {extents, contiguous, &reducer, values, /*may_skip=*/true, nullptr, element});
  }
  return {b_.Convert(values[0], result.element_type())};
}

}  // namespace xla
