#include "xla_core/ops/approx_topk.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ops/callee_signature.h"
#include "xla_core/ops/ffi_attributes.h"
#include "xla_core/ops/sort_lines.h"
#include "xla_core/ops/strided_copy.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Operands are n arrays of equal dimensions, then n scalars, the initial values, which the evaluator does not need:
// it sorts exactly.
absl::Status CheckArrays(const HloInstruction& call, int count) {
  for (int i = 0; i < count; ++i) {
    const Shape& x = call.operand(i)->shape();
    const Shape& initial = call.operand(count + i)->shape();
    if (!x.IsArray() || !x.SameDimensions(call.operand(0)->shape())) {
      return absl::InvalidArgumentError(absl::StrCat("operands to search must be arrays of equal dimensions, got ",
                                                     call.operand(0)->shape().ToString(), " and ", x.ToString()));
    }
    if (initial.IsScalarOf(x.element_type())) continue;
    return absl::InvalidArgumentError(absl::StrCat("operand ", count + i, " must be ",
                                                   Shape::Scalar(x.element_type()).ToString(),
                                                   ", the initial value of operand ", i, ", got ", initial.ToString()));
  }
  return absl::OkStatus();
}

absl::Status CheckComparator(const HloInstruction& call, int count) {
  if (call.called_computations().size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected one called computation, got ", call.called_computations().size()));
  }
  std::vector<PrimitiveType> parameters;
  for (int i = 0; i < count; ++i) parameters.insert(parameters.end(), 2, call.operand(i)->shape().element_type());
  Violations violations;
  CheckScalarCallee("the comparator", *call.called_computation(0), parameters, {PRED}, violations);
  return violations.messages().empty() ? absl::OkStatus() : absl::InvalidArgumentError(violations.messages()[0]);
}

}  // namespace

// Reads and checks everything that the call says: attributes in backend_config, the comparator, and the shapes of
// results. Without aggregate_to_topk a device returns more candidates than k, as many as the result shape has.
absl::StatusOr<ApproxTopK> ReadApproxTopK(const HloInstruction& call) {
  ApproxTopK read;
  read.operand_count = call.operand_count() / 2;
  if (call.operand_count() == 0 || call.operand_count() % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected arrays and as many initial values, got ", call.operand_count(), " operands"));
  }
  RETURN_IF_ERROR(CheckArrays(call, read.operand_count));
  RETURN_IF_ERROR(CheckComparator(call, read.operand_count));
  ASSIGN_OR_RETURN(const FfiAttributes attributes, FfiAttributes::Parse(call.annotations().backend_config));
  ASSIGN_OR_RETURN(const int64_t k, attributes.GetInteger("top_k"));
  ASSIGN_OR_RETURN(const int64_t dimension, attributes.GetInteger("reduction_dim"));
  ASSIGN_OR_RETURN(const double recall, attributes.GetFloat("recall_target"));
  ASSIGN_OR_RETURN(const bool aggregates, attributes.GetBool("aggregate_to_topk"));
  const Shape& x = call.operand(0)->shape();
  if (dimension < 0 || dimension >= x.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("reduction_dim must be a dimension of ", x.ToString(), ", got ", dimension));
  }
  if (!(recall > 0 && recall <= 1))
    return absl::InvalidArgumentError(absl::StrCat("recall_target must be in (0, 1], got ", recall));
  read.dimension = static_cast<int>(dimension);
  const int64_t length = x.dimension(read.dimension);
  if (k < 0 || k > length) {
    return absl::InvalidArgumentError(
        absl::StrCat("top_k must be one of 0 .. ", length, ", the size of dimension ", dimension, ", got ", k));
  }
  const bool is_tuple = call.shape().IsTuple();
  const Shape* first = &call.shape();
  if (is_tuple) first = call.shape().tuple_size() > 0 ? &call.shape().tuple_shape(0) : nullptr;
  const bool has_dimension = first != nullptr && first->IsArray() && first->rank() == x.rank();
  read.kept = has_dimension ? first->dimension(read.dimension) : -1;
  std::vector<Shape> results;
  for (int i = 0; i < read.operand_count; ++i) {
    results.push_back(call.operand(i)->shape().WithoutLayout());
    results.back().set_dimension(read.dimension, aggregates || read.kept < k || read.kept > length ? k : read.kept);
  }
  const Shape expected = is_tuple || results.size() > 1 ? Shape::Tuple(results) : results[0];
  if (!call.shape().Compatible(expected)) {
    return absl::InvalidArgumentError(absl::StrCat("the result must be ", expected.ToString(),
                                                   aggregates ? "" : " or longer lines", ", got ",
                                                   call.shape().ToString()));
  }
  return read;
}

// Exact instead of approximate: sorts whole lines and keeps their beginnings. Any recall target is met by that.
absl::StatusOr<Literal> EvaluateApproxTopK(const CustomCall& call) {
  ASSIGN_OR_RETURN(const ApproxTopK read, ReadApproxTopK(call.instruction));
  std::vector<Literal> arrays;
  for (int i = 0; i < read.operand_count; ++i) arrays.push_back(call.operands.Take(i));
  std::vector<Literal*> values;
  for (Literal& array : arrays) values.push_back(&array);
  const auto owned = std::make_unique<bool[]>(arrays.size());
  OperandValues operands(values, absl::MakeConstSpan(owned.get(), arrays.size()));
  ASSIGN_OR_RETURN(const std::vector<Literal> sorted,
                   SortLines(*call.instruction.called_computation(0), read.dimension, operands, call.context));
  const Shape& shape = call.instruction.shape();
  std::vector<Literal> results;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const Shape& kept = shape.IsTuple() ? shape.tuple_shape(static_cast<int>(i)) : shape;
    ASSIGN_OR_RETURN(Literal result, call.context.Allocate(kept));
    const DimensionVector from = RowMajorStrides(sorted[i].shape()), to = RowMajorStrides(kept);
    CopyDimensions dimensions;
    for (int d = 0; d < kept.rank(); ++d) dimensions.push_back({kept.dimension(d), from[d], to[d]});
    if (result.size_bytes() > 0) {
      StridedCopy(kept.element_type(), dimensions).Run(sorted[i].untyped_data(), result.untyped_mutable_data());
    }
    results.push_back(std::move(result));
  }
  return shape.IsTuple() ? Literal::Tuple(std::move(results)) : std::move(results[0]);
}

}  // namespace xla
