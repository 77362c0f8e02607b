// Rules for reduce-window and select-and-scatter.
//
// Windows of one element are the operation itself, windows over whole dimensions are a reduce, padding with an
// identity is padding of the window, and two windows in a row are one if the function may be regrouped. All keep the
// order of elements, except where the function allows another one.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "passes/algebra/movement.h"
#include "passes/algebra/reducer.h"
#include "passes/algebra/reduction_rules.h"
#include "passes/analyses/cumulative_window.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

const Window& WindowOf(const HloInstruction& root) { return root.attributes<WindowAttributes>().window; }

// Whether the window is one element, and there is one for each element of the array.
bool IsTrivial(const Window& window) {
  for (const WindowDimension& dimension : window.dimensions) {
    WindowDimension one;
    one.window_dilation = dimension.window_dilation;
    if (!(dimension == one)) return false;
  }
  return true;
}

// Of one array, in its own type: floats may be reduced in another.
bool IsSimple(const HloInstruction& reduce_window) {
  return reduce_window.operand_count() == 2 &&
         reduce_window.shape().element_type() == reduce_window.operand(0)->shape().element_type() &&
         reduce_window.shape().element_type() == reduce_window.operand(1)->shape().element_type();
}

HloInstruction* ReduceWindowOfOne(HloInstruction* root, const RuleContext& context) {
  if (!IsSimple(*root) || !IsTrivial(WindowOf(*root))) return nullptr;
  const absl::optional<Reducer> reducer = ReducerOf(*root->called_computation(0));
  if (!reducer.has_value()) return nullptr;
  if (reducer->IsIdentity(*root->operand(1))) return root->operand(0);
  return context.build.Binary(reducer->op, root->operand(0),
                              context.build.BroadcastScalar(root->operand(1), root->shape()));
}

// Each dimension is either left alone or covered by one window. The order of the elements stays, so that this holds for
// any function.
HloInstruction* ReduceWindowOfWhole(HloInstruction* root, const RuleContext& context) {
  if (!IsSimple(*root)) return nullptr;
  const Shape& x = root->operand(0)->shape();
  DimensionVector reduced;
  for (int d = 0; d < x.rank(); ++d) {
    const WindowDimension& window = WindowOf(*root).dimensions[d];
    if (window.padding_low != 0 || window.padding_high != 0 || window.base_dilation != 1) return nullptr;
    if (window.size == 1 && window.stride == 1) continue;
    if (window.size != x.dimension(d) || (window.window_dilation != 1 && window.size != 1)) return nullptr;
    reduced.push_back(d);
  }
  if (reduced.empty()) return nullptr;
  HloInstruction* const result =
      context.build.Reduce(root->operand(0), root->operand(1), reduced, root->called_computation(0));
  return context.build.Reshape(result, root->shape().dimensions());
}

// The window's own padding joins nothing, as an identity does.
HloInstruction* ReduceWindowOfPad(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const pad = root->operand(0);
  if (pad->opcode() != HloOpcode::kPad || !IsSimple(*root)) return nullptr;
  const absl::optional<Reducer> reducer = ReducerOf(*root->called_computation(0));
  if (!reducer.has_value()) return nullptr;
  HloInstruction* const value = pad->operand(1);
  HloInstruction* const init = root->operand(1);
  if (!reducer->IsIdentityBeside(*value, *init) && !(reducer->IsIdempotent() && IsSameScalar(*value, *init))) {
    return nullptr;
  }
  const PaddingConfig& padding = pad->attributes<PadAttributes>().padding;
  Window window = WindowOf(*root);
  for (size_t d = 0; d < padding.size(); ++d) {
    WindowDimension& dimension = window.dimensions[d];
    if (padding[d] == PaddingDimension()) continue;
    // Cut elements are not padding, and padding that is spread has holes.
    if (padding[d].low < 0 || padding[d].high < 0 || dimension.base_dilation != 1 ||
        pad->operand(0)->shape().dimension(static_cast<int>(d)) == 0 ||
        !CheckedAdd(padding[d].interior, 1, &dimension.base_dilation) ||
        !CheckedAdd(dimension.padding_low, padding[d].low, &dimension.padding_low) ||
        !CheckedAdd(dimension.padding_high, padding[d].high, &dimension.padding_high)) {
      return nullptr;
    }
  }
  return context.build.ReduceWindow({pad->operand(0)}, {init}, window, root->called_computation(0));
}

