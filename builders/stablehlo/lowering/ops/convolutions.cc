#include "builders/stablehlo/lowering/ops/convolutions.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/ops/quantized_products.h"
#include "builders/stablehlo/lowering/type_shapes.h"
#include "builders/stablehlo/lowering/words.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::StatusOr<ConvolutionDimensionNumbers> ConvolutionNumbersOf(const OperationCall& call) {
  ASSIGN_OR_RETURN(const AttributeReader fields, call.attributes().Struct("dimension_numbers"));
  ConvolutionDimensionNumbers dims;
  ASSIGN_OR_RETURN(dims.input_batch, fields.IntOr("input_batch_dimension", 0));
  ASSIGN_OR_RETURN(dims.input_feature, fields.IntOr("input_feature_dimension", 0));
  ASSIGN_OR_RETURN(dims.input_spatial, fields.IntsOr("input_spatial_dimensions", {}));
  ASSIGN_OR_RETURN(dims.kernel_input_feature, fields.IntOr("kernel_input_feature_dimension", 0));
  ASSIGN_OR_RETURN(dims.kernel_output_feature, fields.IntOr("kernel_output_feature_dimension", 0));
  ASSIGN_OR_RETURN(dims.kernel_spatial, fields.IntsOr("kernel_spatial_dimensions", {}));
  ASSIGN_OR_RETURN(dims.output_batch, fields.IntOr("output_batch_dimension", 0));
  ASSIGN_OR_RETURN(dims.output_feature, fields.IntOr("output_feature_dimension", 0));
  ASSIGN_OR_RETURN(dims.output_spatial, fields.IntsOr("output_spatial_dimensions", {}));
  return dims;
}

absl::Status CheckRole(absl::string_view what, const DimensionVector& spatial, int64_t a, int64_t b, int64_t rank,
                       absl::string_view size_constraint, absl::string_view constraint) {
  RETURN_IF_ERROR(CheckSize(absl::StrCat(what, "_spatial_dimensions"), spatial.size(), rank - 2, size_constraint));
  DimensionVector all = spatial;
  all.push_back(a);
  all.push_back(b);
  return CheckDimensions(absl::StrCat("the dimensions of the ", what), all, rank, constraint, constraint);
}

absl::Status CheckMultiple(absl::string_view what, int64_t size, absl::string_view count_name, int64_t count,
                           absl::string_view constraint) {
  if (size % count == 0) return absl::OkStatus();
  return Broken(constraint, absl::StrCat("expected the ", what, " (", size, ") to be a multiple of ", count_name, " (",
                                         count, ")"));
}

absl::Status CheckFeatures(const OperationCall& call, const ConvolutionDimensionNumbers& dims,
                           const ConvolutionOptions& options) {
  const int64_t features = options.feature_group_count, batches = options.batch_group_count;
  if (features < 1) {
    return Broken(call.Constraint("c21"), absl::StrCat("feature_group_count must be at least 1, got ", features));
  }
  if (batches < 1) {
    return Broken(call.Constraint("c22"), absl::StrCat("batch_group_count must be at least 1, got ", batches));
  }
  if (features > 1 && batches > 1) {
    return Broken(call.Constraint("c23"), "feature_group_count or batch_group_count must be 1");
  }
  const auto size = [&](int operand, int64_t d) { return call.shape(operand).dimension(static_cast<int>(d)); };
  const int64_t input_feature = size(0, dims.input_feature);
  const int64_t output_feature = size(1, dims.kernel_output_feature);
  RETURN_IF_ERROR(CheckMultiple("input batch dimension", size(0, dims.input_batch), "batch_group_count", batches,
                                call.Constraint("c10")));
  RETURN_IF_ERROR(
      CheckMultiple("input feature dimension", input_feature, "feature_group_count", features, call.Constraint("c11")));
  if (size(1, dims.kernel_input_feature) != input_feature / features) {
    return Broken(
        call.Constraint("c14"),
        absl::StrCat("expected the input feature dimension (", input_feature, ") to be the one of the kernel (",
                     size(1, dims.kernel_input_feature), ") times feature_group_count (", features, ")"));
  }
  RETURN_IF_ERROR(CheckMultiple("output feature dimension of the kernel", output_feature, "batch_group_count", batches,
                                call.Constraint("c15")));
  return CheckMultiple("output feature dimension of the kernel", output_feature, "feature_group_count", features,
                       call.Constraint("c16"));
}

absl::Status CheckPositive(absl::string_view what, const DimensionVector& list, int64_t count,
                           absl::string_view size_constraint, absl::string_view value_constraint) {
  RETURN_IF_ERROR(CheckSize(what, list.size(), count, size_constraint));
  for (const int64_t value : list) {
    if (value < 1) return Broken(value_constraint, absl::StrCat(what, " must be at least 1, got ", value));
  }
  return absl::OkStatus();
}

