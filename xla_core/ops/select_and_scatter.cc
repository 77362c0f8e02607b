// The gradient of a pooling by selection: each element of `source` goes to the operand position that its window
// selects.
//   select-and-scatter(x T[d0..dr-1], source T[o0..or-1], init T[]), window={size=.. stride=.. pad=..},
//       select=(T[], T[]) -> pred[], scatter=(T[], T[]) -> T[]   ->   T[d0..dr-1], which starts as init everywhere
// For each position of source in row-major order: the selected element is the first one of its window that lies inside
// x; each next element c inside replaces it if select(selected, c) is false. Then
// result[selected] = scatter(result[selected], source[position]). The order of scatter's arguments is that of the
// specification; XLA's interpreter has them the other way round. A window that lies wholly in padding scatters nothing.
// One that is reversed (rhs_reversal) selects in the same order, as in XLA.
// Errors: InvalidArgument if source is not of the type of x and the window's output shape, init not a scalar of it, if
// the window does not have one dimension for each of x or is dilated, or if a function has another signature.
// Source: StableHLO spec, section `select_and_scatter`.
//
// How: the selections of kMaxLanes windows are made one window position at a time, on all threads. Scattering is
// sequential, but windows that lie side by side cannot meet, so elements along trailing dimensions whose stride is at
// least the window's size are scattered together.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/callee_signature.h"
#include "xla_core/ops/gather_elements.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/parallel_status.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/ops/window_grid.h"
#include "xla_core/ops/window_shape.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kOperand = 0;
constexpr int kSource = 1;
constexpr int kInit = 2;