// Neither steps, pads nor dilates.
bool IsDense(const WindowDimension& dimension) {
  WindowDimension dense;
  dense.size = dimension.size;
  return dimension == dense;
}

// The one window for two in one dimension, if there is one: that of the other where one is trivial, and a longer one,
// elements of which the two see several times, for functions that do not mind.
absl::optional<WindowDimension> MergedDimension(const WindowDimension& inner, const WindowDimension& outer,
                                                bool idempotent) {
  if (inner == WindowDimension()) return outer;
  if (outer == WindowDimension()) return inner;
  if (!idempotent || !IsDense(inner) || !IsDense(outer)) return absl::nullopt;
  WindowDimension both;
  if (!CheckedAdd(inner.size, outer.size - 1, &both.size)) return absl::nullopt;
  return both;
}

// How many elements a window has; -1 if that is not an int64_t.
int64_t ElementsOf(const Window& window) {
  int64_t count = 1;
  for (const WindowDimension& dimension : window.dimensions) {
    if (!CheckedMul(count, dimension.size, &count)) return -1;
  }
  return count;
}

// Only where the one window has no more elements than the two together: sums along two long dimensions, one after the
// other, are less work than sums over both.
HloInstruction* ReduceWindowOfReduceWindow(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const inner = root->operand(0);
  if (inner->opcode() != HloOpcode::kReduceWindow || !HasOneUse(*inner) || !IsSimple(*root) || !IsSimple(*inner)) {
    return nullptr;
  }
  const absl::optional<Reducer> reducer = ReducerOf(*root->called_computation(0));
  const absl::optional<Reducer> inner_reducer = ReducerOf(*inner->called_computation(0));
  if (!reducer.has_value() || !inner_reducer.has_value() || reducer->op != inner_reducer->op ||
      !reducer->MayRegroup()) {
    return nullptr;
  }
  HloInstruction* const init = root->operand(1);
  if (!reducer->IsIdentityBeside(*inner->operand(1), *init) &&
      !(reducer->IsIdempotent() && IsSameScalar(*inner->operand(1), *init))) {
    return nullptr;
  }
  Window window;
  for (size_t d = 0; d < WindowOf(*root).dimensions.size(); ++d) {
    const absl::optional<WindowDimension> merged =
        MergedDimension(WindowOf(*inner).dimensions[d], WindowOf(*root).dimensions[d], reducer->IsIdempotent());
    if (!merged.has_value()) return nullptr;
    window.dimensions.push_back(*merged);
  }
  const int64_t count = ElementsOf(window);
  const int64_t inner_count = ElementsOf(WindowOf(*inner)), outer_count = ElementsOf(WindowOf(*root));
  if (count < 0 || inner_count < 0 || outer_count < 0 || count - inner_count > outer_count) return nullptr;
  HloInstruction* const result =
      context.build.ReduceWindow({inner->operand(0)}, {init}, window, root->called_computation(0));
  return result->shape().SameDimensions(root->shape()) ? result : nullptr;
}

// Cuts one dimension of x, `size` long, to what the windows see that a slice reads; `first_of_x` and `end_of_x` are
// where. False if there is nothing to see.
bool CutDimension(const SliceRange& range, int64_t count, int64_t size, WindowDimension& window, int64_t& first_of_x,
                  int64_t& end_of_x) {
  // Within the padded size of x, so no sum is too large.
  const int64_t first = range.start * window.stride - window.padding_low;
  const int64_t last = first + (count - 1) * range.stride * window.stride + (window.size - 1) * window.window_dilation;
  first_of_x = std::max<int64_t>(first, 0);
  end_of_x = std::min(last + 1, size);
  if (first_of_x >= end_of_x) return false;
  window.padding_low = first_of_x - first;
  window.padding_high = last + 1 - end_of_x;
  window.stride = count == 1 ? 1 : window.stride * range.stride;
  if (count == 1 && window.window_dilation == 1) {
    // Padding joins nothing: the one window is what it sees.
    window.size = end_of_x - first_of_x;
    window.padding_low = window.padding_high = 0;
  }
  return true;
}

