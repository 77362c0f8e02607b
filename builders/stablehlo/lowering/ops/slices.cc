// Parts of arrays: slices, concatenation, padding.
#include "builders/stablehlo/lowering/ops/slices.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status LowerSliceOp(OperationCall& call) {
  SliceLists lists;
  ASSIGN_OR_RETURN(lists.starts, call.attributes().Ints("start_indices"));
  ASSIGN_OR_RETURN(lists.limits, call.attributes().Ints("limit_indices"));
  ASSIGN_OR_RETURN(lists.strides, call.attributes().Ints("strides"));
  return LowerSliceOf(call, lists);
}

absl::Status LowerDynamicSlice(OperationCall& call) {
  if (call.operand_count() == 0) return Broken("dynamic_slice_c2", "expected an operand, got none");
  RETURN_IF_ERROR(CheckElementType(call, 0, kAnyClass));
  ASSIGN_OR_RETURN(const DimensionVector sizes, call.attributes().Ints("slice_sizes"));
  const Shape& operand = call.shape(0);
  RETURN_IF_ERROR(CheckSize("slice_sizes", sizes.size(), operand.rank(), "dynamic_slice_c2"));
  RETURN_IF_ERROR(CheckSize("start_indices", call.operand_count() - 1, operand.rank(), "dynamic_slice_c2"));
  RETURN_IF_ERROR(CheckScalarIndices(call, 1, "dynamic_slice_c3"));
  for (int i = 0; i < operand.rank(); ++i) {
    if (sizes[i] >= 0 && sizes[i] <= operand.dimension(i)) continue;
    return Broken("dynamic_slice_c4", absl::StrCat("slice_sizes[", i, "] must be at least 0 and at most ",
                                                   operand.dimension(i), ", got ", sizes[i]));
  }
  return call.Return(call.builder().DynamicSlice(call.operand(0), call.operands().subspan(1), sizes),
                     {"dynamic_slice_c5", "dynamic_slice_c1"});
}

absl::Status LowerDynamicUpdateSlice(OperationCall& call) {
  if (call.operand_count() < 2) {
    return Broken("dynamic_update_slice_c4",
                  absl::StrCat("expected an operand and an update, got ", call.operand_count(), " operands"));
  }
  RETURN_IF_ERROR(CheckElementType(call, 0, kAnyClass));
  RETURN_IF_ERROR(CheckSameElementType(call, 0, 1, "dynamic_update_slice_c2"));
  const Shape& operand = call.shape(0);
  const Shape& update = call.shape(1);
  if (update.rank() != operand.rank()) {
    return Broken("dynamic_update_slice_c3", absl::StrCat("the update must have the operand's rank ", operand.rank(),
                                                          ", got ", update.ToString()));
  }
  RETURN_IF_ERROR(CheckSize("start_indices", call.operand_count() - 2, operand.rank(), "dynamic_update_slice_c4"));
  RETURN_IF_ERROR(CheckScalarIndices(call, 2, "dynamic_update_slice_c5"));
  for (int i = 0; i < operand.rank(); ++i) {
    if (update.dimension(i) <= operand.dimension(i)) continue;
    return Broken("dynamic_update_slice_c6", absl::StrCat("the update ", update.ToString(), " must fit in the operand ",
                                                          operand.ToString(), ", but dimension ", i, " is larger"));
  }
  return call.Return(call.builder().DynamicUpdateSlice(call.operand(0), call.operand(1), call.operands().subspan(2)),
                     "dynamic_update_slice_c1");
}

absl::Status LowerConcatenate(OperationCall& call) {
  if (call.operand_count() == 0) return Broken("concatenate_c3", "expected at least one operand");
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const int64_t dimension, call.attributes().Int("dimension"));
  const Shape& first = call.shape(0);
  if (dimension < 0 || dimension >= first.rank()) {
    return Broken("concatenate_c4", absl::StrCat("dimension must be at least 0 and less than the rank ", first.rank(),
                                                 ", got ", dimension));
  }
  for (int i = 1; i < call.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckSameElementType(call, 0, i, "concatenate_c1"));
    bool agrees = call.shape(i).rank() == first.rank();
    for (int d = 0; agrees && d < first.rank(); ++d) {
      agrees = d == dimension || call.shape(i).dimension(d) == first.dimension(d);
    }
    if (agrees) continue;
    return Broken("concatenate_c2", absl::StrCat("operands must have equal sizes but along dimension ", dimension,
                                                 ", got ", first.ToString(), " and ", call.shape(i).ToString()));
  }
  RETURN_IF_ERROR(CheckSameQuantization(call, "concatenate_c1", "concatenate_c1", "concatenate_c1"));
  return call.Return(call.builder().ConcatInDim(call.operands(), dimension), {"concatenate_c6", "concatenate_c5"});
}

