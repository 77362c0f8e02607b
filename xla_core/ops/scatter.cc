// scatter: combines windows of updates into an array at positions that an index array gives.
//
// Adds 3 rows to rows 5, 0, 5 of a matrix:
//   f32[9,4] scatter(f32[9,4] x, s32[3] i, f32[3,4] u), update_window_dims={1}, inserted_window_dims={0},
//            scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
//
//   operands: n arrays of one shape except for the element type, the indices (any integer type), n updates of one
//   shape.
//             The result is the tuple of the n arrays, or the one, which may be written as a tuple of it.
//   scatter_dims_to_operand_dims, index_vector_dim    where windows start (window_starts.h)
//   input_batching_dims, scatter_indices_batching_dims    pairs of dimensions that go together
//   inserted_window_dims  array dimensions that windows do not have: their size there is 1
//   update_window_dims    the update dimensions that count within a window, ascending, for the array dimensions that
//   are
//                         neither inserted nor batching, in order; none larger than its array dimension. The others
//                         count windows, as the dimensions of the indices without index_vector_dim do, in order.
//   to_apply              (current_0 .. current_n-1, update_0 .. update_n-1) -> (new_0 .. new_n-1); for n = 1 the one
//                         or a tuple of it
//   indices_are_sorted, unique_indices    promises that are not used
//
// A window that does not lie wholly within the array is dropped, its part inside included. Updates are combined in
// row-major order of their indices, so that of several that overwrite one element the last wins. Arrays are written in
// place when this is their last use. With dynamic dimensions only valid updates count, and "within the array" means
// within its valid elements.
// Source: StableHLO spec, section `scatter`.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/callee_signature.h"
#include "xla_core/ops/dimension_checks.h"
#include "xla_core/ops/grid_walk.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/ops/valid_elements.h"
#include "xla_core/ops/variadic_result.h"
#include "xla_core/ops/window_combiner.h"
#include "xla_core/ops/window_starts.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Windows combined between two looks at the clock.
constexpr int64_t kWindowsPerCheck = 1 << 10;

WindowStartAttributes StartAttributes(const ScatterAttributes& a) {
  return {{"scatter_dims_to_operand_dims", a.scatter_dims_to_operand_dims},
          {"input_batching_dims", a.input_batching_dims},
          {"scatter_indices_batching_dims", a.scatter_indices_batching_dims},
          {"inserted_window_dims", a.inserted_window_dims},
          a.index_vector_dim};
}

int ArrayCount(const HloInstruction& instruction) { return instruction.operand_count() / 2; }

// The dimensions of the array that windows have.
DimensionVector WindowDimensions(const ScatterAttributes& a, int rank) {
  DimensionVector dimensions;
  for (int d = 0; d < rank; ++d) {
    if (!Contains(a.inserted_window_dims, d) && !Contains(a.input_batching_dims, d)) dimensions.push_back(d);
  }
  return dimensions;
}

// n arrays of one shape, the indices, n updates of one shape; update k of the type of array k.
absl::Status CheckArraysAndUpdates(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckBoundedArrays(instruction));
  if (instruction.operand_count() % 2 == 0) {
    return absl::InvalidArgumentError(absl::StrCat("expected n arrays, the indices and n updates, got ",
                                                   instruction.operand_count(), " operands; give an odd number"));
  }
  const int n = ArrayCount(instruction);
  for (int k = 0; k < n; ++k) {
    const Shape& array = instruction.operand(k)->shape();
    const Shape& update = instruction.operand(n + 1 + k)->shape();
    if (!array.SameDimensions(instruction.operand(0)->shape()) ||
        !update.SameDimensions(instruction.operand(n + 1)->shape())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "all arrays must have equal dimensions, and all updates: array 0 is ",
          instruction.operand(0)->shape().ToString(), ", array ", k, " is ", array.ToString(), ", update 0 is ",
          instruction.operand(n + 1)->shape().ToString(), ", update ", k, " is ", update.ToString()));
    }
    if (array.element_type() == update.element_type()) continue;
    return absl::InvalidArgumentError(absl::StrCat("update ", k, " must have the element type of its array ",
                                                   array.ToString(), ", got ", update.ToString()));
  }
  return absl::OkStatus();
}

