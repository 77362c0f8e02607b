// scatter.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/ops/index_dimensions.h"
#include "builders/stablehlo/lowering/ops/region_types.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// The arrays, the indices and the updates of a scatter.
struct ScatterParts {
  int count = 0;  // of arrays, and of updates
  int indices() const { return count; }
  int update(int i) const { return count + 1 + i; }
};

absl::Status CheckUpdateSizes(const OperationCall& call, const ScatterParts& parts,
                              const ScatterDimensionNumbers& dims) {
  const Shape& input = call.shape(0);
  const Shape& indices = call.shape(parts.indices());
  const Shape& updates = call.shape(parts.update(0));
  const DimensionVector& window = dims.update_window_dims;
  std::vector<bool> is_dropped(input.rank(), false);
  for (const int64_t d : dims.inserted_window_dims) is_dropped[d] = true;
  for (const int64_t d : dims.input_batching_dims) is_dropped[d] = true;
  DimensionVector bounds;
  for (int d = 0; d < input.rank(); ++d) {
    if (!is_dropped[d]) bounds.push_back(input.dimension(d));
  }
  DimensionVector scattered;
  for (int d = 0; d < indices.rank(); ++d) {
    if (d != dims.index_vector_dim) scattered.push_back(indices.dimension(d));
  }
  size_t next_window = 0, next_scattered = 0;
  for (int d = 0; d < updates.rank(); ++d) {
    const bool is_window = std::find(window.begin(), window.end(), d) != window.end();
    const bool fits =
        is_window ? updates.dimension(d) <= bounds[next_window++] : updates.dimension(d) == scattered[next_scattered++];
    if (fits) continue;
    return Broken("scatter_c4", absl::StrCat("dimension ", d, " of the updates ", updates.ToString(), " must ",
                                             is_window ? "be at most that of the window in "
                                                       : "have the size of its dimension in the indices ",
                                             (is_window ? input : indices).ToString()));
  }
  return absl::OkStatus();
}

absl::Status CheckScatter(const OperationCall& call, const ScatterParts& parts, const ScatterDimensionNumbers& dims) {
  const Shape& input = call.shape(0);
  const Shape& indices = call.shape(parts.indices());
  const Shape& updates = call.shape(parts.update(0));
  RETURN_IF_ERROR(CheckElementType(call, parts.indices(), kIntClass));
  for (int i = 0; i < parts.count; ++i) {
    RETURN_IF_ERROR(CheckElementType(call, i, kAnyClass));
    RETURN_IF_ERROR(CheckSameSizes(call, 0, i, "scatter_c1"));
    RETURN_IF_ERROR(CheckSameSizes(call, parts.update(0), parts.update(i), "scatter_c3"));
    RETURN_IF_ERROR(CheckSameElementType(call, i, parts.update(i), "scatter_c6"));
  }
  RETURN_IF_ERROR(CheckIndexVector(indices, dims.index_vector_dim, dims.scatter_dims_to_operand_dims.size(),
                                   "scatter_dims_to_operand_dims", "scatter_c22", "scatter_c19"));
  RETURN_IF_ERROR(
      CheckSize("update_window_dims, inserted_window_dims and input_batching_dims together",
                dims.update_window_dims.size() + dims.inserted_window_dims.size() + dims.input_batching_dims.size(),
                input.rank(), "scatter_c2"));
  RETURN_IF_ERROR(
      CheckDimensions("update_window_dims", dims.update_window_dims, updates.rank(), "scatter_c8", "scatter_c7"));
  RETURN_IF_ERROR(CheckSorted("update_window_dims", dims.update_window_dims, "scatter_c7"));
  RETURN_IF_ERROR(
      CheckDimensions("inserted_window_dims", dims.inserted_window_dims, input.rank(), "scatter_c11", "scatter_c9"));
  RETURN_IF_ERROR(
      CheckDimensions("input_batching_dims", dims.input_batching_dims, input.rank(), "scatter_c13", "scatter_c9"));
  RETURN_IF_ERROR(CheckDimensions("inserted_window_dims and input_batching_dims",
                                  Joined(dims.inserted_window_dims, dims.input_batching_dims), input.rank(),
                                  "scatter_c11", "scatter_c9"));
  RETURN_IF_ERROR(CheckSorted("inserted_window_dims", dims.inserted_window_dims, "scatter_c10"));
  RETURN_IF_ERROR(CheckSorted("input_batching_dims", dims.input_batching_dims, "scatter_c12"));
  const BatchingLabels labels = {"input_batching_dims", "scatter_indices_batching_dims",
                                 "scatter_c14",         "scatter_c15",
                                 "scatter_c16",         "scatter_c17",
                                 "scatter_c18"};
  RETURN_IF_ERROR(CheckBatching(labels, input, indices, dims.input_batching_dims, dims.scatter_indices_batching_dims,
                                dims.index_vector_dim));
  RETURN_IF_ERROR(CheckDimensions("scatter_dims_to_operand_dims and input_batching_dims",
                                  Joined(dims.scatter_dims_to_operand_dims, dims.input_batching_dims), input.rank(),
                                  "scatter_c21", "scatter_c20"));
  const int64_t vector_dims = dims.index_vector_dim < indices.rank() ? 1 : 0;
  RETURN_IF_ERROR(CheckSize("the updates' dimensions", updates.rank(),
                            indices.rank() - vector_dims + static_cast<int64_t>(dims.update_window_dims.size()),
                            "scatter_c4"));
  return CheckUpdateSizes(call, parts, dims);
}

