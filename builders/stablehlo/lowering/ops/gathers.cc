// gather and scatter.
#include "builders/stablehlo/lowering/ops/gathers.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/ops/region_types.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

DimensionVector Joined(const DimensionVector& a, const DimensionVector& b) {
  DimensionVector joined = a;
  joined.insert(joined.end(), b.begin(), b.end());
  return joined;
}

absl::Status CheckSorted(absl::string_view what, const DimensionVector& list, absl::string_view constraint) {
  if (std::is_sorted(list.begin(), list.end())) return absl::OkStatus();
  return Broken(constraint, absl::StrCat(what, " must be in ascending order"));
}

// Which dimensions of the indices hold batches, and which batches of the array belong to them.
struct BatchingLabels {
  const char* array_list;
  const char* indices_list;
  const char* unique;
  const char* range;
  const char* not_vector;
  const char* count;
  const char* sizes;
};

absl::Status CheckBatching(const BatchingLabels& labels, const Shape& array, const Shape& indices,
                           const DimensionVector& array_dims, const DimensionVector& indices_dims,
                           int64_t index_vector_dim) {
  RETURN_IF_ERROR(CheckDimensions(labels.indices_list, indices_dims, indices.rank(), labels.range, labels.unique));
  if (std::count(indices_dims.begin(), indices_dims.end(), index_vector_dim) != 0) {
    return Broken(labels.not_vector,
                  absl::StrCat(labels.indices_list, " must not have index_vector_dim ", index_vector_dim));
  }
  if (array_dims.size() != indices_dims.size()) {
    return Broken(labels.count,
                  absl::StrCat(labels.array_list, " and ", labels.indices_list, " must have as many entries, got ",
                               array_dims.size(), " and ", indices_dims.size()));
  }
  for (size_t i = 0; i < array_dims.size(); ++i) {
    const int64_t a = array.dimension(static_cast<int>(array_dims[i]));
    const int64_t b = indices.dimension(static_cast<int>(indices_dims[i]));
    if (a == b) continue;
    return Broken(labels.sizes, absl::StrCat(labels.array_list, "[", i, "] and ", labels.indices_list, "[", i,
                                             "] must be dimensions of equal size, got ", a, " and ", b));
  }
  return absl::OkStatus();
}

absl::Status CheckIndexVector(const Shape& indices, int64_t index_vector_dim, size_t map_size,
                              absl::string_view map_name, absl::string_view range, absl::string_view size) {
  if (index_vector_dim < 0 || index_vector_dim > indices.rank()) {
    return Broken(range, absl::StrCat("index_vector_dim must be at least 0 and at most the rank of the indices, ",
                                      indices.rank(), ", got ", index_vector_dim));
  }
  const int64_t expected =
      index_vector_dim < indices.rank() ? indices.dimension(static_cast<int>(index_vector_dim)) : 1;
  return CheckSize(map_name, map_size, expected, size);
}

