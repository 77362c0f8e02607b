// A dot in which one dimension of lhs is cut into groups of run-time sizes, consecutive from its start. What that means
// depends on the dimension:
//   free:        rows of group g are multiplied by rhs[g]; rhs has a group dimension (rhs_group_dims). Rows beyond the
//                last group give zero. lhs [b, m, k], rhs [g, b, k, n] -> [b, m, n]
//   contracting: each group is contracted by itself. lhs [b, m, k], rhs [b, k, n] -> [g, b, m, n]
//   batch:       as dot; batches beyond the last group give zero. lhs [b, m, k], rhs [b, k, n] -> [b, m, n]
// group_sizes is int[g], or int[p, g] where p are the sizes of the dimensions of lhs that come before the ragged one:
// all batch dimensions and the free (contracting) ones listed before it; for a ragged batch dimension, the batch
// dimensions listed before it. Groups end where the dimension ends; negative sizes count as 0.
// Errors: InvalidArgument if these rules or those of dot are violated.
// Source: XLA operation semantics, section `RaggedDot`; JAX's lax.ragged_dot_general for the prefix of group_sizes.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/ops/dot_dimensions.h"
#include "xla_core/ops/dot_product.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/ops/scratch_reservation.h"
#include "xla_core/ops/wide_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

enum class RaggedMode { kFree, kContracting, kBatch };

struct RaggedDot {
  DotDimensions dims;  // rhs_free without the group dimension
  RaggedMode mode;
  int64_t ragged_dim;      // of lhs
  int64_t group_dim = -1;  // of rhs, in mode kFree
  DimensionVector prefix;  // dimensions of lhs that group_sizes may have before its last one
  int64_t group_count;
};

size_t PositionIn(const DimensionVector& list, int64_t d) {
  return static_cast<size_t>(absl::c_find(list, d) - list.begin());
}

void AppendBefore(const DimensionVector& list, int64_t d, DimensionVector& to) {
  to.insert(to.end(), list.begin(), list.begin() + static_cast<std::ptrdiff_t>(PositionIn(list, d)));
}

// Finds out which list has the ragged dimension, and the prefix that follows from it.
void SetMode(RaggedDot& dot) {
  const DotDimensions& dims = dot.dims;
  if (absl::c_linear_search(dims.lhs_batch, dot.ragged_dim)) {
    dot.mode = RaggedMode::kBatch;
    return AppendBefore(dims.lhs_batch, dot.ragged_dim, dot.prefix);
  }
  const bool contracting = absl::c_linear_search(dims.lhs_contracting, dot.ragged_dim);
  dot.mode = contracting ? RaggedMode::kContracting : RaggedMode::kFree;
  dot.prefix = dims.lhs_batch;
  AppendBefore(contracting ? dims.lhs_contracting : dims.lhs_free, dot.ragged_dim, dot.prefix);
}

// The dimension of rhs that numbers groups, if the ragged dimension is free: removed from the free ones, for each
// group uses one slice of it.
absl::Status TakeGroupDimension(const RaggedDotAttributes& attributes, const Shape& rhs, RaggedDot& dot) {
  const size_t expected = dot.mode == RaggedMode::kFree ? 1 : 0;
  if (attributes.rhs_group_dims.size() != expected) {
    return absl::InvalidArgumentError(absl::StrCat(
        "rhs_group_dims must have ", expected, " dimensions when the ragged dimension ", dot.ragged_dim, " of lhs is ",
        dot.mode == RaggedMode::kFree          ? "free"
        : dot.mode == RaggedMode::kContracting ? "contracting"
                                               : "a batch dimension",
        ", got {", absl::StrJoin(attributes.rhs_group_dims, ","), "}"));
  }
  if (expected == 0) return absl::OkStatus();
  dot.group_dim = attributes.rhs_group_dims[0];
  const size_t position = PositionIn(dot.dims.rhs_free, dot.group_dim);
  if (position == dot.dims.rhs_free.size()) {
    return absl::InvalidArgumentError(absl::StrCat("rhs_group_dims={", dot.group_dim, "} must be a dimension of rhs ",
                                                   rhs.ToString(), " that is neither batch nor contracting"));
  }
  dot.dims.rhs_free.erase(dot.dims.rhs_free.begin() + static_cast<std::ptrdiff_t>(position));
  if (rhs.dimension(static_cast<int>(dot.group_dim)) != dot.group_count) {
    return absl::InvalidArgumentError(absl::StrCat("the group dimension ", dot.group_dim, " of rhs ", rhs.ToString(),
                                                   " must have one element for each of the ", dot.group_count,
                                                   " group sizes"));
  }
  return absl::OkStatus();
}

