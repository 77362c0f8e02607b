#include "xla_core/ops/convolution_shape.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ops/dot_dimensions.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/ops/window_shape.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Labels of one array: its two special dimensions and its spatial ones must be 0 .. n + 1, each once.
absl::Status CheckLabels(absl::string_view what, int64_t first, int64_t second, const DimensionVector& spatial,
                         int spatial_rank) {
  if (static_cast<int>(spatial.size()) != spatial_rank) {
    return absl::InvalidArgumentError(absl::StrCat("dim_labels give ", what, " ", spatial.size(),
                                                   " spatial dimensions, the window has ", spatial_rank));
  }
  std::vector<bool> used(spatial_rank + 2);
  DimensionVector all = spatial;
  all.push_back(first);
  all.push_back(second);
  for (const int64_t d : all) {
    if (d < 0 || d >= spatial_rank + 2 || used[d]) {
      return absl::InvalidArgumentError(absl::StrCat("dim_labels must name each of the ", spatial_rank + 2,
                                                     " dimensions of ", what, " once; dimension ", d,
                                                     " is repeated or out of range"));
    }
    used[d] = true;
  }
  return absl::OkStatus();
}

absl::Status CheckRank(absl::string_view what, const Shape& shape, int spatial_rank) {
  if (shape.rank() == spatial_rank + 2) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " must have ", spatial_rank + 2, " dimensions for a window of ",
                                                 spatial_rank, ", got ", shape.ToString()));
}

absl::Status CheckAllLabels(const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  const int spatial_rank = static_cast<int>(attributes.window.dimensions.size());
  RETURN_IF_ERROR(CheckLabels("lhs", labels.input_batch, labels.input_feature, labels.input_spatial, spatial_rank));
  RETURN_IF_ERROR(CheckLabels("rhs", labels.kernel_input_feature, labels.kernel_output_feature, labels.kernel_spatial,
                              spatial_rank));
  RETURN_IF_ERROR(
      CheckLabels("the result", labels.output_batch, labels.output_feature, labels.output_spatial, spatial_rank));
  RETURN_IF_ERROR(CheckRank("lhs", instruction.operand(0)->shape(), spatial_rank));
  return CheckRank("rhs", instruction.operand(1)->shape(), spatial_rank);
}

bool IsKnown(int64_t size) { return size != Shape::kUnboundedSize; }

absl::Status CheckDivisible(absl::string_view what, int64_t size, absl::string_view by, int64_t count) {
  if (!IsKnown(size) || size % count == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " must be divisible by ", by, "=", count, ", got ", size));
}

// Unknown sizes (unbounded dynamic dimensions) fit everything.
absl::Status CheckGroups(const HloInstruction& instruction) {
  const auto& attributes = instruction.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  const int64_t feature_groups = attributes.feature_group_count, batch_groups = attributes.batch_group_count;
  if (feature_groups < 1 || batch_groups < 1) {
    return absl::InvalidArgumentError(absl::StrCat("feature_group_count and batch_group_count must be at least 1, got ",
                                                   feature_groups, " and ", batch_groups));
  }
  if (feature_groups > 1 && batch_groups > 1) {
    return absl::InvalidArgumentError(absl::StrCat("feature_group_count=", feature_groups, " and batch_group_count=",
                                                   batch_groups, " cannot both be greater than 1"));
  }
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  const int64_t lhs_features = lhs.dimension(static_cast<int>(labels.input_feature));
  const int64_t rhs_features = rhs.dimension(static_cast<int>(labels.kernel_input_feature));
  const int64_t rhs_outputs = rhs.dimension(static_cast<int>(labels.kernel_output_feature));
  int64_t wanted_features;
  if (IsKnown(lhs_features) && IsKnown(rhs_features) &&
      (!CheckedMul(rhs_features, feature_groups, &wanted_features) || wanted_features != lhs_features)) {
    return absl::InvalidArgumentError(
        absl::StrCat("lhs ", lhs.ToString(), " must have feature_group_count=", feature_groups,
                     " times the input features of rhs ", rhs.ToString(), " (dim ", labels.kernel_input_feature, ", ",
                     rhs_features, "), got ", lhs_features, " in dim ", labels.input_feature));
  }
  RETURN_IF_ERROR(CheckDivisible("the output features of rhs", rhs_outputs, "feature_group_count", feature_groups));
  RETURN_IF_ERROR(CheckDivisible("the output features of rhs", rhs_outputs, "batch_group_count", batch_groups));
  return CheckDivisible("the batch of lhs", lhs.dimension(static_cast<int>(labels.input_batch)), "batch_group_count",
                        batch_groups);
}

// The number of window positions along spatial dimension i. Errors name the dimension.
absl::StatusOr<int64_t> OutputSize(const HloInstruction& instruction, int i) {
  const auto& attributes = instruction.attributes<ConvolutionAttributes>();
  const WindowDimension& window = attributes.window.dimensions[i];
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  const int64_t kernel_size = rhs.dimension(static_cast<int>(attributes.dim_labels.kernel_spatial[i]));
  if (IsKnown(kernel_size) && kernel_size != window.size) {
    return absl::InvalidArgumentError(absl::StrCat("spatial dimension ", i, ": the window's size must be that of rhs ",
                                                   rhs.ToString(), " dim ", attributes.dim_labels.kernel_spatial[i],
                                                   ", ", kernel_size, ", got ", window.size));
  }
  absl::StatusOr<int64_t> size =
      WindowOutputSize(window, lhs.dimension(static_cast<int>(attributes.dim_labels.input_spatial[i])));
  if (!size.ok())
    return absl::InvalidArgumentError(absl::StrCat("spatial dimension ", i, ": ", size.status().message()));
  return size;
}

}  // namespace

// Spatial sizes come from the window, the batch from lhs and features from rhs; each is dynamic if it is so there.
absl::StatusOr<Shape> InferConvolutionShape(const HloInstruction& instruction) {
  RETURN_IF_ERROR(CheckArrayOperands(instruction, 0, 2));
  RETURN_IF_ERROR(CheckAllLabels(instruction));
  RETURN_IF_ERROR(CheckGroups(instruction));
  ASSIGN_OR_RETURN(const PrimitiveType type, ProductElementType(instruction));

  const auto& attributes = instruction.attributes<ConvolutionAttributes>();
  const ConvolutionDimensionNumbers& labels = attributes.dim_labels;
  const Shape& lhs = instruction.operand(0)->shape();
  const Shape& rhs = instruction.operand(1)->shape();
  Shape result = Shape::Array(type, DimensionVector(lhs.rank(), 0));
  const auto set = [&](int64_t d, int64_t size, bool dynamic) {
    result.set_dimension(static_cast<int>(d), size);
    if (dynamic) result.set_dynamic_dimension(static_cast<int>(d), true);
  };
  const int batch = static_cast<int>(labels.input_batch), features = static_cast<int>(labels.kernel_output_feature);
  const int64_t batch_size = lhs.dimension(batch);
  set(labels.output_batch, IsKnown(batch_size) ? batch_size / attributes.batch_group_count : batch_size,
      lhs.is_dynamic_dimension(batch));
  set(labels.output_feature, rhs.dimension(features), rhs.is_dynamic_dimension(features));
  for (size_t i = 0; i < labels.output_spatial.size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t size, OutputSize(instruction, static_cast<int>(i)));
    set(labels.output_spatial[i], size, lhs.is_dynamic_dimension(static_cast<int>(labels.input_spatial[i])));
  }
  return result;
}

}  // namespace xla