// What is too large to say is not below zero.
bool PaddedBelowZero(int64_t size, int64_t low, int64_t high, int64_t interior) {
  int64_t edges = 0, padded = 0;
  if (__builtin_add_overflow(low, high, &edges)) return low < 0;
  if (!CheckedMul(std::max<int64_t>(size - 1, 0), interior, &padded) || !CheckedAdd(padded, size, &padded))
    return false;
  return edges < 0 && padded + edges < 0;
}

absl::Status LowerPadOp(OperationCall& call) {
  PadLists lists;
  ASSIGN_OR_RETURN(lists.low, call.attributes().Ints("edge_padding_low"));
  ASSIGN_OR_RETURN(lists.high, call.attributes().Ints("edge_padding_high"));
  ASSIGN_OR_RETURN(lists.interior, call.attributes().Ints("interior_padding"));
  return LowerPadOf(call, lists);
}

}  // namespace

absl::Status LowerSliceOf(OperationCall& call, const SliceLists& lists) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kAnyClass));
  RETURN_IF_ERROR(CheckKeepsQuantization(call, call.Constraint("c1")));
  const Shape& operand = call.shape(0);
  RETURN_IF_ERROR(CheckSize("start_indices", lists.starts.size(), operand.rank(), call.Constraint("c2")));
  RETURN_IF_ERROR(CheckSize("limit_indices", lists.limits.size(), operand.rank(), call.Constraint("c2")));
  RETURN_IF_ERROR(CheckSize("strides", lists.strides.size(), operand.rank(), call.Constraint("c2")));
  for (int i = 0; i < operand.rank(); ++i) {
    const int64_t start = lists.starts[i], limit = lists.limits[i], stride = lists.strides[i];
    if (start < 0 || start > limit || limit > operand.dimension(i)) {
      return Broken(call.Constraint("c3"),
                    absl::StrCat("in dimension ", i, " must be 0 <= start <= limit <= ", operand.dimension(i),
                                 ", got start ", start, " and limit ", limit));
    }
    if (stride < 1)
      return Broken(call.Constraint("c4"), absl::StrCat("strides[", i, "] must be at least 1, got ", stride));
  }
  return call.Return(call.builder().Slice(call.operand(0), lists.starts, lists.limits, lists.strides),
                     {call.Constraint("c5"), call.Constraint("c1")});
}

absl::Status LowerPadOf(OperationCall& call, const PadLists& lists) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kAnyClass));
  const Shape& operand = call.shape(0);
  RETURN_IF_ERROR(CheckKeepsQuantization(call, call.Constraint("c1")));
  RETURN_IF_ERROR(CheckScalar(call, 1, operand.element_type(), call.Constraint("c1")));
  RETURN_IF_ERROR(CheckSize("edge_padding_low", lists.low.size(), operand.rank(), call.Constraint("c2")));
  RETURN_IF_ERROR(CheckSize("edge_padding_high", lists.high.size(), operand.rank(), call.Constraint("c2")));
  RETURN_IF_ERROR(CheckSize("interior_padding", lists.interior.size(), operand.rank(), call.Constraint("c2")));
  PaddingConfig config;
  for (int i = 0; i < operand.rank(); ++i) {
    if (lists.interior[i] < 0) {
      return Broken(call.Constraint("c3"),
                    absl::StrCat("interior_padding[", i, "] must be at least 0, got ", lists.interior[i]));
    }
    if (PaddedBelowZero(operand.dimension(i), lists.low[i], lists.high[i], lists.interior[i])) {
      return Broken(call.Constraint("c4"),
                    absl::StrCat("padding removes more than there is of dimension ", i, " of ", operand.ToString(),
                                 ": low ", lists.low[i], ", high ", lists.high[i]));
    }
    config.push_back({lists.low[i], lists.high[i], lists.interior[i]});
  }
  return call.Return(call.builder().Pad(call.operand(0), call.operand(1), config),
                     {call.Constraint("c4"), call.Constraint("c1")});
}

std::vector<OperationRow> SliceOperations() {
  return {
      Row("stablehlo.slice", 1, LowerSliceOp).OnStorage(),
      Row("stablehlo.dynamic_slice", OperationRow::kAny, LowerDynamicSlice).OnStorage(),
      Row("stablehlo.dynamic_update_slice", OperationRow::kAny, LowerDynamicUpdateSlice).OnStorage(),
      Row("stablehlo.concatenate", OperationRow::kAny, LowerConcatenate),
      Row("stablehlo.pad", 2, LowerPadOp).OnStorage(),
  };
}

}  // namespace stablehlo
}  // namespace xla