// Computes the windows that are read, of what of x they see, in the order in which they saw it. Cumulative windows stay
// whole, since all of them together are one pass over x.
HloInstruction* SliceOfReduceWindow(HloInstruction* root, const RuleContext& context) {
  HloInstruction* const reduce_window = root->operand(0);
  if (reduce_window->opcode() != HloOpcode::kReduceWindow || reduce_window->operand_count() != 2 ||
      !HasOneUse(*reduce_window) || root->shape().ElementCount() == 0 ||
      root->shape().ElementCount() > reduce_window->shape().ElementCount() / 2) {
    return nullptr;
  }
  const absl::optional<CumulativeWindow> cumulative = FindCumulativeWindow(*reduce_window);
  if (cumulative.has_value() && root->shape().dimension(cumulative->dimension) != 1) return nullptr;
  auto attributes = std::make_unique<WindowAttributes>(reduce_window->attributes<WindowAttributes>());
  HloInstruction* const x = reduce_window->operand(0);
  const auto sizes = x->shape().dimensions();
  DimensionVector starts(sizes.size(), 0);
  DimensionVector limits(sizes.begin(), sizes.end());
  for (int d = 0; d < root->shape().rank(); ++d) {
    const SliceRange& range = root->attributes<SliceAttributes>().ranges[d];
    WindowDimension& window = attributes->window.dimensions[d];
    const int64_t count = root->shape().dimension(d);
    if (count == reduce_window->shape().dimension(d)) continue;
    if (window.base_dilation != 1 || !CutDimension(range, count, sizes[d], window, starts[d], limits[d]))
      return nullptr;
  }
  const bool cuts = limits != DimensionVector(sizes.begin(), sizes.end()) ||
                    std::any_of(starts.begin(), starts.end(), [](int64_t start) { return start != 0; });
  return context.build.MakeOfShape(HloOpcode::kReduceWindow, root->shape().WithoutLayout(),
                                   {cuts ? context.build.Slice(x, starts, limits) : x, reduce_window->operand(1)},
                                   std::move(attributes), {reduce_window->called_computation(0)});
}

// Each element of the source goes to its own place.
HloInstruction* SelectAndScatterOfOne(HloInstruction* root, const RuleContext& context) {
  if (!IsTrivial(WindowOf(*root))) return nullptr;
  const absl::optional<Reducer> scatter = ReducerOf(*root->called_computation(1));
  if (!scatter.has_value()) return nullptr;
  HloInstruction* const source = root->operand(1);
  if (scatter->IsIdentity(*root->operand(2))) return source;
  return context.build.Binary(scatter->op, source, context.build.BroadcastScalar(root->operand(2), root->shape()));
}

}  // namespace

const RuleList& ReduceWindowRules() {
  static const std::vector<HloOpcode> reduce_window = {HloOpcode::kReduceWindow};
  static const auto* const rules = new RuleList{
      {"reduce-window-of-one", "reduce-window(x, init) of single elements => op(x, broadcast(init))  (or x)",
       reduce_window, &ReduceWindowOfOne},
      {"reduce-window-of-whole", "reduce-window(x) of whole dimensions => reshape(reduce(x))", reduce_window,
       &ReduceWindowOfWhole},
      {"reduce-window-of-pad", "reduce-window(pad(x, identity)) => reduce-window(x) with that padding", reduce_window,
       &ReduceWindowOfPad},
      {"reduce-window-of-reduce-window",
       "reduce-window(reduce-window(x)) => reduce-window(x)  (one function, the inner one from its identity)",
       reduce_window, &ReduceWindowOfReduceWindow},
      {"slice-of-reduce-window",
       "slice(reduce-window(x)) => reduce-window(slice(x))  (with no other use, if at most half is read)",
       {HloOpcode::kSlice},
       &SliceOfReduceWindow},
      {"select-and-scatter-of-one",
       "select-and-scatter(x, source, init) of single elements => op(source, broadcast(init))",
       {HloOpcode::kSelectAndScatter},
       &SelectAndScatterOfOne},
  };
  return *rules;
}

}  // namespace xla