absl::Status CheckGroupSizes(const Shape& lhs, const Shape& sizes, RaggedDot& dot) {
  if (!sizes.IsArray() || !IsInt(sizes.element_type()) || sizes.rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("group_sizes must be an array of integers with at least one dimension, got ", sizes.ToString()));
  }
  dot.group_count = sizes.dimension(sizes.rank() - 1);
  if (sizes.rank() == 1) return absl::OkStatus();
  DimensionVector expected;
  for (const int64_t d : dot.prefix) expected.push_back(lhs.dimension(static_cast<int>(d)));
  expected.push_back(dot.group_count);
  if (absl::c_equal(expected, sizes.dimensions())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("group_sizes must have dimensions [", dot.group_count, "] or [",
                                                 absl::StrJoin(expected, ","), "], got ", sizes.ToString()));
}

// Reads attributes and shapes; the mode depends on what the ragged dimension is in the dot: free, contracting or
// batch.
absl::StatusOr<RaggedDot> ParseRaggedDot(const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes<RaggedDotAttributes>();
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  RaggedDot dot;
  dot.dims = DotDimensionsOf(attributes);
  RETURN_IF_ERROR(CompleteDotDimensions(lhs, rhs, dot.dims));
  if (attributes.lhs_ragged_dims.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("lhs_ragged_dims must name exactly one dimension, got {",
                                                   absl::StrJoin(attributes.lhs_ragged_dims, ","), "}"));
  }
  dot.ragged_dim = attributes.lhs_ragged_dims[0];
  if (dot.ragged_dim < 0 || dot.ragged_dim >= lhs.rank()) {
    return absl::InvalidArgumentError(
        absl::StrCat("lhs_ragged_dims={", dot.ragged_dim, "} is out of range for lhs ", lhs.ToString()));
  }
  SetMode(dot);
  RETURN_IF_ERROR(CheckGroupSizes(lhs, instruction.operand(2)->shape(), dot));
  RETURN_IF_ERROR(TakeGroupDimension(attributes, rhs, dot));
  return dot;
}

absl::StatusOr<Shape> InferRaggedDotShape(const HloInstruction& instruction) {
  ASSIGN_OR_RETURN(const RaggedDot dot, ParseRaggedDot(instruction));
  ASSIGN_OR_RETURN(const PrimitiveType type, ProductElementType(instruction));
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  Shape result = Shape::Scalar(type);
  if (dot.mode == RaggedMode::kContracting) result.AddDimension(dot.group_count);
  AppendDotDimensions(lhs, rhs, dot.dims, result);
  return result;
}

void VerifyRaggedDot(const HloInstruction& instruction, Violations& violations) {
  const auto& attributes = instruction.attributes<RaggedDotAttributes>();
  VerifyProductTypes(instruction, violations);
  // XLA writes one precision for each of the three operands or for the two that are multiplied.
  if (attributes.operand_precision.size() != 3) {
    violations.Add(CheckPrecisionCount(attributes.operand_precision, 2));
  }
}

// The group sizes, and where each group of each prefix lies.
class Groups {
 public:
  Groups(const RaggedDot& dot, const Literal& lhs, const Literal& sizes)
      : count_(dot.group_count),
        shared_(sizes.shape().rank() == 1),
        limit_(lhs.shape().dimension(static_cast<int>(dot.ragged_dim))) {
    std::vector<uint64_t> wide(sizes.element_count());
    ReadWide(sizes.shape().element_type(), sizes.untyped_data(), 0, sizes.element_count(), wide.data());
    const bool is_signed = IsSignedInt(sizes.shape().element_type());
    for (const uint64_t size : wide) {
      const bool negative = is_signed && static_cast<int64_t>(size) < 0;
      sizes_.push_back(negative ? 0 : static_cast<int64_t>(std::min<uint64_t>(size, static_cast<uint64_t>(limit_))));
    }
  }
  int64_t count() const { return count_; }
  // First index and number of indices of group `group` under prefix number `prefix`.
  std::pair<int64_t, int64_t> Range(int64_t prefix, int64_t group) const {
    const int64_t* const sizes = sizes_.data() + (shared_ ? 0 : prefix * count_);
    int64_t begin = 0;
    for (int64_t g = 0; g < group; ++g) begin = std::min(limit_, begin + sizes[g]);
    return {begin, std::min(sizes[group], limit_ - begin)};
  }

