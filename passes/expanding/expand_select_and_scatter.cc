// Windows of few elements become selections on whole arrays, one for each place in a window: which of them each window
// selects, and then, for each element of x, whether the window that has it there selects it. Others become a
// reduce-window and a scatter.
#include "passes/expanding/expand_select_and_scatter.h"

#include <limits>
#include <vector>

#include "passes/base/inline_scalar_function.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

// (kept value, kept position, value, position) -> the pair to keep. -1 is the position of nothing.
HloComputation* KeepSelected(const HloComputation& select, PrimitiveType type, PrimitiveType position_type,
                             InstructionBuilder& build) {
  HloComputation* const reducer = NewComputation(build.module(), "selected_element");
  InstructionBuilder inside(reducer, build.origin());
  HloInstruction* const kept = inside.Parameter(0, Shape::Scalar(type));
  HloInstruction* const kept_at = inside.Parameter(1, Shape::Scalar(position_type));
  HloInstruction* const value = inside.Parameter(2, Shape::Scalar(type));
  HloInstruction* const at = inside.Parameter(3, Shape::Scalar(position_type));
  HloInstruction* const zero = inside.Zero(position_type);
  HloInstruction* const prefers_kept = InlineBody(select, {kept, value}, reducer);
  HloInstruction* const keeps_something =
      inside.And(prefers_kept, inside.Compare(ComparisonDirection::kGe, kept_at, zero));
  // A reducer may be given two partial results, of which the second may be nothing.
  HloInstruction* const keep = inside.Or(keeps_something, inside.Compare(ComparisonDirection::kLt, at, zero));
  reducer->set_root(inside.Tuple({inside.Select(keep, kept, value), inside.Select(keep, kept_at, at)}));
  build.UpdateStatus(inside.status());
  return reducer;
}

// Positions, but -1 where `valid`, which may be nullptr, says that there is nothing.
HloInstruction* PositionsOf(HloInstruction* positions, HloInstruction* valid, InstructionBuilder& build) {
  return valid == nullptr ? positions : build.Select(valid, positions, build.Splat(positions->shape(), -1));
}

}  // namespace

// Two steps: a reduce-window of pairs (value, position) by `select` gives the position that each window selects, and
// a scatter by the second function adds the sources there. Position -1 is outside and is dropped.
HloInstruction* SelectAndScatterValid(const HloInstruction& root, const SelectAndScatterOperands& operands,
                                      InstructionBuilder& build) {
  const Shape& shape = operands.x->shape();
  const int64_t elements = shape.ElementCount();
  const int64_t updates = operands.source->shape().ElementCount();
  if (elements == 0 || updates == 0) return build.BroadcastScalar(operands.init, shape);
  const PrimitiveType position_type = elements <= std::numeric_limits<int32_t>::max() ? S32 : S64;
  HloInstruction* const numbers =
      build.Reshape(build.Iota(Shape::Array(position_type, {elements}), 0), shape.dimensions());
  HloInstruction* const positions = PositionsOf(numbers, operands.valid, build);
  HloComputation* const reducer = KeepSelected(*root.called_computation(0), shape.element_type(), position_type, build);
  HloInstruction* const reduced =
      build.ReduceWindow({operands.x, positions}, {operands.init, build.Scalar(position_type, -1)},
                         root.attributes<WindowAttributes>().window, reducer);
  HloInstruction* const selected = PositionsOf(build.GetTupleElement(reduced, 1), operands.valid_source, build);
  ScatterAttributes attributes;
  attributes.inserted_window_dims = {0};
  attributes.scatter_dims_to_operand_dims = {0};
  attributes.index_vector_dim = 1;
  HloInstruction* const scattered =
      build.Scatter({build.Broadcast(operands.init, {elements}, {})}, build.Reshape(selected, {updates}),
                    {build.Reshape(operands.source, {updates})}, attributes, root.called_computation(1));
  return build.Reshape(scattered, shape.dimensions());
}

