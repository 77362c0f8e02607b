// Combines the elements under a window that moves over all dimensions of an array:
//   reduce-window(x T[d0..dr-1], init T[]), window={size=.. stride=.. pad=.. lhs_dilate=.. rhs_dilate=..}, to_apply=f
//   result[o] = f(... f(f(init, x_0), x_1) ..., x_m) over the window at o in row-major order
// Output sizes: window_shape.h. Padding and the holes of base dilation contribute nothing, as do elements past a
// dynamic size; a window over nothing else yields init. With n arrays and n initial values as in reduce, and as there
// in the float types of f.
// Errors: InvalidArgument if the operands are not n arrays of equal dimensions and n scalars of their types, if the
// window does not have a dimension for each of theirs, or has sizes, strides or dilations less than 1 or
// beyond 63 bits, or if f has another signature. A window may be reversed (rhs_reversal), which means nothing here.
// Source: StableHLO spec, section `reduce_window`.
//
// How: window_grid.h tells which elements the windows of many outputs hold; they are folded one window position at a
// time (lane_fold.h). A window that only grows along the one dimension in which it has more than one position, as in a
// cumulative sum (size=n pad=n-1_0), goes on with what it has: each element is then taken once, not n times, in the
// same order. One that only shrinks (pad=0_n-1) is folded from its end, if the reducer allows another order.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "xla_core/ops/lane_fold.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/parallel_status.h"
#include "xla_core/ops/reduced_arrays.h"
#include "xla_core/ops/reducer_checks.h"
#include "xla_core/ops/variadic_result.h"
#include "xla_core/ops/window_grid.h"
#include "xla_core/ops/window_shape.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<Shape> InferShapeOfReduceWindow(const HloInstruction& reduce_window) {
  RETURN_IF_ERROR(CheckReducedArrays(reduce_window));
  const Window& window = reduce_window.attributes<WindowAttributes>().window;
  ASSIGN_OR_RETURN(Shape result, WindowOutputShape(window, reduce_window.operand(0)->shape()));
  std::vector<Shape> results;
  for (PrimitiveType type : ReducedTypes(reduce_window)) {
    result.set_element_type(type);
    results.push_back(result);
  }
  return ArrayOrTuple(std::move(results), GivesTuple(reduce_window));
}

void VerifyReduceWindow(const HloInstruction& reduce_window, Violations& violations) {
  const absl::Status forward = CheckNoWindowReversal(reduce_window.attributes<WindowAttributes>().window);
  if (!forward.ok()) {
    violations.Warn(absl::StrCat(forward.message(), "; what is reduced has no order, so that this changes nothing"));
  }
  if (CheckReducedArrays(reduce_window).ok()) CheckReducer(reduce_window, violations);
}

enum class Direction { kForward, kBackward };

// True if the windows along `axis`, taken in this direction, start with the same element and never get shorter.
bool OnlyGrows(const WindowAxis& axis, int64_t outputs, Direction direction) {
  WindowAxis::Run before = {0, 0};
  for (int64_t i = 0; i < outputs; ++i) {
    const WindowAxis::Run run = axis.RunAt(direction == Direction::kForward ? i : outputs - 1 - i);
    if (run.count < before.count) return false;
    const int64_t start = direction == Direction::kForward ? 0 : axis.spacing();
    if (before.count > 0 && run.first + (run.count - 1) * start != before.first + (before.count - 1) * start) {
      return false;
    }
    before = run;
  }
  return true;
}

// The only dimension in which the window has more than one position; -1 if there are none or several.
int OnlyWindowedDimension(const WindowGrid& grid) {
  int dimension = -1;
  for (size_t d = 0; d < grid.axes().size(); ++d) {
    if (grid.axes()[d].has_one_position()) continue;
    if (dimension != -1) return -1;
    dimension = static_cast<int>(d);
  }
  return dimension;
}

// How to go through the windows, and what of it is the same for every reducer.
struct WindowLoops {
  const WindowGrid& grid;
  // For windows that grow or shrink along dimension `line`, else -1: the grid of the other dimensions, whose elements
  // and outputs are those where lines start.
  int line = -1;
  Direction direction = Direction::kForward;
  absl::optional<WindowGrid> line_grid;
  bool is_parallel = true;
};

