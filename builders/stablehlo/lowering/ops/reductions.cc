// Operations that apply a computation to elements: reduce, sort, map, and windows.
#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/ops/region_types.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status LowerReduce(OperationCall& call) {
  ASSIGN_OR_RETURN(const ReductionParts parts,
                   ReductionPartsOf(call, "reduce_c3", "reduce_c1", "reduce_c2", "reduce_c6"));
  ASSIGN_OR_RETURN(const DimensionVector dimensions, call.attributes().Ints("dimensions"));
  RETURN_IF_ERROR(CheckDimensions("dimensions", dimensions, call.shape(0).rank(), "reduce_c4", "reduce_c5"));
  return call.ReturnBundle(call.builder().Reduce(parts.arrays, parts.init_values, parts.body, dimensions),
                           {"reduce_c7", "reduce_c8", "reduce_c3"});
}

absl::Status LowerSort(OperationCall& call) {
  if (call.operand_count() == 0) return Broken("sort_c1", "expected at least one operand");
  ASSIGN_OR_RETURN(int64_t dimension, call.attributes().IntOr("dimension", -1));
  ASSIGN_OR_RETURN(const bool is_stable, call.attributes().Flag("is_stable"));
  std::vector<Shape> arguments;
  for (int i = 0; i < call.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckElementType(call, i, kAnyClass));
    RETURN_IF_ERROR(CheckSameSizes(call, 0, i, "sort_c3"));
    arguments.insert(arguments.end(), 2, Shape::Scalar(call.shape(i).element_type()));
  }
  const int64_t rank = call.shape(0).rank();
  if (dimension < -rank || dimension >= rank) {
    return Broken("sort_c4",
                  absl::StrCat("dimension must be at least ", -rank, " and less than ", rank, ", got ", dimension));
  }
  if (dimension < 0) dimension += rank;
  ASSIGN_OR_RETURN(const XlaComputation comparator, call.FunctionOf(0, arguments, {Shape::Scalar(PRED)}, "sort_c5"));
  return call.ReturnBundle(call.builder().Sort(call.operands(), comparator, dimension, is_stable), "sort_c2");
}

absl::Status LowerMap(OperationCall& call) {
  if (call.operand_count() == 0) return Broken("map_c2", "expected at least one operand");
  ASSIGN_OR_RETURN(const DimensionVector dimensions, call.attributes().Ints("dimensions"));
  std::vector<Shape> arguments;
  for (int i = 0; i < call.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckElementType(call, i, kAnyClass));
    RETURN_IF_ERROR(CheckSameSizes(call, 0, i, "map_c1"));
    arguments.push_back(Shape::Scalar(call.shape(i).element_type()));
  }
  DimensionVector all(call.shape(0).rank());
  std::iota(all.begin(), all.end(), 0);
  if (dimensions != all) {
    return Broken("map_c3", absl::StrCat("dimensions must be all dimensions of the operands in ascending order, got ",
                                         dimensions.size(), " for rank ", all.size()));
  }
  ASSIGN_OR_RETURN(const XlaComputation computation, call.FunctionOf(0, arguments, "map_c4"));
  ASSIGN_OR_RETURN(const ProgramShape signature, computation.GetProgramShape());
  if (!signature.result.IsScalar()) {
    return Broken("map_c4", absl::StrCat("the computation must return one tensor without dimensions, got ",
                                         signature.result.ToString()));
  }
  return call.Return(call.builder().Map(call.operands(), computation), {"map_c1", "map_c4"});
}

// The lists of a window. Those that are not given, or are empty, are ones, or zeros.
struct WindowLists {
  DimensionVector sizes;
  DimensionVector strides;
  DimensionVector base_dilations;
  DimensionVector window_dilations;
  IntPairs padding;
};

absl::Status CheckWindowList(absl::string_view what, const DimensionVector& list, int64_t rank,
                             absl::string_view size_constraint, absl::string_view value_constraint) {
  RETURN_IF_ERROR(CheckSize(what, list.size(), rank, size_constraint));
  for (const int64_t value : list) {
    if (value < 1) return Broken(value_constraint, absl::StrCat(what, " must be at least 1, got ", value));
  }
  return absl::OkStatus();
}

