// Products of matrices, and compounds of a product or convolutions.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/windows.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// The extents of a * b for the parameters of these names, whose last two dimensions are rows and columns, or columns
// and rows if transposed; the others broadcast.
absl::StatusOr<Extents> ProductExtents(const OperationCall& call, absl::string_view a_name, absl::string_view b_name,
                                       bool transpose_a, bool transpose_b) {
  const Extents& a = call.extents(a_name);
  const Extents& b = call.extents(b_name);
  const std::string both = absl::StrCat(a_name, ", ", b_name);
  const size_t rank = a.size();
  if (rank != b.size() || rank < 2) {
    return WrongArgument(both, "equal ranks of at least 2", absl::StrCat(ShapeText(a), " and ", ShapeText(b)));
  }
  const int64_t a_inner = transpose_a ? a[rank - 2] : a[rank - 1], b_inner = transpose_b ? b[rank - 1] : b[rank - 2];
  if (a_inner != b_inner) {
    return WrongArgument(both, "equal inner extents",
                         absl::StrCat(a_inner, " of ", ShapeText(a), transpose_a ? " (transposed)" : "", " and ",
                                      b_inner, " of ", ShapeText(b), transpose_b ? " (transposed)" : ""));
  }
  ASSIGN_OR_RETURN(Extents result,
                   BroadcastExtents(b_name, absl::MakeConstSpan(b).first(rank - 2), a_name,
                                    absl::MakeConstSpan(a).first(rank - 2)));
  result.push_back(transpose_a ? a[rank - 1] : a[rank - 2]);
  result.push_back(transpose_b ? b[rank - 2] : b[rank - 1]);
  return result;
}

// An operand of a dot: its extents without the batch dimensions that are repeated, and the places of rows and columns.
struct Factor {
  std::vector<int64_t> kept;
  std::vector<int64_t> only;  // batch dimensions of the result that the other operand has 1 of
};

// The product. Nothing is transposed or repeated before it: the dot contracts whichever dimension is the inner one, and
// a batch dimension that one operand has 1 of is one more row or column of the other.
XlaOp Product(XlaOp a, XlaOp b, bool transpose_a, bool transpose_b) {
  if (!a.valid() || !b.valid()) return XlaOp();
  ComputationBuilder& builder = *a.builder();
  const std::vector<int64_t> a_extents = DimensionsOf(a), b_extents = DimensionsOf(b);
  const int64_t rank = static_cast<int64_t>(a_extents.size());
  DotDimensionNumbers numbers;
  Factor a_factor, b_factor;
  std::vector<int64_t> shared;
  for (int64_t d = 0; d < rank - 2; ++d) {
    if (a_extents[d] == b_extents[d]) {
      numbers.lhs_batch_dims.push_back(static_cast<int64_t>(a_factor.kept.size()));
      numbers.rhs_batch_dims.push_back(static_cast<int64_t>(b_factor.kept.size()));
      shared.push_back(d);
      a_factor.kept.push_back(a_extents[d]);
      b_factor.kept.push_back(b_extents[d]);
    } else {
      Factor& larger = b_extents[d] == 1 ? a_factor : b_factor;
      larger.only.push_back(d);
      larger.kept.push_back(b_extents[d] == 1 ? a_extents[d] : b_extents[d]);
    }
  }
  numbers.lhs_contracting_dims = {static_cast<int64_t>(a_factor.kept.size()) + (transpose_a ? 0 : 1)};
  numbers.rhs_contracting_dims = {static_cast<int64_t>(b_factor.kept.size()) + (transpose_b ? 1 : 0)};
  a_factor.kept.insert(a_factor.kept.end(), a_extents.end() - 2, a_extents.end());
  b_factor.kept.insert(b_factor.kept.end(), b_extents.end() - 2, b_extents.end());
  if (a_factor.kept != a_extents) a = builder.Reshape(a, a_factor.kept);
  if (b_factor.kept != b_extents) b = builder.Reshape(b, b_factor.kept);
  DotOptions options;
  if (SumType(TypeOf(a)) != TypeOf(a)) options.preferred_element_type = SumType(TypeOf(a));
  XlaOp result = builder.DotGeneral(a, b, numbers, options);

  // The dot has [shared.., batches of a alone.., rows, batches of b alone.., columns].
  std::vector<int64_t> order = shared;
  order.insert(order.end(), a_factor.only.begin(), a_factor.only.end());
  order.push_back(rank - 2);
  order.insert(order.end(), b_factor.only.begin(), b_factor.only.end());
  order.push_back(rank - 1);
  std::vector<int64_t> permutation(rank);
  for (int64_t i = 0; i < rank; ++i) permutation[order[i]] = i;
  if (!std::is_sorted(order.begin(), order.end())) result = builder.Transpose(result, permutation);
  return ConvertTo(result, TypeOf(a));
}