// Elements that a block of work should fold, so that it is worth handing to another thread.
constexpr int64_t kElementsPerWindowBlock = 1 << 16;

absl::Status ForLaneBlocks(const WindowLoops& loops, int64_t count, int64_t elements_per_lane, EvalContext& context,
                           FallibleBody body) {
  const int64_t grain =
      kMaxLanes * std::max<int64_t>(1, kElementsPerWindowBlock / kMaxLanes / std::max<int64_t>(1, elements_per_lane));
  return loops.is_parallel ? ParallelForStatus(context, count, grain, body)
                           : SerialForStatus(context, count, grain, body);
}

// Makes a fold for a block of work.
using MakeFold = absl::FunctionRef<std::unique_ptr<LaneFold>()>;

// Folds every window from its start.
absl::Status FoldWindows(const WindowLoops& loops, EvalContext& context, MakeFold make_fold) {
  const WindowGrid& grid = loops.grid;
  return ForLaneBlocks(loops, grid.output_count(), grid.max_elements(), context, [&](int64_t begin, int64_t end) {
    const std::unique_ptr<LaneFold> fold = make_fold();
    WindowLanes lanes;
    for (int64_t done = begin; done < end; done += kMaxLanes) {
      grid.Describe(done, std::min<int64_t>(kMaxLanes, end - done), lanes);
      fold->Start(lanes.n);
      RETURN_IF_ERROR(grid.ForEachPosition(
          lanes, [&](int64_t delta) { return fold->Step(lanes.first.data(), lanes.n, delta); },
          [&](int64_t delta, const std::vector<int>& some) {
            return fold->StepSome(lanes.first.data(), delta, some);
          }));
      fold->Store(lanes.places.data(), lanes.n, 0);
      RETURN_IF_ERROR(context.CheckDeadline());
    }
    return absl::OkStatus();
  });
}

// Folds the growing windows along a block of lines.
absl::Status FoldBlockOfLines(const WindowLoops& loops, const WindowLanes& lanes, EvalContext& context,
                              LaneFold& fold) {
  const WindowAxis& axis = loops.grid.axes()[loops.line];
  const int64_t outputs = loops.grid.output_size(loops.line);
  const int64_t element_stride = loops.grid.input_stride(loops.line);
  std::vector<int> present;  // the lines whose other dimensions are not in padding
  RETURN_IF_ERROR(loops.line_grid->ForEachPosition(
      lanes,
      [&](int64_t) {
        for (int l = 0; l < lanes.n; ++l) present.push_back(l);
        return absl::OkStatus();
      },
      [&](int64_t, const std::vector<int>& some) {
        present = some;
        return absl::OkStatus();
      }));

  fold.Start(lanes.n);
  int64_t taken = 0;
  for (int64_t i = 0; i < outputs; ++i) {
    const bool forward = loops.direction == Direction::kForward;
    const int64_t o = forward ? i : outputs - 1 - i;
    const WindowAxis::Run run = axis.RunAt(o);
    for (; taken < run.count; ++taken) {
      const int64_t element = run.first + axis.spacing() * (forward ? taken : run.count - 1 - taken);
      if (static_cast<int64_t>(present.size()) == lanes.n) {
        RETURN_IF_ERROR(fold.Step(lanes.first.data(), lanes.n, element * element_stride));
      } else if (!present.empty()) {
        RETURN_IF_ERROR(fold.StepSome(lanes.first.data(), element * element_stride, present));
      }
    }
    fold.Store(lanes.places.data(), lanes.n, o * loops.grid.output_stride(loops.line));
    if (i % 1024 == 1023) RETURN_IF_ERROR(context.CheckDeadline());
  }
  return absl::OkStatus();
}

absl::Status FoldLines(const WindowLoops& loops, EvalContext& context, MakeFold make_fold) {
  const int64_t lines = loops.line_grid->output_count();
  return ForLaneBlocks(loops, lines, loops.grid.output_size(loops.line), context, [&](int64_t begin, int64_t end) {
    const std::unique_ptr<LaneFold> fold = make_fold();
    WindowLanes lanes;
    for (int64_t done = begin; done < end; done += kMaxLanes) {
      loops.line_grid->Describe(done, std::min<int64_t>(kMaxLanes, end - done), lanes);
      RETURN_IF_ERROR(FoldBlockOfLines(loops, lanes, context, *fold));
    }
    return absl::OkStatus();
  });
}