absl::Status CheckSliceSizes(const Shape& operand, absl::Span<const int64_t> sizes,
                             const GatherDimensionNumbers& dims) {
  RETURN_IF_ERROR(CheckSize("slice_sizes", sizes.size(), operand.rank(), "gather_c20"));
  for (int i = 0; i < operand.rank(); ++i) {
    if (sizes[i] >= 0 && sizes[i] <= operand.dimension(i)) continue;
    return Broken("gather_c21", absl::StrCat("slice_sizes[", i, "] must be at least 0 and at most ",
                                             operand.dimension(i), ", got ", sizes[i]));
  }
  for (const int64_t d : dims.collapsed_slice_dims) {
    if (sizes[d] > 1) {
      return Broken("gather_c9", absl::StrCat("slice_sizes[", d, "] must be at most 1, because collapsed_slice_dims ",
                                              "has dimension ", d, ", got ", sizes[d]));
    }
  }
  for (const int64_t d : dims.operand_batching_dims) {
    if (sizes[d] > 1) {
      return Broken("gather_c12", absl::StrCat("slice_sizes[", d, "] must be at most 1, because operand_batching_dims ",
                                               "has dimension ", d, ", got ", sizes[d]));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckGather(const OperationCall& call, const GatherDimensionNumbers& dims,
                         absl::Span<const int64_t> slice_sizes) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kAnyClass));
  RETURN_IF_ERROR(CheckElementType(call, 1, kIntClass));
  const Shape& operand = call.shape(0);
  const Shape& indices = call.shape(1);
  RETURN_IF_ERROR(CheckIndexVector(indices, dims.index_vector_dim, dims.start_index_map.size(), "start_index_map",
                                   "gather_c2", "gather_c3"));
  const size_t rank = dims.offset_dims.size() + dims.collapsed_slice_dims.size() + dims.operand_batching_dims.size();
  RETURN_IF_ERROR(CheckSize("offset_dims, collapsed_slice_dims and operand_batching_dims together", rank,
                            operand.rank(), "gather_c1"));
  const int64_t vector_dims = dims.index_vector_dim < indices.rank() ? 1 : 0;
  const int64_t result_rank = indices.rank() - vector_dims + static_cast<int64_t>(dims.offset_dims.size());
  RETURN_IF_ERROR(CheckDimensions("offset_dims", dims.offset_dims, result_rank, "gather_c5", "gather_c4"));
  RETURN_IF_ERROR(CheckSorted("offset_dims", dims.offset_dims, "gather_c4"));
  RETURN_IF_ERROR(CheckDimensions("collapsed_slice_dims and operand_batching_dims",
                                  Joined(dims.collapsed_slice_dims, dims.operand_batching_dims), operand.rank(),
                                  "gather_c8", "gather_c6"));
  RETURN_IF_ERROR(CheckSorted("collapsed_slice_dims", dims.collapsed_slice_dims, "gather_c7"));
  RETURN_IF_ERROR(CheckSorted("operand_batching_dims", dims.operand_batching_dims, "gather_c10"));
  const BatchingLabels labels = {"operand_batching_dims",
                                 "start_indices_batching_dims",
                                 "gather_c13",
                                 "gather_c14",
                                 "gather_c15",
                                 "gather_c16",
                                 "gather_c17"};
  RETURN_IF_ERROR(CheckBatching(labels, operand, indices, dims.operand_batching_dims, dims.start_indices_batching_dims,
                                dims.index_vector_dim));
  RETURN_IF_ERROR(CheckDimensions("start_index_map and operand_batching_dims",
                                  Joined(dims.start_index_map, dims.operand_batching_dims), operand.rank(),
                                  "gather_c19", "gather_c18"));
  return CheckSliceSizes(operand, slice_sizes, dims);
}

absl::Status LowerGatherOp(OperationCall& call) {
  ASSIGN_OR_RETURN(const DimensionVector slice_sizes, call.attributes().Ints("slice_sizes"));
  return LowerGatherOf(call, slice_sizes);
}

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
    arrays.push_back(ConvertTo(call.builder(), call.operand(i), types[i]));
    updates.push_back(ConvertTo(call.builder(), call.operand(parts.update(i)), types[i]));
  }
  for (int i = 0; i < 2 * parts.count; ++i) arguments.push_back(Shape::Scalar(types[i % parts.count]));
  ASSIGN_OR_RETURN(const XlaComputation computation, call.FunctionOf(0, arguments, "scatter_c23"));
  return call.ReturnBundle(
      call.builder().Scatter(arrays, call.operand(parts.indices()), updates, computation, dims, options),
      "scatter_c24");
}