// ---- matmul

Inferred InferMatmul(const OperationCall& call) {
  ASSIGN_OR_RETURN(Extents result,
                   ProductExtents(call, "A", "B", call.logical("transposeA"), call.logical("transposeB")));
  return std::vector<Extents>{std::move(result)};
}

std::vector<XlaOp> LowerMatmul(const LoweringCall& call) {
  return {Product(call.operand("A"), call.operand("B"), call.logical("transposeA"), call.logical("transposeB"))};
}

// ---- linear

Inferred InferLinear(const OperationCall& call) {
  ASSIGN_OR_RETURN(const Extents product, ProductExtents(call, "input", "filter", false, true));
  ASSIGN_OR_RETURN(Extents result, BroadcastExtents("bias", call.extents("bias"), "the product", product));
  return std::vector<Extents>{std::move(result)};
}

std::vector<XlaOp> LowerLinear(const LoweringCall& call) {
  const XlaOp product = Product(call.operand("input"), call.operand("filter"), false, true);
  if (call.ConstantOf("bias") == Value::Scalar(0) && call.extents("bias").empty()) return {product};
  return {call.builder().Add(BroadcastLeading(product, call.result_extents()), OperandLikeResult(call, "bias"))};
}

}  // namespace

std::vector<OperationDefinition> LinearOperations() {
  return {
      {"fragment matmul( A: tensor<scalar>, B: tensor<scalar>, transposeA: logical = false,"
       " transposeB: logical = false ) -> ( C: tensor<scalar> );",
       "4.7", InferMatmul, LowerMatmul},
      {R"(fragment linear( input: tensor<scalar>, filter: tensor<scalar>, bias: tensor<scalar> = 0.0 )
-> ( output: tensor<scalar> )
{
    output = matmul(input, filter, transposeB = true) + bias;
})",
       "4.9.2", InferLinear, LowerLinear},
      {WithWindowParameters(R"(fragment separable_conv(
    input: tensor<scalar>,
    plane_filter: tensor<scalar>,
    point_filter: tensor<scalar>,
    bias: tensor<scalar> = 0.0,
    $0,
    groups: integer = 1 )
-> ( output: tensor<scalar> )
{
    filtered = conv(input, plane_filter, border = border, padding = padding,
                    stride = stride, dilation = dilation, groups = 0);
    output = conv(filtered, point_filter, bias, groups = groups);
})"),
       "4.9.2"},
      {WithWindowParameters(R"(fragment separable_deconv(
    input: tensor<scalar>,
    plane_filter: tensor<scalar>,
    point_filter: tensor<scalar>,
    bias: tensor<scalar> = 0.0,
    $0,
    output_shape: integer[] = [],
    groups: integer = 1 )
-> ( output: tensor<scalar> )
{
    filtered = deconv(input, point_filter, groups = groups);
    output = deconv(filtered, plane_filter, bias, border = border,
                    padding = padding, stride = stride, dilation = dilation,
                    output_shape = output_shape, groups = 0);
})"),
       "4.9.2"},
  };
}

}  // namespace nnef1
}  // namespace xla