absl::Status FoldAll(const WindowLoops& loops, EvalContext& context, MakeFold make_fold) {
  return loops.line == -1 ? FoldWindows(loops, context, make_fold) : FoldLines(loops, context, make_fold);
}

// The output sizes that the run-time sizes of the operand imply; they become those of the results.
absl::StatusOr<DimensionVector> OutputSizes(const Window& window, const Literal& operand,
                                            std::vector<Literal>& results) {
  DimensionVector sizes;
  for (int d = 0; d < operand.shape().rank(); ++d) {
    ASSIGN_OR_RETURN(const int64_t size, WindowOutputSize(window.dimensions[d], operand.dynamic_size(d)));
    sizes.push_back(size);
    if (!operand.has_dynamic_sizes()) continue;
    for (Literal& result : results) result.SetDynamicSize(d, size);
  }
  return sizes;
}

// Sets up loops over lines if that is possible.
void FindLines(const Window& window, const Shape& input, DimensionVector input_sizes, const Shape& output,
               DimensionVector output_sizes, bool may_reorder, WindowLoops& loops) {
  const int line = OnlyWindowedDimension(loops.grid);
  if (line == -1) return;
  if (OnlyGrows(loops.grid.axes()[line], output_sizes[line], Direction::kForward)) {
    loops.direction = Direction::kForward;
  } else if (may_reorder && OnlyGrows(loops.grid.axes()[line], output_sizes[line], Direction::kBackward)) {
    loops.direction = Direction::kBackward;
  } else {
    return;
  }
  Window other_dimensions = window;
  other_dimensions.dimensions[line] = WindowDimension();
  input_sizes[line] = 1;
  output_sizes[line] = 1;
  loops.line = line;
  loops.line_grid.emplace(other_dimensions, input, input_sizes, output, output_sizes);
}

// A known function that may be regrouped can fold whole lines of neighbours (FindLines).
absl::StatusOr<Literal> EvaluateReduceWindow(const HloInstruction& reduce_window, OperandValues& operands,
                                             EvalContext& context) {
  const Window& window = reduce_window.attributes<WindowAttributes>().window;
  ASSIGN_OR_RETURN(const ScalarFunction* reducer, context.GetScalarFunction(*reduce_window.called_computation(0)));
  ASSIGN_OR_RETURN(ReducedArrays arrays, ReducedArrays::Make(reduce_window, operands, context));
  ASSIGN_OR_RETURN(const DimensionVector output_sizes, OutputSizes(window, operands[0], arrays.results()));
  DimensionVector input_sizes;
  for (int d = 0; d < operands[0].shape().rank(); ++d) input_sizes.push_back(operands[0].dynamic_size(d));

  const std::vector<FoldedArray> folded = arrays.Folded();
  const Shape& input = operands[0].shape();
  const Shape& output = arrays.results()[0].shape();
  const WindowGrid grid(window, input, input_sizes, output, output_sizes);
  WindowLoops loops{grid};
  loops.is_parallel = reducer->is_compiled();
  const ScalarFunction::Known& known = reducer->known();
  const bool is_binary = folded.size() == 1 && known.kind == ScalarFunction::Known::Kind::kBinary;
  FindLines(window, input, input_sizes, output, output_sizes, is_binary && MayReorder(known.op, folded[0].type), loops);
  const bool is_known = is_binary && HasKnownFold(known.op, folded[0].type);
  RETURN_IF_ERROR(FoldAll(loops, context, [&]() -> std::unique_ptr<LaneFold> {
    if (is_known) return MakeKnownFold(known.op, folded[0]);
    return std::make_unique<FunctionFold>(*reducer, folded, context);
  }));
  return arrays.TakeResult(context);
}

}  // namespace

OpDefinition Define_kReduceWindow() {
  OpDefinition op;
  op.min_operands = 2;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<WindowAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfReduceWindow;
  op.verify = &VerifyReduceWindow;
  op.evaluate = &EvaluateReduceWindow;
  return op;
}

}  // namespace xla