// result[batch.., a.., i.., b..] = operand[batch.., a.., index[batch.., i..], b..] with `dim` after a.
absl::Status LowerTorchIndexSelect(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kAnyClass));
  RETURN_IF_ERROR(CheckElementType(call, 1, kIntClass));
  const Shape& operand = call.shape(0);
  const Shape& index = call.shape(1);
  ASSIGN_OR_RETURN(const int64_t dim, call.attributes().Int("dim"));
  ASSIGN_OR_RETURN(const int64_t batch_dims, call.attributes().IntOr("batch_dims", 0));
  if (batch_dims < 0 || batch_dims > index.rank() || batch_dims > dim || dim >= operand.rank()) {
    return Broken("torch_index_select_c1",
                  absl::StrCat("expected 0 <= batch_dims <= dim < rank of ", operand.ToString(),
                               " and batch_dims at most the rank of ", index.ToString(), ", got dim ", dim,
                               " and batch_dims ", batch_dims));
  }
  GatherDimensionNumbers dims;
  dims.index_vector_dim = index.rank();
  dims.start_index_map = {dim};
  dims.collapsed_slice_dims = {dim};
  DimensionVector sizes(operand.dimensions().begin(), operand.dimensions().end());
  sizes[dim] = std::min<int64_t>(sizes[dim], 1);
  const int64_t index_dims = index.rank() - batch_dims;
  for (int64_t d = 0; d < batch_dims; ++d) {
    if (operand.dimension(static_cast<int>(d)) != index.dimension(static_cast<int>(d))) {
      return Broken("torch_index_select_c2", absl::StrCat("batch dimension ", d, " must have the same size in ",
                                                          operand.ToString(), " and ", index.ToString()));
    }
    dims.operand_batching_dims.push_back(d);
    dims.start_indices_batching_dims.push_back(d);
    sizes[d] = std::min<int64_t>(sizes[d], 1);
  }
  for (int64_t d = batch_dims; d < operand.rank(); ++d) {
    if (d != dim) dims.offset_dims.push_back(d < dim ? d : d - 1 + index_dims);
  }
  // HLO puts the dimensions of the indices where the offsets leave room: after the batches, and from `dim` on.
  return call.Return(call.builder().Gather(call.operand(0), call.operand(1), dims, sizes), "torch_index_select_c3");
}

}  // namespace

absl::Status LowerGatherOf(OperationCall& call, absl::Span<const int64_t> slice_sizes) {
  ASSIGN_OR_RETURN(const AttributeReader fields, call.attributes().Struct("dimension_numbers"));
  GatherDimensionNumbers dims;
  ASSIGN_OR_RETURN(dims.offset_dims, fields.IntsOr("offset_dims", {}));
  ASSIGN_OR_RETURN(dims.collapsed_slice_dims, fields.IntsOr("collapsed_slice_dims", {}));
  ASSIGN_OR_RETURN(dims.start_index_map, fields.IntsOr("start_index_map", {}));
  ASSIGN_OR_RETURN(dims.operand_batching_dims, fields.IntsOr("operand_batching_dims", {}));
  ASSIGN_OR_RETURN(dims.start_indices_batching_dims, fields.IntsOr("start_indices_batching_dims", {}));
  ASSIGN_OR_RETURN(dims.index_vector_dim, fields.IntOr("index_vector_dim", 0));
  ASSIGN_OR_RETURN(const bool sorted, call.attributes().Flag("indices_are_sorted"));
  RETURN_IF_ERROR(CheckGather(call, dims, slice_sizes));
  return call.Return(call.builder().Gather(call.operand(0), call.operand(1), dims, slice_sizes, sorted), "gather_c22");
}

std::vector<OperationRow> GatherOperations() {
  return {
      Row("stablehlo.gather", 2, LowerGatherOp).OnStorage(),
      Row("stablehlo.scatter", OperationRow::kAny, LowerScatter)
          .WithResults(OperationRow::kAny)
          .WithRegions(1)
          .OnStorage(),
      Row("stablehlo.torch_index_select", 2, LowerTorchIndexSelect),
  };
}

}  // namespace stablehlo
}  // namespace xla
