#include "builders/computation_builder/broadcasting.h"

#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/computation_builder/computation_builder.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

DimensionVector Identity(int rank) {
  DimensionVector dimensions(rank);
  std::iota(dimensions.begin(), dimensions.end(), 0);
  return dimensions;
}

bool IsStaticOne(const Shape& shape, int dimension) {
  return shape.dimension(dimension) == 1 && !shape.is_dynamic_dimension(dimension);
}

// The dimensions of `low` in those of `high`.
absl::StatusOr<DimensionVector> MapDimensions(const Shape& low, const Shape& high,
                                              absl::Span<const int64_t> broadcast_dimensions) {
  if (low.rank() == high.rank()) {
    const DimensionVector identity = Identity(low.rank());
    if (broadcast_dimensions.empty() || broadcast_dimensions == absl::MakeConstSpan(identity)) return identity;
    return absl::InvalidArgumentError(
        absl::StrCat("operands of equal rank need no broadcast_dimensions: expected {} or ", "{",
                     absl::StrJoin(identity, ","), "}, got {", absl::StrJoin(broadcast_dimensions, ","), "}"));
  }
  if (broadcast_dimensions.empty() && low.rank() > 0) {
    return absl::InvalidArgumentError(absl::StrCat("shapes must have equal rank, unless one is a scalar, but are ",
                                                   low.ToString(), " and ", high.ToString(),
                                                   "; give broadcast_dimensions to say which dimensions of ",
                                                   high.ToString(), " those of ", low.ToString(), " are"));
  }
  RETURN_IF_ERROR(CheckBroadcastDimensions(broadcast_dimensions, low.rank(), high.rank()));
  return DimensionVector(broadcast_dimensions.begin(), broadcast_dimensions.end());
}

}  // namespace

absl::Status CheckBroadcastDimensions(absl::Span<const int64_t> broadcast_dimensions, int rank, int result_rank) {
  const std::string text = absl::StrCat("broadcast_dimensions {", absl::StrJoin(broadcast_dimensions, ","), "}");
  if (static_cast<int>(broadcast_dimensions.size()) != rank) {
    return absl::InvalidArgumentError(absl::StrCat(text, " must have one entry for each dimension of the operand of ",
                                                   "rank ", rank, ", got ", broadcast_dimensions.size()));
  }
  for (size_t i = 0; i < broadcast_dimensions.size(); ++i) {
    if (broadcast_dimensions[i] < 0 || broadcast_dimensions[i] >= result_rank) {
      return absl::InvalidArgumentError(absl::StrCat(text, ": entry ", i, " must be at least 0 and less than ",
                                                     result_rank, ", the rank of the result, got ",
                                                     broadcast_dimensions[i]));
    }
    if (i > 0 && broadcast_dimensions[i] <= broadcast_dimensions[i - 1]) {
      return absl::InvalidArgumentError(
          absl::StrCat(text, " must be in ascending order; transpose the operand instead"));
    }
  }
  return absl::OkStatus();
}

// Which dimension of the result each operand's dimension is, and the sizes of the result: where sizes differ, one
// must be 1 and is stretched. The operand of lower rank maps as broadcast_dimensions says.
absl::StatusOr<BroadcastPlan> PlanBroadcast(const Shape& lhs, const Shape& rhs,
                                            absl::Span<const int64_t> broadcast_dimensions) {
  const bool lhs_is_low = lhs.rank() < rhs.rank();
  const Shape& low = lhs_is_low ? lhs : rhs;
  const Shape& high = lhs_is_low ? rhs : lhs;
  BroadcastPlan plan;
  ASSIGN_OR_RETURN(DimensionVector mapping, MapDimensions(low, high, broadcast_dimensions));
  plan.dimensions.assign(high.dimensions().begin(), high.dimensions().end());
  for (int i = 0; i < low.rank(); ++i) {
    const int to = static_cast<int>(mapping[i]);
    if (low.dimension(i) == high.dimension(to) || IsStaticOne(low, i)) continue;
    if (!IsStaticOne(high, to)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "dimension ", i, " of ", low.ToString(), " goes with dimension ", to, " of ", high.ToString(),
          ", so their sizes must be equal or one of them 1, got ", low.dimension(i), " and ", high.dimension(to)));
    }
    plan.dimensions[to] = low.dimension(i);
  }
  plan.lhs_mapping = Identity(high.rank());
  plan.rhs_mapping = plan.lhs_mapping;
  (lhs_is_low ? plan.lhs_mapping : plan.rhs_mapping) = std::move(mapping);
  return plan;
}

// ---- Lowering

