// gather, and torch_index_select, which is one.
#include "builders/stablehlo/lowering/ops/gathers.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/ops/index_dimensions.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// The dynamic form has the constraints of gather under other numbers, and none of its own on batching dimensions.
std::string Label(const OperationCall& call, int constraint) {
  static constexpr int kDynamicNumbers[] = {0, 1, 2, 3, 4, 5, 6, 6,  7,  8,  0,  0,
                                            0, 0, 0, 0, 0, 0, 9, 10, 11, 12, 13, 14};
  const bool is_dynamic = call.operation().name == "stablehlo.dynamic_gather" && kDynamicNumbers[constraint] != 0;
  return is_dynamic ? absl::StrCat("dynamic_gather_c", kDynamicNumbers[constraint])
                    : absl::StrCat("gather_c", constraint);
}

absl::Status CheckSliceSizes(const OperationCall& call, absl::Span<const int64_t> sizes,
                             const GatherDimensionNumbers& dims) {
  const Shape& operand = call.shape(0);
  RETURN_IF_ERROR(CheckSize("slice_sizes", sizes.size(), operand.rank(), Label(call, 20)));
  for (int i = 0; i < operand.rank(); ++i) {
    if (sizes[i] >= 0 && sizes[i] <= operand.dimension(i)) continue;
    return Broken(Label(call, 21), absl::StrCat("slice_sizes[", i, "] must be at least 0 and at most ",
                                                operand.dimension(i), ", got ", sizes[i]));
  }
  for (const int64_t d : dims.collapsed_slice_dims) {
    if (sizes[d] > 1) {
      return Broken(Label(call, 9),
                    absl::StrCat("slice_sizes[", d, "] must be at most 1, because collapsed_slice_dims ",
                                 "has dimension ", d, ", got ", sizes[d]));
    }
  }
  for (const int64_t d : dims.operand_batching_dims) {
    if (sizes[d] > 1) {
      return Broken(Label(call, 12),
                    absl::StrCat("slice_sizes[", d, "] must be at most 1, because operand_batching_dims ",
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
                                   Label(call, 2), Label(call, 3)));
  const size_t rank = dims.offset_dims.size() + dims.collapsed_slice_dims.size() + dims.operand_batching_dims.size();
  RETURN_IF_ERROR(CheckSize("offset_dims, collapsed_slice_dims and operand_batching_dims together", rank,
                            operand.rank(), Label(call, 1)));
  const int64_t vector_dims = dims.index_vector_dim < indices.rank() ? 1 : 0;
  const int64_t result_rank = indices.rank() - vector_dims + static_cast<int64_t>(dims.offset_dims.size());
  RETURN_IF_ERROR(CheckDimensions("offset_dims", dims.offset_dims, result_rank, Label(call, 5), Label(call, 4)));
  RETURN_IF_ERROR(CheckSorted("offset_dims", dims.offset_dims, Label(call, 4)));
  RETURN_IF_ERROR(CheckDimensions("collapsed_slice_dims", dims.collapsed_slice_dims, operand.rank(), Label(call, 8),
                                  Label(call, 6)));
  RETURN_IF_ERROR(CheckDimensions("operand_batching_dims", dims.operand_batching_dims, operand.rank(), "gather_c11",
                                  Label(call, 6)));
  RETURN_IF_ERROR(CheckDimensions("collapsed_slice_dims and operand_batching_dims",
                                  Joined(dims.collapsed_slice_dims, dims.operand_batching_dims), operand.rank(),
                                  Label(call, 8), Label(call, 6)));
  RETURN_IF_ERROR(CheckSorted("collapsed_slice_dims", dims.collapsed_slice_dims, Label(call, 7)));
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
                                  Label(call, 19), Label(call, 18)));
  return CheckSliceSizes(call, slice_sizes, dims);
}

absl::Status LowerGatherOp(OperationCall& call) {
  ASSIGN_OR_RETURN(const DimensionVector slice_sizes, call.attributes().Ints("slice_sizes"));
  return LowerGatherOf(call, slice_sizes);
}

// result[batch.., a.., i.., b..] = operand[batch.., a.., index[batch.., i..], b..] with `dim` after a.
absl::Status LowerTorchIndexSelect(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kAnyClass));
  RETURN_IF_ERROR(CheckElementType(call, 1, kIntClass));
  const Shape& operand = call.shape(0);
  const Shape& index = call.shape(1);
  ASSIGN_OR_RETURN(const int64_t dim, call.attributes().Int("dim"));
  ASSIGN_OR_RETURN(const int64_t batch_dims, call.attributes().Int("batch_dims"));
  if (batch_dims < 0 || batch_dims > index.rank() || batch_dims > dim || dim >= operand.rank()) {
    return Broken("", absl::StrCat("expected 0 <= batch_dims <= dim < rank of ", operand.ToString(),
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
      return Broken("", absl::StrCat("batch dimension ", d, " must have the same size in ", operand.ToString(), " and ",
                                     index.ToString()));
    }
    dims.operand_batching_dims.push_back(d);
    dims.start_indices_batching_dims.push_back(d);
    sizes[d] = std::min<int64_t>(sizes[d], 1);
  }
  for (int64_t d = batch_dims; d < operand.rank(); ++d) {
    if (d != dim) dims.offset_dims.push_back(d < dim ? d : d - 1 + index_dims);
  }
  // HLO puts the dimensions of the indices where the offsets leave room: after the batches, and from `dim` on.
  return call.Return(call.builder().Gather(call.operand(0), call.operand(1), dims, sizes), "");
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
  RETURN_IF_ERROR(CheckKeepsQuantization(call, Label(call, 23)));
  return call.Return(call.builder().Gather(call.operand(0), call.operand(1), dims, slice_sizes, sorted),
                     {Label(call, 22), Label(call, 23)});
}

std::vector<OperationRow> GatherOperations() {
  return {
      Row("stablehlo.gather", 2, LowerGatherOp).OnStorage(),
      Row("stablehlo.torch_index_select", 2, LowerTorchIndexSelect),
  };
}

}  // namespace stablehlo
}  // namespace xla