absl::StatusOr<WindowLists> WindowListsOf(const OperationCall& call) {
  const AttributeReader attributes = call.attributes();
  const int rank = call.shape(0).rank();
  WindowLists lists;
  ASSIGN_OR_RETURN(lists.sizes, attributes.IntsOr("window_dimensions", DimensionVector(rank, 1)));
  ASSIGN_OR_RETURN(lists.strides, attributes.IntsOr("window_strides", {}));
  ASSIGN_OR_RETURN(lists.base_dilations, attributes.IntsOr("base_dilations", {}));
  ASSIGN_OR_RETURN(lists.window_dilations, attributes.IntsOr("window_dilations", {}));
  ASSIGN_OR_RETURN(lists.padding, attributes.PairsOr("padding", {}));
  for (DimensionVector* const list : {&lists.strides, &lists.base_dilations, &lists.window_dilations}) {
    if (list->empty()) list->assign(rank, 1);
  }
  if (lists.padding.empty()) lists.padding.resize(rank);
  return lists;
}

// As far as their types say them.
absl::Status CheckSameResultSizes(const OperationCall& call, absl::string_view constraint) {
  const Shape& first = call.result_shape(0);
  for (int i = 1; i < call.result_count(); ++i) {
    const Shape& other = call.result_shape(i);
    bool agrees = other.rank() == first.rank();
    for (int d = 0; agrees && d < first.rank(); ++d) {
      const bool is_known = !first.is_dynamic_dimension(d) && !other.is_dynamic_dimension(d);
      agrees = !is_known || first.dimension(d) == other.dimension(d);
    }
    if (agrees) continue;
    return Broken(constraint, absl::StrCat("the results must have the same sizes, got ", first.ToString(), " and ",
                                           other.ToString()));
  }
  return absl::OkStatus();
}

absl::Status LowerReduceWindow(OperationCall& call) {
  if (call.operand_count() == 0) return Broken("reduce_window_c1", "expected at least one array");
  ASSIGN_OR_RETURN(const WindowLists lists, WindowListsOf(call));
  RETURN_IF_ERROR(call.attributes().Ints("window_dimensions").status());
  const int rank = call.shape(0).rank();
  RETURN_IF_ERROR(CheckWindowList("window_dimensions", lists.sizes, rank, "reduce_window_c4", "reduce_window_c5"));
  RETURN_IF_ERROR(CheckWindowList("window_strides", lists.strides, rank, "reduce_window_c6", "reduce_window_c7"));
  RETURN_IF_ERROR(
      CheckWindowList("base_dilations", lists.base_dilations, rank, "reduce_window_c8", "reduce_window_c9"));
  RETURN_IF_ERROR(
      CheckWindowList("window_dilations", lists.window_dilations, rank, "reduce_window_c10", "reduce_window_c11"));
  RETURN_IF_ERROR(CheckSize("padding", lists.padding.size(), rank, "reduce_window_c12"));
  ASSIGN_OR_RETURN(const ReductionParts parts, ReductionPartsOf(call, "reduce_window_c1", "reduce_window_c2",
                                                                "reduce_window_c3", "reduce_window_c13"));
  RETURN_IF_ERROR(CheckSameResultSizes(call, "reduce_window_c14"));
  return call.ReturnBundle(call.builder().ReduceWindowWithGeneralPadding(
                               parts.arrays, parts.init_values, parts.body, lists.sizes, lists.strides,
                               lists.base_dilations, lists.window_dilations, lists.padding),
                           {"reduce_window_c15", "reduce_window_c16", "reduce_window_c1"});
}

// The source has an element for each place of the window.
absl::Status CheckSelectedSizes(const OperationCall& call, const WindowLists& lists) {
  const Shape& operand = call.shape(0);
  const Shape& source = call.shape(1);
  bool agrees = source.rank() == operand.rank();
  for (int i = 0; agrees && i < operand.rank(); ++i) {
    int64_t padded = 0;
    agrees = CheckedAdd(operand.dimension(i), lists.padding[i].first, &padded) &&
             CheckedAdd(padded, lists.padding[i].second, &padded) && padded >= 0;
    const bool is_empty = padded == 0 || lists.sizes[i] > padded;
    agrees = agrees && source.dimension(i) == (is_empty ? 0 : (padded - lists.sizes[i]) / lists.strides[i] + 1);
  }
  if (agrees) return absl::OkStatus();
  return Broken("select_and_scatter_c2",
                absl::StrCat("the source must have an element for each place of the window in ", operand.ToString(),
                             ", got ", source.ToString()));
}