absl::Status CheckNoDilation(const Window& window) {
  for (size_t i = 0; i < window.dimensions.size(); ++i) {
    if (window.dimensions[i].base_dilation != 1 || window.dimensions[i].window_dilation != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("the window must not be dilated (lhs_dilate, rhs_dilate), but dimension ", i, " is"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> InferShapeOfSelectAndScatter(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction, kOperand, kSource));
  return instruction.operand(kOperand)->shape().WithoutLayout();
}

absl::Status CheckSource(const HloInstruction& instruction, const Window& window) {
  ASSIGN_OR_RETURN(const Shape expected, WindowOutputShape(window, instruction.operand(kOperand)->shape()));
  const Shape& source = instruction.operand(kSource)->shape();
  if (source.Compatible(expected)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("source must have one element for each window over ",
                                                 instruction.operand(kOperand)->shape().ToString(), ", so ",
                                                 expected.ToString(), ", got ", source.ToString()));
}

absl::Status CheckInit(const HloInstruction& instruction, PrimitiveType type) {
  const Shape& init = instruction.operand(kInit)->shape();
  if (init.IsScalarOf(type)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the initial value must be ", Shape::Scalar(type).ToString(), ", got ", init.ToString()));
}

void VerifySelectAndScatter(const HloInstruction& instruction, Violations& violations) {
  if (!CheckArrayOperands(instruction, kOperand, kSource).ok()) return;
  const Window& window = instruction.attributes<WindowAttributes>().window;
  const PrimitiveType type = instruction.operand(kOperand)->shape().element_type();
  violations.Add(CheckNoDilation(window));
  const absl::Status forward = CheckNoWindowReversal(window);
  if (!forward.ok()) {
    violations.Warn(absl::StrCat(forward.message(), "; elements are selected in their order all the same"));
  }
  violations.Add(CheckSource(instruction, window));
  violations.Add(CheckInit(instruction, type));
  if (instruction.called_computations().size() != 2) return;
  CheckScalarCallee("select", *instruction.called_computation(0), {type, type}, {PRED}, violations);
  CheckScalarCallee("scatter", *instruction.called_computation(1), {type, type}, {type}, violations);
}

constexpr int64_t kNothing = -1;

// Selects the elements of the windows of some lanes.
class Selector {
 public:
  Selector(const ScalarFunction& select, const Literal& operand, EvalContext& context)
      : select_(select),
        type_(operand.shape().element_type()),
        width_(ByteWidth(type_)),
        elements_(operand.untyped_data()),
        context_(context),
        current_(kMaxLanes * width_),
        candidates_(kMaxLanes * width_) {}

  // selected[l] becomes the operand offset that the window of lane l selects, or kNothing.
  absl::Status Run(const WindowGrid& grid, const WindowLanes& lanes, int64_t* selected) {
    std::fill_n(selected, lanes.n, kNothing);
    std::vector<int> all(lanes.n);
    for (int l = 0; l < lanes.n; ++l) all[l] = l;
    return grid.ForEachPosition(
        lanes, [&](int64_t delta) { return Offer(lanes, delta, all, selected); },
        [&](int64_t delta, const std::vector<int>& some) { return Offer(lanes, delta, some, selected); });
  }

 private:
  // Lanes that have nothing yet take the element; all have something after their first position, which comes first.
  absl::Status Offer(const WindowLanes& lanes, int64_t delta, const std::vector<int>& some, int64_t* selected) {
    int n = 0;
    for (int l : some) {
      const int64_t offset = lanes.first[l] + delta;
      if (selected[l] == kNothing) {
        selected[l] = offset;
        continue;
      }
      contested_[n] = l;
      current_offsets_[n] = selected[l];
      candidate_offsets_[n++] = offset;
    }
    if (n == 0) return absl::OkStatus();
    GatherElements(type_, elements_, current_offsets_.data(), n, current_.data());
    GatherElements(type_, elements_, candidate_offsets_.data(), n, candidates_.data());
    const LaneInput inputs[] = {{current_.data(), width_}, {candidates_.data(), width_}};
    void* const results[] = {keep_.data()};
    RETURN_IF_ERROR(select_.Apply(n, inputs, results, context_));
    for (int i = 0; i < n; ++i) {
      if (!keep_[i]) selected[contested_[i]] = candidate_offsets_[i];
    }
    return absl::OkStatus();
  }

  const ScalarFunction& select_;
  PrimitiveType type_;
  int64_t width_;
  const void* elements_;
  EvalContext& context_;
  std::vector<char> current_, candidates_;
  std::array<int, kMaxLanes> contested_;
  std::array<int64_t, kMaxLanes> current_offsets_, candidate_offsets_;
  std::array<bool, kMaxLanes> keep_;
};

// Windows over the valid part of the operand; source elements are its outputs.
absl::StatusOr<WindowGrid> MakeGrid(const Window& window, const Literal& operand, const Literal& source) {
  DimensionVector operand_sizes, source_sizes;
  for (int d = 0; d < operand.shape().rank(); ++d) {
    operand_sizes.push_back(operand.dynamic_size(d));
    ASSIGN_OR_RETURN(const int64_t windows, WindowOutputSize(window.dimensions[d], operand_sizes[d]));
    source_sizes.push_back(std::min(windows, source.dynamic_size(d)));
  }
  return WindowGrid(window, operand.shape(), operand_sizes, source.shape(), source_sizes);
}

// How many consecutive source elements, starting at a multiple of that number, have windows without a common element.
int64_t DisjointRun(const Window& window, const WindowGrid& grid) {
  int64_t run = 1;
  for (int d = static_cast<int>(window.dimensions.size()) - 1; d >= 0; --d) {
    if (window.dimensions[d].stride < window.dimensions[d].size) break;
    run *= grid.output_size(d);
  }
  return run;
}

// result[selected[i]] = scatter(result[selected[i]], source[places[i]]) for n different elements.
class Scatterer {
 public:
  Scatterer(const ScalarFunction& scatter, const Literal& source, Literal& result, EvalContext& context)
      : scatter_(scatter),
        type_(source.shape().element_type()),
        width_(ByteWidth(type_)),
        source_(source.untyped_data()),
        result_(result.untyped_mutable_data()),
        context_(context),
        current_(kMaxLanes * width_),
        updates_(kMaxLanes * width_) {}

  absl::Status Run(const int64_t* selected, const int64_t* places, int64_t n) {
    GatherElements(type_, result_, selected, n, current_.data());
    GatherElements(type_, source_, places, n, updates_.data());
    const LaneInput inputs[] = {{current_.data(), width_}, {updates_.data(), width_}};
    void* const results[] = {current_.data()};
    RETURN_IF_ERROR(scatter_.Apply(n, inputs, results, context_));
    ScatterElements(type_, current_.data(), selected, n, result_);
    return absl::OkStatus();
  }

 private:
  const ScalarFunction& scatter_;
  PrimitiveType type_;
  int64_t width_;
  const void* source_;
  void* result_;
  EvalContext& context_;
  std::vector<char> current_, updates_;
};

absl::Status SelectAll(const WindowGrid& grid, const ScalarFunction& select, const Literal& operand,
                       EvalContext& context, int64_t* selected) {
  const auto body = [&](int64_t begin, int64_t end) -> absl::Status {
    Selector selector(select, operand, context);
    WindowLanes lanes;
    for (int64_t done = begin; done < end; done += kMaxLanes) {
      grid.Describe(done, std::min<int64_t>(kMaxLanes, end - done), lanes);
      RETURN_IF_ERROR(selector.Run(grid, lanes, selected + done));
      RETURN_IF_ERROR(context.CheckDeadline());
    }
    return absl::OkStatus();
  };
  constexpr int64_t kGrain = 32 * kMaxLanes;
  return select.is_compiled() ? ParallelForStatus(context, grid.output_count(), kGrain, body)
                              : SerialForStatus(context, grid.output_count(), kGrain, body);
}

// `selected` by source element in row-major order.
absl::Status ScatterAll(const WindowGrid& grid, int64_t disjoint_run, const int64_t* selected, Scatterer& scatterer,
                        EvalContext& context) {
  const int64_t count = grid.output_count();
  BoxWalk source = grid.outputs();
  std::array<int64_t, kMaxLanes> targets, places;
  for (int64_t i = 0; i < count;) {
    const int64_t end = std::min({count, i + kMaxLanes, (i / disjoint_run + 1) * disjoint_run});
    int64_t n = 0;
    for (; i < end; ++i, source.Next()) {
      if (selected[i] == kNothing) continue;
      targets[n] = selected[i];
      places[n++] = source.offset();
    }
    if (n > 0) RETURN_IF_ERROR(scatterer.Run(targets.data(), places.data(), n));
    if (i % 4096 < kMaxLanes) RETURN_IF_ERROR(context.CheckDeadline());
  }
  return absl::OkStatus();
}

absl::StatusOr<Literal> EvaluateSelectAndScatter(const HloInstruction& instruction, OperandValues& operands,
                                                 EvalContext& context) {
  const Window& window = instruction.attributes<WindowAttributes>().window;
  const Literal& operand = operands[kOperand];
  const Literal& source = operands[kSource];
  ASSIGN_OR_RETURN(const ScalarFunction* select, context.GetScalarFunction(*instruction.called_computation(0)));
  ASSIGN_OR_RETURN(const ScalarFunction* scatter, context.GetScalarFunction(*instruction.called_computation(1)));
  ASSIGN_OR_RETURN(const WindowGrid grid, MakeGrid(window, operand, source));

  ASSIGN_OR_RETURN(Literal result, context.Allocate(instruction.shape()));
  const int64_t width = ByteWidth(operand.shape().element_type());
  for (int64_t i = 0; i < result.element_count(); ++i) {
    std::memcpy(result.mutable_data<char>() + i * width, operands[kInit].untyped_data(), width);
  }
  result.CopyDynamicSizesFrom(operand);
  ASSIGN_OR_RETURN(Literal selected, context.Allocate(Shape::Array(S64, {grid.output_count()})));
  RETURN_IF_ERROR(SelectAll(grid, *select, operand, context, selected.mutable_data<int64_t>()));
  Scatterer scatterer(*scatter, source, result, context);
  RETURN_IF_ERROR(
      ScatterAll(grid, std::max<int64_t>(1, DisjointRun(window, grid)), selected.data<int64_t>(), scatterer, context));
  return result;
}

}  // namespace

OpDefinition Define_kSelectAndScatter() {
  OpDefinition op;
  op.min_operands = 3;
  op.max_operands = 3;
  op.make_attributes = &MakeAttributes<WindowAttributes>;
  op.called_computations = {"select", "scatter"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfSelectAndScatter;
  op.verify = &VerifySelectAndScatter;
  op.evaluate = &EvaluateSelectAndScatter;
  return op;
}

}  // namespace xla