// An update has a dimension for each dimension of the indices that counts windows, and one for each window dimension.
absl::Status CheckUpdateShape(const ScatterAttributes& a, const Shape& array, const Shape& indices,
                              const Shape& update) {
  const DimensionVector index_dimensions = WindowCountingDimensions(indices, a.index_vector_dim);
  const DimensionVector window_dimensions = WindowDimensions(a, array.rank());
  if (a.update_window_dims.size() != window_dimensions.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("update_window_dims=", ListToString(a.update_window_dims),
                     " must name an update dimension for each dimension of the array ", array.ToString(),
                     " that is neither inserted nor batching, which are ", window_dimensions.size()));
  }
  if (static_cast<size_t>(update.rank()) != index_dimensions.size() + window_dimensions.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("updates must have ", index_dimensions.size(), " dimensions that count windows, as the indices ",
                     indices.ToString(), " without index_vector_dim=", a.index_vector_dim, ", and ",
                     window_dimensions.size(), " within a window, got ", update.ToString()));
  }
  RETURN_IF_ERROR(
      CheckAscendingDimensions("update_window_dims", a.update_window_dims, {"the update", update.rank(), &update}));
  size_t counting = 0;
  size_t within = 0;
  for (int d = 0; d < update.rank(); ++d) {
    if (Contains(a.update_window_dims, d)) {
      const int to = static_cast<int>(window_dimensions[within++]);
      if (update.dimension(d) <= array.dimension(to)) continue;
      return absl::InvalidArgumentError(absl::StrCat("windows do not fit into the array: dimension ", d,
                                                     " of the updates ", update.ToString(), " is ", update.dimension(d),
                                                     ", expected at most dimension ", to, " of ", array.ToString(),
                                                     ", which is ", array.dimension(to)));
    }
    const int from = static_cast<int>(index_dimensions[counting++]);
    if (update.dimension(d) == indices.dimension(from)) continue;
    return absl::InvalidArgumentError(absl::StrCat("updates and indices must count the same windows: dimension ", d,
                                                   " of the updates ", update.ToString(), " is ", update.dimension(d),
                                                   ", dimension ", from, " of the indices ", indices.ToString(), " is ",
                                                   indices.dimension(from)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> InferShapeOfScatter(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckArraysAndUpdates(instruction));
  const int n = ArrayCount(instruction);
  const Shape& array = instruction.operand(0)->shape();
  const Shape& indices = instruction.operand(n)->shape();
  const auto& a = instruction.attributes<ScatterAttributes>();
  RETURN_IF_ERROR(CheckWindowStarts(StartAttributes(a), array, indices));
  RETURN_IF_ERROR(CheckUpdateShape(a, array, indices, instruction.operand(n + 1)->shape()));
  std::vector<Shape> arrays;
  for (int k = 0; k < n; ++k) arrays.push_back(instruction.operand(k)->shape().WithoutLayout());
  return ArrayOrTuple(std::move(arrays), IsWrittenAsTuple(instruction, n));
}

void VerifyScatter(const HloInstruction& instruction, Violations& violations) {
  if (instruction.called_computations().empty()) return violations.Add("to_apply is missing");
  WarnOfTupleOfOne(instruction, ArrayCount(instruction), violations);
  const HloComputation& combiner = *instruction.called_computation(0);
  const bool combines_to_tuple = combiner.root() != nullptr && combiner.root()->shape().IsTuple();
  std::vector<PrimitiveType> types;
  for (int k = 0; k < ArrayCount(instruction); ++k) types.push_back(instruction.operand(k)->shape().element_type());
  std::vector<PrimitiveType> parameters = types;
  parameters.insert(parameters.end(), types.begin(), types.end());
  CheckScalarCallee("to_apply", combiner, parameters, types, violations, combines_to_tuple);
}

// The grid of windows, or of parts of windows, in row-major order of the updates; offsets are those of the index
// vector, of the part in the updates, and of the part in the array before the start of the window is added.
enum { kIndices, kUpdate, kArray, kOffsets };
using PartGrid = GridWalk<kOffsets>;

// How the dimensions of the updates are walked. Those within windows that come last are left to the combiner; the
// others make up the grid, so that the order of the updates is kept where windows overlap.
struct UpdateWalk {
  PartGrid::Dimensions parts;
  CopyDimensions part;     // from the updates to the array
  DimensionVector window;  // run-time size of a window along each array dimension
};

// Splits the dimensions of the updates into those that are walked (windows, and outer window dimensions) and a part
// of trailing window dimensions that WindowCombiner takes at once.
UpdateWalk PlanWalk(const ScatterAttributes& a, const Literal& array, const Literal& indices, const Literal& update) {
  const DimensionVector array_strides = RowMajorStrides(array.shape());
  const DimensionVector index_strides = RowMajorStrides(indices.shape());
  const DimensionVector update_strides = RowMajorStrides(update.shape());
  const DimensionVector index_dimensions = WindowCountingDimensions(indices.shape(), a.index_vector_dim);
  const DimensionVector window_dimensions = WindowDimensions(a, array.shape().rank());
  int first_of_part = update.shape().rank();
  while (first_of_part > 0 && Contains(a.update_window_dims, first_of_part - 1)) --first_of_part;

  UpdateWalk walk;
  walk.window.assign(array.shape().rank(), 1);
  size_t counting = 0;
  size_t within = 0;
  for (int d = 0; d < update.shape().rank(); ++d) {
    const int64_t size = update.dynamic_size(d);
    if (Contains(a.update_window_dims, d)) {
      const int64_t to = window_dimensions[within++];
      walk.window[to] = size;
      if (d >= first_of_part) {
        walk.part.push_back({size, update_strides[d], array_strides[to]});
      } else {
        walk.parts.push_back({size, {0, update_strides[d], array_strides[to]}});
      }
      continue;
    }
    const int64_t from = index_dimensions[counting++];
    int64_t batch_stride = 0;
    for (size_t k = 0; k < a.input_batching_dims.size(); ++k) {
      if (a.scatter_indices_batching_dims[k] == from) batch_stride = array_strides[a.input_batching_dims[k]];
    }
    // Updates beyond the valid indices go nowhere.
    const int64_t windows = std::min(size, indices.dynamic_size(static_cast<int>(from)));
    walk.parts.push_back({windows, {index_strides[from], update_strides[d], batch_stride}});
  }
  return walk;
}

// Takes over the arrays, ready to be written.
absl::StatusOr<std::vector<Literal>> TakeArrays(const HloInstruction& instruction, OperandValues& operands,
                                                EvalContext& context) {
  std::vector<Literal> arrays;
  for (int k = 0; k < ArrayCount(instruction); ++k) {
    Literal array = operands.Take(k);
    array.ResetShape(instruction.shape().IsTuple() ? instruction.shape().tuple_shape(k) : instruction.shape());
    RETURN_IF_ERROR(array.MakeWritable(context.memory_budget()));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

// False if windows are longer than what is valid of the array along some dimension: then none lies within it, wherever
// it starts.
bool WindowsFit(const UpdateWalk& walk, const Literal& array) {
  for (int d = 0; d < array.shape().rank(); ++d) {
    if (walk.window[d] > array.dynamic_size(d)) return false;
  }
  return true;
}

absl::Status Combine(const UpdateWalk& walk, const WindowStartReader& starts, const WindowCombiner& combiner,
                     EvalContext& context) {
  int64_t count = 1;
  for (const auto& dimension : walk.parts) count *= dimension.size;
  if (count == 0) return absl::OkStatus();
  PartGrid part(walk.parts);
  for (int64_t i = 0; i < count; ++i, part.Next()) {
    if (i % kWindowsPerCheck == 0) RETURN_IF_ERROR(context.CheckDeadline());
    int64_t start;
    if (!starts.OffsetWithin(part.offset(kIndices), &start)) continue;
    RETURN_IF_ERROR(combiner.Combine(part.offset(kUpdate), part.offset(kArray) + start, context));
  }
  return absl::OkStatus();
}

// A window that is not all within the array is dropped, as StableHLO says; see WindowStartReader.
absl::StatusOr<Literal> EvaluateScatter(const HloInstruction& instruction, OperandValues& operands,
                                        EvalContext& context) {
  const int n = ArrayCount(instruction);
  const auto& a = instruction.attributes<ScatterAttributes>();
  const Literal& indices = operands[n];
  const UpdateWalk walk = PlanWalk(a, operands[0], indices, operands[n + 1]);
  const WindowStartReader starts(StartAttributes(a), operands[0].shape(), RuntimeSizes(operands[0]), walk.window,
                                 indices);
  ASSIGN_OR_RETURN(const ScalarFunction* function, context.GetScalarFunction(*instruction.called_computation(0)));
  ASSIGN_OR_RETURN(std::vector<Literal> arrays, TakeArrays(instruction, operands, context));
  // Sizes multiply safely from here on: both arrays exist, so no product of dimensions of theirs overflows.
  if (arrays[0].element_count() > 0 && operands[n + 1].element_count() > 0 && WindowsFit(walk, arrays[0])) {
    WindowCombiner combiner(*instruction.called_computation(0), *function, walk.part);
    for (int k = 0; k < n; ++k) {
      combiner.AddArray(arrays[k].shape().element_type(), operands[n + 1 + k].untyped_data(),
                        arrays[k].untyped_mutable_data());
    }
    RETURN_IF_ERROR(Combine(walk, starts, combiner, context));
  }
  return ArrayOrTuple(std::move(arrays), IsWrittenAsTuple(instruction, n));
}

}  // namespace

OpDefinition Define_kScatter() {
  OpDefinition op;
  op.min_operands = 3;
  op.max_operands = -1;
  op.make_attributes = &MakeAttributes<ScatterAttributes>;
  op.called_computations = {"to_apply"};
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferShapeOfScatter;
  op.verify = &VerifyScatter;
  op.evaluate = &EvaluateScatter;
  return op;
}

}  // namespace xla