// A selection of values that `type` holds exactly, called with values of a wider type.
absl::StatusOr<XlaComputation> OfWiderArguments(const OperationCall& call, const XlaComputation& select,
                                                PrimitiveType wide, PrimitiveType type) {
  ComputationLowering scope(call.scope().program(), "select_wide");
  const ComputationLowering::At at(scope, call.operation());
  ComputationBuilder& b = scope.builder();
  std::vector<XlaOp> values;
  for (int i = 0; i < 2; ++i) {
    values.push_back(b.ConvertElementType(b.Parameter(i, Shape::Scalar(wide), i == 0 ? "a" : "b"), type));
  }
  return b.Build(b.Call(select, values));
}

absl::Status LowerSelectAndScatter(OperationCall& call) {
  for (int i = 0; i < 3; ++i) RETURN_IF_ERROR(CheckElementType(call, i, kAnyClass));
  RETURN_IF_ERROR(CheckSameElementType(call, 0, 1, "select_and_scatter_c1"));
  const PrimitiveType type = call.shape(0).element_type();
  RETURN_IF_ERROR(CheckScalar(call, 2, type, "select_and_scatter_c3"));
  ASSIGN_OR_RETURN(const WindowLists lists, WindowListsOf(call));
  const int rank = call.shape(0).rank();
  RETURN_IF_ERROR(
      CheckWindowList("window_dimensions", lists.sizes, rank, "select_and_scatter_c4", "select_and_scatter_c5"));
  RETURN_IF_ERROR(
      CheckWindowList("window_strides", lists.strides, rank, "select_and_scatter_c6", "select_and_scatter_c7"));
  RETURN_IF_ERROR(CheckSize("padding", lists.padding.size(), rank, "select_and_scatter_c8"));
  RETURN_IF_ERROR(CheckSelectedSizes(call, lists));
  // What is scattered may be added up in a wider type. HLO selects in that type too: that of its one operand.
  ASSIGN_OR_RETURN(const std::vector<PrimitiveType> types, RegionTypes(call, 1, 1, "select_and_scatter_c10"));
  RETURN_IF_ERROR(CheckPromotable(call, 0, types[0], "select_and_scatter_c10"));
  ASSIGN_OR_RETURN(XlaComputation select, call.FunctionOf(0, std::vector<Shape>(2, Shape::Scalar(type)),
                                                          {Shape::Scalar(PRED)}, "select_and_scatter_c9"));
  if (types[0] != type) {
    ASSIGN_OR_RETURN(select, OfWiderArguments(call, select, types[0], type));
  }
  const Shape scalar = Shape::Scalar(types[0]);
  ASSIGN_OR_RETURN(const XlaComputation scatter,
                   call.FunctionOf(1, {scalar, scalar}, {scalar}, "select_and_scatter_c10"));
  ComputationBuilder& b = call.builder();
  const auto wide = [&](int i) { return ConvertTo(b, call.operand(i), types[0]); };
  return call.Return(b.SelectAndScatterWithGeneralPadding(wide(0), select, lists.sizes, lists.strides, lists.padding,
                                                          wide(1), wide(2), scatter),
                     {"select_and_scatter_c11", "select_and_scatter_c12"});
}

}  // namespace

std::vector<OperationRow> ReductionOperations() {
  constexpr int kAny = OperationRow::kAny;
  return {
      Row("stablehlo.reduce", kAny, LowerReduce).WithResults(kAny).WithRegions(1).OnStorage(),
      Row("stablehlo.sort", kAny, LowerSort).WithResults(kAny).WithRegions(1).OnStorage(),
      Row("stablehlo.map", kAny, LowerMap).WithRegions(1).OnStorage(),
      Row("stablehlo.reduce_window", kAny, LowerReduceWindow).WithResults(kAny).WithRegions(1).OnStorage(),
      Row("stablehlo.select_and_scatter", 3, LowerSelectAndScatter).WithRegions(2).OnStorage(),
  };
}

}  // namespace stablehlo
}  // namespace xla