absl::StatusOr<ScatterDimensionNumbers> ScatterNumbersOf(const OperationCall& call) {
  ASSIGN_OR_RETURN(const AttributeReader fields, call.attributes().Struct("scatter_dimension_numbers"));
  ScatterDimensionNumbers dims;
  ASSIGN_OR_RETURN(dims.update_window_dims, fields.IntsOr("update_window_dims", {}));
  ASSIGN_OR_RETURN(dims.inserted_window_dims, fields.IntsOr("inserted_window_dims", {}));
  ASSIGN_OR_RETURN(dims.scatter_dims_to_operand_dims, fields.IntsOr("scatter_dims_to_operand_dims", {}));
  ASSIGN_OR_RETURN(dims.input_batching_dims, fields.IntsOr("input_batching_dims", {}));
  ASSIGN_OR_RETURN(dims.scatter_indices_batching_dims, fields.IntsOr("scatter_indices_batching_dims", {}));
  ASSIGN_OR_RETURN(dims.index_vector_dim, fields.IntOr("index_vector_dim", 0));
  return dims;
}

absl::Status LowerScatter(OperationCall& call) {
  if (call.operand_count() < 3 || call.operand_count() % 2 == 0) {
    return Broken("scatter_c5", absl::StrCat("expected arrays, indices, and as many updates as arrays, got ",
                                             call.operand_count(), " operands"));
  }
  const ScatterParts parts = {call.operand_count() / 2};
  ASSIGN_OR_RETURN(const ScatterDimensionNumbers dims, ScatterNumbersOf(call));
  RETURN_IF_ERROR(CheckScatter(call, parts, dims));
  ScatterOptions options;
  ASSIGN_OR_RETURN(options.indices_are_sorted, call.attributes().Flag("indices_are_sorted"));
  ASSIGN_OR_RETURN(options.unique_indices, call.attributes().Flag("unique_indices"));
  // The computation may work in a wider type, which then is the result's.
  ASSIGN_OR_RETURN(const std::vector<PrimitiveType> types, RegionTypes(call, 0, parts.count, "scatter_c23"));
  std::vector<Shape> arguments;
  std::vector<XlaOp> arrays, updates;
  for (int i = 0; i < parts.count; ++i) {
    RETURN_IF_ERROR(CheckPromotable(call, i, types[i], "scatter_c23"));
    arrays.push_back(ConvertTo(call.builder(), call.operand(i), types[i]));
    updates.push_back(ConvertTo(call.builder(), call.operand(parts.update(i)), types[i]));
  }
  for (int i = 0; i < 2 * parts.count; ++i) arguments.push_back(Shape::Scalar(types[i % parts.count]));
  ASSIGN_OR_RETURN(
      const XlaComputation computation,
      call.FunctionOf(0, arguments, absl::MakeConstSpan(arguments).subspan(0, parts.count), "scatter_c23"));
  return call.ReturnBundle(
      call.builder().Scatter(arrays, call.operand(parts.indices()), updates, computation, dims, options),
      {"scatter_c24", "scatter_c25", "scatter_c5"});
}

}  // namespace

std::vector<OperationRow> ScatterOperations() {
  constexpr int kAny = OperationRow::kAny;
  return {Row("stablehlo.scatter", kAny, LowerScatter).WithResults(kAny).WithRegions(1).OnStorage()};
}

}  // namespace stablehlo
}  // namespace xla