absl::Status CheckConvolutionTypes(const OperationCall& call, const ConvolutionDimensionNumbers& dims) {
  RETURN_IF_ERROR(CheckSameElementType(call, 0, 1, call.Constraint("c27")));
  const QuantizedProductLabels labels = {"c28", "", "c31", "c32", "c33", "c34"};
  RETURN_IF_ERROR(CheckQuantizedProduct(call, labels));
  const Quantization* const rhs = QuantizationOf(call.module(), call.operand_type(1));
  const Quantization* const result = QuantizationOf(call.module(), call.result_type());
  if (rhs != nullptr && rhs->axis >= 0 && rhs->axis != dims.kernel_output_feature) {
    return Broken(call.Constraint("c29"),
                  absl::StrCat("the kernel must be quantized along kernel_output_feature_dimension ",
                               dims.kernel_output_feature, ", got ", rhs->axis));
  }
  if (result != nullptr && result->axis >= 0 && result->axis != dims.output_feature) {
    return Broken(call.Constraint("c30"), absl::StrCat("the result must be quantized along output_feature_dimension ",
                                                       dims.output_feature, ", got ", result->axis));
  }
  return absl::OkStatus();
}

absl::Status LowerConvolution(OperationCall& call) {
  const int spatial = call.shape(0).rank() - 2;
  ASSIGN_OR_RETURN(const IntPairs padding, call.attributes().PairsOr("padding", IntPairs(spatial < 0 ? 0 : spatial)));
  return LowerConvolutionOf(call, padding);
}

}  // namespace

absl::Status LowerConvolutionOf(OperationCall& call, const IntPairs& padding) {
  for (int i = 0; i < 2; ++i) RETURN_IF_ERROR(CheckElementType(call, i, kAnyClass));
  const int64_t rank = call.shape(0).rank();
  if (rank != call.shape(1).rank() || rank < 2) {
    return Broken(call.Constraint("c1"), absl::StrCat("lhs and rhs must have the same rank, at least 2, got ",
                                                      call.shape(0).ToString(), " and ", call.shape(1).ToString()));
  }
  if (call.result_shape().rank() != rank) {
    return Broken(call.Constraint("c26"), absl::StrCat("the result must have the rank of lhs, ", rank, ", got ",
                                                       call.result_shape().ToString()));
  }
  ASSIGN_OR_RETURN(const ConvolutionDimensionNumbers dims, ConvolutionNumbersOf(call));
  RETURN_IF_ERROR(CheckConvolutionTypes(call, dims));
  const AttributeReader attributes = call.attributes();
  const DimensionVector ones(rank - 2, 1);
  ASSIGN_OR_RETURN(const DimensionVector strides, attributes.IntsOr("window_strides", ones));
  ASSIGN_OR_RETURN(const DimensionVector lhs_dilation, attributes.IntsOr("lhs_dilation", ones));
  ASSIGN_OR_RETURN(const DimensionVector rhs_dilation, attributes.IntsOr("rhs_dilation", ones));
  ASSIGN_OR_RETURN(const DimensionVector reversal, attributes.IntsOr("window_reversal", DimensionVector(rank - 2, 0)));
  RETURN_IF_ERROR(CheckPositive("window_strides", strides, rank - 2, call.Constraint("c2"), call.Constraint("c3")));
  RETURN_IF_ERROR(CheckSize("padding", padding.size(), rank - 2, call.Constraint("c4")));
  RETURN_IF_ERROR(CheckPositive("lhs_dilation", lhs_dilation, rank - 2, call.Constraint("c5"), call.Constraint("c6")));
  RETURN_IF_ERROR(CheckPositive("rhs_dilation", rhs_dilation, rank - 2, call.Constraint("c7"), call.Constraint("c8")));
  RETURN_IF_ERROR(CheckSize("window_reversal", reversal.size(), rank - 2, call.Constraint("c9")));
  RETURN_IF_ERROR(CheckRole("input", dims.input_spatial, dims.input_batch, dims.input_feature, rank,
                            call.Constraint("c12"), call.Constraint("c13")));
  RETURN_IF_ERROR(CheckRole("kernel", dims.kernel_spatial, dims.kernel_input_feature, dims.kernel_output_feature, rank,
                            call.Constraint("c17"), call.Constraint("c18")));
  RETURN_IF_ERROR(CheckRole("output", dims.output_spatial, dims.output_batch, dims.output_feature, rank,
                            call.Constraint("c19"), call.Constraint("c20")));
  ConvolutionOptions options;
  ASSIGN_OR_RETURN(options.feature_group_count, attributes.Int("feature_group_count"));
  ASSIGN_OR_RETURN(options.batch_group_count, attributes.Int("batch_group_count"));
  RETURN_IF_ERROR(CheckFeatures(call, dims, options));
  for (const int64_t value : reversal) options.window_reversal.push_back(value != 0);
  ASSIGN_OR_RETURN(options.precision, PrecisionConfigOf(call, call.Constraint("c24")));
  options.preferred_element_type = call.result_shape().element_type();
  return call.Return(call.builder().ConvGeneralDilated(call.operand(0), call.operand(1), strides, padding, lhs_dilation,
                                                       rhs_dilation, dims, options),
                     {call.Constraint("c25"), call.Constraint("c27")});
}

std::vector<OperationRow> ConvolutionOperations() { return {Row("stablehlo.convolution", 2, LowerConvolution)}; }

}  // namespace stablehlo
}  // namespace xla
