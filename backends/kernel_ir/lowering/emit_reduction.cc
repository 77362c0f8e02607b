// Rules of operations that combine many elements into one: reduce, reduce-window, dot and convolution.
//
// All of them fold the elements of a space of neighbouring loops. Functions that may take elements in another order
// than that of the indices (kernel_reducer.h) do so in lanes, where the elements follow each other in memory, and in
// blocks, so that rounding errors of sums grow with the number of blocks and not with that of all elements. What a
// function may not see (padding, holes of a dilation) is its identity; a function without one gets a flag for each
// element.
#include <algorithm>
#include <numeric>

#include "absl/functional/function_ref.h"
#include "backends/kernel_ir/lowering/element_emitter.h"
#include "xla_core/ops/dot_dimensions.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// Loops of fewer elements stay one loop, whose index is taken apart.
constexpr int64_t kShortLoop = 8;
// Rows of fewer elements are not worth lanes.
constexpr int64_t kMinLaneElements = 16;
// Elements that a lane adds up before the sum joins those of other blocks.
constexpr int64_t kBlock = 512;

int64_t LanesFor(PrimitiveType type, int64_t row) {
  if (row < kMinLaneElements) return 1;
  int64_t lanes = ByteWidth(type) <= 2 ? 64 : 32;
  while (lanes > row) lanes /= 2;
  return lanes;
}

// The largest divisor of n within [low, high], or 1.
int64_t DivisorWithin(int64_t n, int64_t low, int64_t high) {
  for (int64_t d = std::min(n, high); d >= low; --d) {
    if (n % d == 0) return d;
  }
  return 1;
}

}  // namespace

struct ElementEmitter::FoldLoops {
  // Row-major; each may be split in two and put together again.
  std::vector<int64_t> extents;
  // The elements along the last extent follow each other in memory.
  bool contiguous = false;
  const KernelReducer* reducer = nullptr;
  Values initial;                               // of the accumulators' types
  bool may_skip = false;                        // elements may be told not to count
  const HloComputation* computation = nullptr;  // where the reducer is not known
  // The values of an element, of the accumulators' types, and where they count (kNoValue: everywhere).
  absl::FunctionRef<std::pair<Values, KernelValue>(absl::Span<const KernelValue>)> element;
};