namespace {

// Windows of more elements are reduced and scattered.
constexpr int64_t kMostWindowElements = 16;

// Small windows, element by element, as operations on whole arrays: which place of each window is selected, and then
// what each element gets from the windows that have it at their first place, second place ...
class SmallWindows {
 public:
  // All positions of the window, the last dimension fastest.
  SmallWindows(const HloInstruction& root, InstructionBuilder& build)
      : root_(root),
        build_(build),
        window_(root.attributes<WindowAttributes>().window),
        x_(root.operand(0)->shape()),
        source_(root.operand(1)->shape()) {
    places_.emplace_back();
    for (const WindowDimension& dimension : window_.dimensions) {
      std::vector<std::vector<int64_t>> longer;
      for (const std::vector<int64_t>& place : places_) {
        for (int64_t i = 0; i < dimension.size; ++i) {
          longer.push_back(place);
          longer.back().push_back(i);
        }
      }
      places_ = std::move(longer);
    }
  }

  static bool Takes(const HloInstruction& root) {
    int64_t elements = 1;
    for (const WindowDimension& d : root.attributes<WindowAttributes>().window.dimensions) {
      if (d.base_dilation != 1 || d.window_dilation != 1 || d.window_reversal) return false;
      if (d.size > kMostWindowElements || (elements *= d.size) > kMostWindowElements) return false;
    }
    const bool has_elements =
        root.operand(0)->shape().ElementCount() != 0 && root.operand(1)->shape().ElementCount() != 0;
    return has_elements && CanInlineScalarFunction(*root.called_computation(0)) &&
           CanInlineScalarFunction(*root.called_computation(1));
  }

  // Each element looks at all windows that it lies in, in the order of the definition, and takes the sources of those
  // that selected it: no scatter is needed.
  HloInstruction* Write() {
    HloInstruction* const selected = SelectedPlaces();
    // Windows come in the order of the definition: what they have at a later place is in an earlier window.
    HloInstruction* result = build_.Broadcast(root_.operand(2), x_.dimensions(), {});
    for (size_t k = places_.size(); k > 0; --k) {
      HloInstruction* const is_selected = build_.Compare(ComparisonDirection::kEq, ByElement(selected, k - 1, -1),
                                                         build_.Splat(PlacesLike(x_), static_cast<int64_t>(k - 1)));
      HloInstruction* const scattered = InlineScalarFunction(
          *root_.called_computation(1), {result, ByElement(root_.operand(1), k - 1, 0)}, x_.WithoutLayout(), build_)[0];
      result = build_.Select(is_selected, scattered, result);
    }
    return result;
  }

 private:
  static Shape PlacesLike(const Shape& shape) { return Shape::Array(S8, shape.dimensions()); }

  // For each window the number of the place that is selected, or -1 if it has no element.
  HloInstruction* SelectedPlaces() {
    HloInstruction* kept = nullptr;
    HloInstruction* kept_place = build_.Splat(PlacesLike(source_), -1);
    for (size_t k = 0; k < places_.size(); ++k) {
      HloInstruction* const value = ByWindow(k);
      HloInstruction* const exists = Exists(k);
      HloInstruction* const place = build_.Splat(PlacesLike(source_), static_cast<int64_t>(k));
      if (kept == nullptr) {
        kept = value;
        kept_place = exists == nullptr ? place : build_.Select(exists, place, kept_place);
        continue;
      }
      HloInstruction* keep = InlineScalarFunction(*root_.called_computation(0), {kept, value},
                                                  Shape::Array(PRED, source_.dimensions()), build_)[0];
      if (HasPadding()) {
        HloInstruction* const zero = build_.Splat(PlacesLike(source_), 0);
        keep = build_.And(keep, build_.Compare(ComparisonDirection::kGe, kept_place, zero));
      }
      if (exists != nullptr) keep = build_.Or(keep, build_.Not(exists));
      kept = build_.Select(keep, kept, value);
      kept_place = build_.Select(keep, kept_place, place);
    }
    return kept_place;
  }