 private:
  const int64_t count_;
  const bool shared_;
  const int64_t limit_;
  std::vector<int64_t> sizes_;
};

// The offsets of `axis` moved by `base`.
StridedAxis Moved(const StridedAxis& axis, int64_t base) {
  std::vector<int64_t> offsets(axis.size());
  axis.Offsets(0, axis.size(), offsets.data());
  for (int64_t& offset : offsets) offset += base;
  return StridedAxis::FromOffsets(std::move(offsets));
}

// Offsets begin .. begin + count - 1 along dimension `d`, each with all of `rest`; d changes slowest.
StridedAxis RangeTimes(int64_t stride, int64_t base, int64_t begin, int64_t count, const StridedAxis& rest) {
  std::vector<int64_t> offsets;
  for (int64_t i = begin; i < begin + count; ++i) {
    for (int64_t j = 0; j < rest.size(); ++j) offsets.push_back(base + i * stride + rest.Offset(j));
  }
  return StridedAxis::FromOffsets(std::move(offsets));
}

class RaggedDotEvaluation {
 public:
  RaggedDotEvaluation(const RaggedDot& dot, const Literal& lhs, const Literal& rhs, const Literal& sizes,
                      Literal& result, EvalContext& context)
      : dot_(dot),
        lhs_(lhs),
        rhs_(rhs),
        result_(result),
        context_(context),
        groups_(dot, lhs, sizes),
        lhs_strides_(RowMajorStrides(lhs.shape().dimensions())),
        rhs_strides_(RowMajorStrides(rhs.shape().dimensions())),
        result_strides_(RowMajorStrides(result.shape().dimensions())) {}

  absl::Status Run() {
    switch (dot_.mode) {
      case RaggedMode::kFree:
        return RunFree();
      case RaggedMode::kContracting:
        return RunContracting();
      case RaggedMode::kBatch:
        break;
    }
    return RunBatch();
  }

 private:
  // Dimension of the result that comes from position `i` of a list of lhs or rhs.
  int64_t BatchStride(size_t i) const { return result_strides_[GroupDims() + i]; }
  int64_t LhsFreeStride(size_t i) const { return result_strides_[GroupDims() + dot_.dims.lhs_batch.size() + i]; }
  int64_t RhsFreeStride(size_t i) const {
    return result_strides_[GroupDims() + dot_.dims.lhs_batch.size() + dot_.dims.lhs_free.size() + i];
  }
  size_t GroupDims() const { return dot_.mode == RaggedMode::kContracting ? 1 : 0; }

  StridedAxis ResultColumns() const {
    StridedAxis axis;
    for (size_t i = 0; i < dot_.dims.rhs_free.size(); ++i) {
      axis.Add(rhs_.shape().dimension(static_cast<int>(dot_.dims.rhs_free[i])), RhsFreeStride(i));
    }
    return axis;
  }

  // The three batch axes of the result's batch dimensions.
  void BatchAxes(StridedAxis& lhs, StridedAxis& rhs, StridedAxis& result) const {
    for (size_t i = 0; i < dot_.dims.lhs_batch.size(); ++i) {
      const int64_t size = lhs_.shape().dimension(static_cast<int>(dot_.dims.lhs_batch[i]));
      lhs.Add(size, lhs_strides_[dot_.dims.lhs_batch[i]]);
      rhs.Add(size, rhs_strides_[dot_.dims.rhs_batch[i]]);
      result.Add(size, BatchStride(i));
    }
  }