ElementEmitter::Values ElementEmitter::Fold(const Request& request, const FoldLoops& loops) {
  const HloInstruction* const instruction = request.node.instruction;
  // Loops that earlier drafts found to be two.
  std::vector<int64_t> extents;
  std::vector<std::vector<int64_t>> parts;  // of each extent of `loops`, sizes of the loops that it became
  for (size_t k = 0; k < loops.extents.size(); ++k) {
    std::vector<int64_t> sizes;
    int64_t whole = loops.extents[k];
    const auto found = splits_.find({instruction, static_cast<int>(k)});
    if (found != splits_.end()) {
      for (auto inner = found->second.rbegin(); inner != found->second.rend(); ++inner) {
        if (*inner < kShortLoop || *inner >= whole || whole % *inner != 0) continue;
        sizes.push_back(whole / *inner);
        whole = *inner;
      }
    }
    sizes.push_back(whole);
    extents.insert(extents.end(), sizes.begin(), sizes.end());
    parts.push_back(std::move(sizes));
  }

  const KernelReducer& reducer = *loops.reducer;
  const bool known = reducer.op.has_value();
  KernelValue neutral = kNoValue;
  if (known) neutral = b_.Constant(reducer.neutral);
  int64_t lanes = 1;
  if (known && reducer.reorders && loops.contiguous && !extents.empty()) {
    lanes = LanesFor(reducer.accumulator_type, extents.back());
  }
  if (lanes > 1) lane_reductions_.insert(b_.Depth());

  const bool flagged = !known && loops.may_skip;
  const auto element = [&](absl::Span<const KernelValue> indices) {
    std::vector<KernelValue> whole;
    for (size_t k = 0, i = 0; k < parts.size(); ++k) {
      absl::InlinedVector<std::pair<int64_t, KernelValue>, 3> terms;
      int64_t stride = loops.extents[k];
      for (const int64_t size : parts[k]) {
        stride /= size;
        terms.push_back({stride, indices[i++]});
      }
      whole.push_back(b_.Affine(terms));
    }
    const size_t splits_before = indices_.splits().size();
    auto [values, inside] = loops.element(whole);
    for (size_t s = splits_before; s < indices_.splits().size(); ++s) {
      const IndexSplit& split = indices_.splits()[s];
      const auto place = std::find(whole.begin(), whole.end(), split.value);
      if (place == whole.end()) continue;
      splits_[{instruction, static_cast<int>(place - whole.begin())}].insert(split.inner);
    }
    if (known && inside != kNoValue) values[0] = b_.Select(inside, values[0], neutral);
    if (flagged) {
      values.push_back(inside == kNoValue ? b_.Constant(Literal::Scalar<bool>(true)) : inside);
    }
    return values;
  };
  const auto combine = [&](absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) -> Values {
    if (known) return {b_.Binary(*reducer.op, left[0], right[0])};
    const size_t count = loops.initial.size();
    std::vector<KernelValue> arguments(left.begin(), left.begin() + count);
    arguments.insert(arguments.end(), right.begin(), right.begin() + count);
    Values values = Apply(*loops.computation, arguments);
    if (flagged) {
      for (size_t i = 0; i < count; ++i) values[i] = b_.Select(right.back(), values[i], left[i]);
      values.push_back(left.back());
    }
    return values;
  };

  Values initial = loops.initial;
  if (flagged) initial.push_back(b_.Constant(Literal::Scalar<bool>(true)));
  const Values neutrals = lanes > 1 ? Values{neutral} : Values();

  // Blocks, for sums that round.
  const PrimitiveType type = reducer.accumulator_type;
  const bool rounds = known && reducer.reorders && reducer.op == HloOpcode::kAdd && !IsInt(type) && type != PRED;
  if (rounds && !extents.empty()) {
    size_t first_inner = extents.size() - 1;
    int64_t inner = extents.back();
    if (inner / lanes > 2 * kBlock) {
      const int64_t divisor = DivisorWithin(inner, lanes * kBlock / 4, lanes * kBlock);
      if (divisor > 1) {
        extents.back() /= divisor;
        extents.push_back(divisor);
        first_inner = extents.size() - 1;
        inner = divisor;
      }
    }
    while (first_inner > 0 && inner / lanes * extents[first_inner - 1] <= kBlock) inner *= extents[--first_inner];
    if (first_inner > 0) {
      const std::vector<int64_t> outer_extents(extents.begin(), extents.begin() + first_inner);
      const std::vector<int64_t> inner_extents(extents.begin() + first_inner, extents.end());
      const bool last_is_cut = extents.size() > std::accumulate(parts.begin(), parts.end(), size_t{0},
                                                                [](size_t n, const auto& p) { return n + p.size(); });
      return b_.Reduce(
          outer_extents, 1, initial, {},
          [&](absl::Span<const KernelValue> outer) {
            return b_.Reduce(
                inner_extents, lanes, {neutral}, neutrals,
                [&](absl::Span<const KernelValue> within) {
                  std::vector<KernelValue> indices(outer.begin(), outer.end());
                  indices.insert(indices.end(), within.begin(), within.end());
                  if (last_is_cut) {
                    const KernelValue low = indices.back();
                    indices.pop_back();
                    indices.back() = b_.Affine({{inner_extents.back(), indices.back()}, {1, low}});
                  }
                  return element(indices);
                },
                combine);
          },
          combine);
    }
  }
  Values values = b_.Reduce(extents, lanes, initial, neutrals, element, combine);
  if (flagged) values.pop_back();
  return values;
}