  bool HasPadding() const {
    for (const WindowDimension& d : window_.dimensions) {
      if (d.padding_low > 0 || d.padding_high > 0) return true;
    }
    return false;
  }

  // The element at a place of each window; anything where there is none.
  HloInstruction* ByWindow(size_t k) {
    HloInstruction* padded = root_.operand(0);
    std::vector<int64_t> starts, limits, strides;
    PaddingConfig padding(x_.rank());
    bool is_padded = false;
    for (int d = 0; d < x_.rank(); ++d) {
      const WindowDimension& window = window_.dimensions[d];
      padding[d].low = window.padding_low;
      padding[d].high = window.padding_high;
      is_padded = is_padded || window.padding_low != 0 || window.padding_high != 0;
      starts.push_back(places_[k][d]);
      limits.push_back(places_[k][d] + (source_.dimension(d) - 1) * window.stride + 1);
      strides.push_back(window.stride);
    }
    if (is_padded) padded = build_.Pad(padded, build_.Zero(x_.element_type()), padding);
    return build_.Slice(padded, starts, limits, strides);
  }

  // Which windows have an element at a place; nullptr: all.
  HloInstruction* Exists(size_t k) {
    HloInstruction* exists = nullptr;
    const Shape numbers = Shape::Array(S64, source_.dimensions());
    const auto restrict_to = [&](ComparisonDirection direction, int d, int64_t bound) {
      HloInstruction* const is_within =
          build_.Compare(direction, build_.Iota(numbers, d), build_.Splat(numbers, bound));
      exists = exists == nullptr ? is_within : build_.And(exists, is_within);
    };
    for (int d = 0; d < x_.rank(); ++d) {
      // Window o has element o * stride + shift there.
      const WindowDimension& window = window_.dimensions[d];
      const int64_t shift = places_[k][d] - window.padding_low;
      if (shift < 0) restrict_to(ComparisonDirection::kGe, d, (-shift + window.stride - 1) / window.stride);
      if (shift + (source_.dimension(d) - 1) * window.stride >= x_.dimension(d)) {
        const int64_t space = x_.dimension(d) - 1 - shift;
        restrict_to(ComparisonDirection::kLe, d, space < 0 ? -1 : space / window.stride);
      }
    }
    return exists;
  }

  // For each element what the window has that has it at a place, `otherwise` where there is none.
  HloInstruction* ByElement(HloInstruction* by_window, size_t k, int64_t otherwise) {
    PaddingConfig padding(x_.rank());
    for (int d = 0; d < x_.rank(); ++d) {
      const WindowDimension& window = window_.dimensions[d];
      padding[d].low = places_[k][d] - window.padding_low;
      padding[d].high = x_.dimension(d) - 1 - padding[d].low - (source_.dimension(d) - 1) * window.stride;
      padding[d].interior = window.stride - 1;
    }
    return build_.Pad(by_window, build_.Scalar(by_window->shape().element_type(), otherwise), padding);
  }

  const HloInstruction& root_;
  InstructionBuilder& build_;
  const Window& window_;
  const Shape& x_;
  const Shape& source_;
  std::vector<std::vector<int64_t>> places_;  // of a window, row-major
};

HloInstruction* SelectAndScatter(HloInstruction* root, const RuleContext& context) {
  if (SmallWindows::Takes(*root)) return SmallWindows(*root, context.build).Write();
  return SelectAndScatterValid(*root, {root->operand(0), root->operand(1), root->operand(2)}, context.build);
}

}  // namespace

absl::StatusOr<bool> ExpandSelectAndScatter(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {"scatter-to-selected",
                                    "select-and-scatter(x, s, init) => scatter(init, positions that reduce-window "
                                    "selects, s), or what each element gets from each place of small windows",
                                    {HloOpcode::kSelectAndScatter},
                                    &SelectAndScatter};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