// The opcode `broadcast` puts a dimension at one of equal size only, so dimensions to stretch are reshaped away first.
XlaOp ComputationBuilder::Stretch(XlaOp operand, ArraySlice<int64_t> dimensions, ArraySlice<int64_t> mapping) {
  const Shape shape = ShapeOf(operand);
  Shape kept = Shape::Scalar(shape.element_type());
  auto attributes = std::make_unique<BroadcastAttributes>();
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dimension(i) != dimensions[mapping[i]]) continue;
    kept.AddDimension(shape.dimension(i), shape.is_dynamic_dimension(i));
    attributes->dimensions.push_back(mapping[i]);
  }
  if (kept.rank() == static_cast<int>(dimensions.size())) return operand;
  if (kept.rank() < shape.rank()) operand = Append(HloOpcode::kReshape, {operand}, nullptr, {}, kept);
  return Append(HloOpcode::kBroadcast, {operand}, std::move(attributes), {},
                Shape::Array(shape.element_type(), dimensions));
}

// Broadcasts both operands to common dimensions, in place. False after an error, which names both shapes.
bool ComputationBuilder::BroadcastOperands(XlaOp& lhs, XlaOp& rhs, ArraySlice<int64_t> broadcast_dimensions) {
  const Shape& lhs_shape = ShapeOf(lhs);
  const Shape& rhs_shape = ShapeOf(rhs);
  if (!CheckArray("operand 0", lhs_shape) || !CheckArray("operand 1", rhs_shape)) return false;
  if (broadcast_dimensions.empty() && lhs_shape.dimensions() == rhs_shape.dimensions()) return true;
  // The rules of the operation would say the same of shapes that are broadcast already, which are not the caller's.
  if (lhs_shape.element_type() != rhs_shape.element_type()) {
    FailInvalid(absl::StrCat("operands 0 and 1 must have the same element type, got ", lhs_shape.ToString(), " and ",
                             rhs_shape.ToString(), "; convert one of them"));
    return false;
  }
  const absl::StatusOr<BroadcastPlan> plan = PlanBroadcast(lhs_shape, rhs_shape, broadcast_dimensions);
  if (!plan.ok()) {
    Fail(plan.status());
    return false;
  }
  lhs = Stretch(lhs, plan->dimensions, plan->lhs_mapping);
  rhs = Stretch(rhs, plan->dimensions, plan->rhs_mapping);
  return ok();
}

XlaOp ComputationBuilder::Broadcast(XlaOp operand, ArraySlice<int64_t> broadcast_sizes, SourceLocation loc) {
  ActiveCall call(this, "Broadcast", loc, {operand});
  if (!call || !CheckArray("the operand", ShapeOf(operand))) return Invalid();
  const Shape& shape = ShapeOf(operand);
  DimensionVector dimensions(broadcast_sizes.begin(), broadcast_sizes.end());
  auto attributes = std::make_unique<BroadcastAttributes>();
  for (int i = 0; i < shape.rank(); ++i) {
    attributes->dimensions.push_back(static_cast<int64_t>(broadcast_sizes.size()) + i);
    dimensions.push_back(shape.dimension(i));
  }
  for (const int64_t size : broadcast_sizes) {
    if (size < 0) return FailInvalid(absl::StrCat("broadcast_sizes must not be negative, got ", size));
  }
  return Append(HloOpcode::kBroadcast, {operand}, std::move(attributes), {},
                Shape::Array(shape.element_type(), dimensions));
}

XlaOp ComputationBuilder::BroadcastInDim(XlaOp operand, ArraySlice<int64_t> output_dimensions,
                                         ArraySlice<int64_t> broadcast_dimensions, SourceLocation loc) {
  ActiveCall call(this, "BroadcastInDim", loc, {operand});
  if (!call || !CheckArray("the operand", ShapeOf(operand))) return Invalid();
  const Shape& shape = ShapeOf(operand);
  const absl::Status valid =
      CheckBroadcastDimensions(broadcast_dimensions, shape.rank(), static_cast<int>(output_dimensions.size()));
  if (!valid.ok()) return Fail(valid);
  for (const int64_t size : output_dimensions) {
    if (size < 0) return FailInvalid(absl::StrCat("output_dimensions must not be negative, got ", size));
  }
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t size = output_dimensions[broadcast_dimensions[i]];
    if (shape.dimension(i) == size || IsStaticOne(shape, i)) continue;
    return FailInvalid(absl::StrCat("dimension ", i, " of ", shape.ToString(), " becomes output dimension ",
                                    broadcast_dimensions[i], ", so it must have the size ", size, " or 1, got ",
                                    shape.dimension(i)));
  }
  return Stretch(operand, output_dimensions, broadcast_dimensions);
}

}  // namespace xla