  // One product per prefix (batches and earlier free dimensions) and group.
  absl::Status RunFree() {
    const DotDimensions& dims = dot_.dims;
    StridedAxis lhs_prefix, rhs_prefix, result_prefix, lhs_rest, result_rest;
    BatchAxes(lhs_prefix, rhs_prefix, result_prefix);
    const size_t ragged = PositionIn(dims.lhs_free, dot_.ragged_dim);
    for (size_t i = 0; i < dims.lhs_free.size(); ++i) {
      const int64_t size = lhs_.shape().dimension(static_cast<int>(dims.lhs_free[i]));
      if (i == ragged) continue;
      (i < ragged ? lhs_prefix : lhs_rest).Add(size, lhs_strides_[dims.lhs_free[i]]);
      (i < ragged ? result_prefix : result_rest).Add(size, LhsFreeStride(i));
      if (i < ragged) rhs_prefix.Add(size, 0);
    }
    for (int64_t prefix = 0; prefix < lhs_prefix.size(); ++prefix) {
      for (int64_t g = 0; g < groups_.count(); ++g) {
        const auto [begin, count] = groups_.Range(prefix, g);
        if (count == 0) continue;
        const MatrixProduct product{
            {{},
             RangeTimes(lhs_strides_[dot_.ragged_dim], lhs_prefix.Offset(prefix), begin, count, lhs_rest),
             AxisOf(lhs_, dims.lhs_contracting)},
            {{},
             Moved(AxisOf(rhs_, dims.rhs_free), rhs_prefix.Offset(prefix) + g * rhs_strides_[dot_.group_dim]),
             AxisOf(rhs_, dims.rhs_contracting)},
            {{},
             RangeTimes(LhsFreeStride(ragged), result_prefix.Offset(prefix), begin, count, result_rest),
             ResultColumns()}};
        RETURN_IF_ERROR(EvaluateMatrixProduct(product, lhs_, rhs_, result_, context_));
      }
    }
    return absl::OkStatus();
  }

  // One product per batch and group. The inner indices are listed one by one, because each earlier contracting index
  // may have a range of its own.
  absl::Status RunContracting() {
    const DotDimensions& dims = dot_.dims;
    StridedAxis lhs_batch, rhs_batch, result_batch, result_rows;
    BatchAxes(lhs_batch, rhs_batch, result_batch);
    for (size_t i = 0; i < dims.lhs_free.size(); ++i) {
      result_rows.Add(lhs_.shape().dimension(static_cast<int>(dims.lhs_free[i])), LhsFreeStride(i));
    }
    for (int64_t batch = 0; batch < lhs_batch.size(); ++batch) {
      for (int64_t g = 0; g < groups_.count(); ++g) {
        std::vector<int64_t> lhs_inner, rhs_inner;
        AppendInner(batch, g, lhs_inner, rhs_inner);
        const MatrixProduct product{
            {{},
             Moved(AxisOf(lhs_, dims.lhs_free), lhs_batch.Offset(batch)),
             StridedAxis::FromOffsets(std::move(lhs_inner))},
            {{},
             Moved(AxisOf(rhs_, dims.rhs_free), rhs_batch.Offset(batch)),
             StridedAxis::FromOffsets(std::move(rhs_inner))},
            {{}, Moved(result_rows, result_batch.Offset(batch) + g * result_strides_[0]), ResultColumns()}};
        RETURN_IF_ERROR(EvaluateMatrixProduct(product, lhs_, rhs_, result_, context_));
      }
    }
    return absl::OkStatus();
  }

  // The inner offsets of group g: for each index of the earlier contracting dimensions its own range of the ragged one,
  // and for each of these all of the later dimensions.
  void AppendInner(int64_t batch, int64_t g, std::vector<int64_t>& lhs_inner, std::vector<int64_t>& rhs_inner) const {
    const DotDimensions& dims = dot_.dims;
    StridedAxis lhs_before, rhs_before, lhs_after, rhs_after;
    const size_t ragged = PositionIn(dims.lhs_contracting, dot_.ragged_dim);
    for (size_t i = 0; i < dims.lhs_contracting.size(); ++i) {
      if (i == ragged) continue;
      const int64_t size = lhs_.shape().dimension(static_cast<int>(dims.lhs_contracting[i]));
      (i < ragged ? lhs_before : lhs_after).Add(size, lhs_strides_[dims.lhs_contracting[i]]);
      (i < ragged ? rhs_before : rhs_after).Add(size, rhs_strides_[dims.rhs_contracting[i]]);
    }
    const int64_t rhs_ragged_stride = rhs_strides_[dims.rhs_contracting[ragged]];
    for (int64_t x = 0; x < lhs_before.size(); ++x) {
      const auto [begin, count] = groups_.Range(batch * lhs_before.size() + x, g);
      for (int64_t i = begin; i < begin + count; ++i) {
        for (int64_t j = 0; j < lhs_after.size(); ++j) {
          lhs_inner.push_back(lhs_before.Offset(x) + i * lhs_strides_[dot_.ragged_dim] + lhs_after.Offset(j));
          rhs_inner.push_back(rhs_before.Offset(x) + i * rhs_ragged_stride + rhs_after.Offset(j));
        }
      }
    }
  }