namespace {

bool Contains(absl::Span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

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

FoldedDimensions FoldedDimensionsOf(const Shape& array, absl::Span<const int64_t> dimensions, bool may_reorder) {
  FoldedDimensions folded;
  folded.place.assign(array.rank(), -1);
  std::vector<int> order = PhysicalOrder(array);
  const bool in_order = LiesRowMajor(array) || !may_reorder;
  bool contiguous = false;
  for (const int d : order) {
    if (array.dimension(d) != 1) contiguous = Contains(dimensions, d);
  }
  folded.contiguous = contiguous;
  if (in_order) std::iota(order.begin(), order.end(), 0);
  bool neighbour = false;
  for (const int d : order) {
    const int64_t size = array.dimension(d);
    if (Contains(dimensions, d)) {
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

}  // namespace

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
    const KernelValue linear = indices_.Linear(request.index.empty() ? ElementIndex{{1, b_.Index(0)}} : request.index);
    values = b_.Reduce(
        {partials->chunks}, 1, initial, {},
        [&](absl::Span<const KernelValue> chunk) -> Values {
          const KernelValue place = b_.Affine({{view.result.ElementCount(), chunk[0]}, {1, linear}});
          return {b_.Load(partials->buffer, place, request.predicate)};
        },
        [&](absl::Span<const KernelValue> left, absl::Span<const KernelValue> right) -> Values {
          return {b_.Binary(*reducer.op, left[0], right[0])};
        });
  } else if (view.operand.ElementCount() != 0) {
    const auto element = [&](absl::Span<const KernelValue> loops) {
      const ElementIndex index = view.OperandIndex(indices_, request.index, loops);
      Values elements;
      for (int i = 0; i < count; ++i) {
        elements.push_back(b_.Convert(EmitOperand(request, i, index, request.predicate), b_.TypeOf(initial[i])));
      }
      return std::make_pair(elements, kNoValue);
    };
    values = Fold(request, {view.folded.extents, view.folded.contiguous, &reducer, initial,
                            /*may_skip=*/false, instruction.called_computation(0), element});
  }
  if (reducer.op.has_value()) values[0] = b_.Convert(values[0], view.result.element_type());
  return values;
}

ReduceShape ElementEmitter::ShapeOf(const HloInstruction& reduce) {
  const ReduceView view(reduce, ReducerOf(reduce).reorders);
  return {view.folded.extents, view.folded.contiguous};
}

KernelValue ElementEmitter::PartialReduce(const ArrayNode& node, const ElementIndex& kept, KernelValue begin,
                                          int64_t count) {
  const HloInstruction& instruction = *node.instruction;
  const KernelReducer& reducer = ReducerOf(instruction);
  const ReduceView view(instruction, reducer.reorders);
  const Request request{node, kept, kNoValue};
  std::vector<int64_t> extents = view.folded.extents;
  extents[0] = count;
  const auto element = [&](absl::Span<const KernelValue> loops) {
    std::vector<KernelValue> all(loops.begin(), loops.end());
    all[0] = b_.Affine({{1, begin}, {1, loops[0]}});
    const KernelValue x = EmitOperand(request, 0, view.OperandIndex(indices_, kept, all), kNoValue);
    return std::make_pair(Values{b_.Convert(x, reducer.accumulator_type)}, kNoValue);
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

}  // namespace

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
    for (const WindowDimension& d : window.dimensions) extents.push_back(d.size);
    const auto element = [&](absl::Span<const KernelValue> loops) {
      std::vector<int> from(operand.rank(), -1);
      std::vector<KernelValue> own(operand.rank(), kNoValue);
      KernelValue inside = kNoValue;
      for (int d = 0; d < operand.rank(); ++d) {
        const KernelValue output = indices_.At(result.dimensions(), request.index, d);
        const WindowPosition position = PositionOf(b_, window.dimensions[d], operand.dimension(d), output, loops[d]);
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
                            instruction.called_computation(0), element});
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

KernelValue Product(KernelBuilder& b, KernelValue x, KernelValue y, PrimitiveType type) {
  return b.Binary(HloOpcode::kMultiply, b.Convert(x, type), b.Convert(y, type));
}

}  // namespace

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