  // One product per prefix of earlier batch dimensions, over the batches that some group has.
  absl::Status RunBatch() {
    const DotDimensions& dims = dot_.dims;
    StridedAxis lhs_prefix, rhs_prefix, result_prefix, lhs_rest, rhs_rest, result_rest, result_rows;
    const size_t ragged = PositionIn(dims.lhs_batch, dot_.ragged_dim);
    for (size_t i = 0; i < dims.lhs_batch.size(); ++i) {
      if (i == ragged) continue;
      const int64_t size = lhs_.shape().dimension(static_cast<int>(dims.lhs_batch[i]));
      (i < ragged ? lhs_prefix : lhs_rest).Add(size, lhs_strides_[dims.lhs_batch[i]]);
      (i < ragged ? rhs_prefix : rhs_rest).Add(size, rhs_strides_[dims.rhs_batch[i]]);
      (i < ragged ? result_prefix : result_rest).Add(size, BatchStride(i));
    }
    for (size_t i = 0; i < dims.lhs_free.size(); ++i) {
      result_rows.Add(lhs_.shape().dimension(static_cast<int>(dims.lhs_free[i])), LhsFreeStride(i));
    }
    for (int64_t prefix = 0; prefix < lhs_prefix.size(); ++prefix) {
      if (groups_.count() == 0) break;
      const auto [last_begin, last_count] = groups_.Range(prefix, groups_.count() - 1);
      const int64_t count = last_begin + last_count;
      const MatrixProduct product{
          {RangeTimes(lhs_strides_[dot_.ragged_dim], lhs_prefix.Offset(prefix), 0, count, lhs_rest),
           AxisOf(lhs_, dims.lhs_free), AxisOf(lhs_, dims.lhs_contracting)},
          {RangeTimes(rhs_strides_[dims.rhs_batch[ragged]], rhs_prefix.Offset(prefix), 0, count, rhs_rest),
           AxisOf(rhs_, dims.rhs_free), AxisOf(rhs_, dims.rhs_contracting)},
          {RangeTimes(BatchStride(ragged), result_prefix.Offset(prefix), 0, count, result_rest), result_rows,
           ResultColumns()}};
      RETURN_IF_ERROR(EvaluateMatrixProduct(product, lhs_, rhs_, result_, context_));
    }
    return absl::OkStatus();
  }

  const RaggedDot& dot_;
  const Literal& lhs_;
  const Literal& rhs_;
  Literal& result_;
  EvalContext& context_;
  const Groups groups_;
  const DimensionVector lhs_strides_;
  const DimensionVector rhs_strides_;
  const DimensionVector result_strides_;
};

absl::StatusOr<Literal> EvaluateRaggedDot(const HloInstruction& instruction, OperandValues& operands,
                                          EvalContext& context) {
  ASSIGN_OR_RETURN(const RaggedDot dot, ParseRaggedDot(instruction));
  ASSIGN_OR_RETURN(Literal result, context.AllocateZeros(instruction.shape()));
  if (result.element_count() == 0) return result;
  // Offsets are listed one by one: no more than one for each element of the three arrays.
  const double offsets =
      static_cast<double>(operands[0].element_count()) + operands[1].element_count() + result.element_count();
  ASSIGN_OR_RETURN(const auto reservation, ScratchReservation::Make(offsets, sizeof(int64_t), context));
  RaggedDotEvaluation evaluation(dot, operands[0], operands[1], operands[2], result, context);
  RETURN_IF_ERROR(evaluation.Run());
  return result;
}

}  // namespace

OpDefinition Define_kRaggedDot() {
  OpDefinition op;
  op.min_operands = 3;
  op.max_operands = 3;
  op.make_attributes = &MakeAttributes<RaggedDotAttributes>;
  op.shape_may_be_omitted = true;
  op.infer_shape = &InferRaggedDotShape;
  op.verify = &VerifyRaggedDot;
  op.evaluate = &EvaluateRaggedDot;
  return op;
}

}  // namespace xla
