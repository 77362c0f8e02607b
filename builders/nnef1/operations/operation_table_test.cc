// The whole operation table: what it has, and that compounds kept as one node compute what their bodies say.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "builders/nnef1/declaration.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/operations/operation_test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef1 {
namespace {

// In the order of the specification's chapters.
constexpr absl::string_view kNames =
    "external constant variable update "
    "copy neg rcp exp log sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh abs sign not floor ceil round "
    "add sub mul div pow lt gt le ge eq ne and or select sqr sqrt rsqr rsqrt log2 min max clamp softabs "
    "conv deconv box debox argmax_pool sample desample "
    "nearest_downsample area_downsample nearest_upsample multilinear_upsample "
    "sum_reduce max_reduce min_reduce argmax_reduce argmin_reduce all_reduce any_reduce mean_reduce "
    "reshape squeeze unsqueeze transpose split concat stack unstack slice pad tile gather cast "
    "avg_roi_pool max_roi_pool roi_resample avg_roi_align max_roi_align "
    "matmul linear separable_conv separable_deconv "
    "sigmoid relu prelu leaky_relu elu selu gelu silu softmax softplus "
    "max_pool_with_index max_pool avg_pool rms_pool "
    "local_response_normalization local_mean_normalization local_variance_normalization local_contrast_normalization "
    "l1_normalization l2_normalization batch_normalization "
    "min_max_linear_quantize zero_point_linear_quantize linear_quantize logarithmic_quantize "
    "copy_n add_n moments";

bool HasBody(const OperationDefinition& row) { return absl::StrContains(row.declaration, '{'); }

TEST(OperationTable, HasAllOperationsInOrder) {
  std::vector<std::string> names;
  for (const OperationDefinition& row : OperationTable()) names.push_back(DeclarationOf(row).name);
  EXPECT_EQ(names, std::vector<std::string>(absl::StrSplit(kNames, ' ')));
  EXPECT_EQ(names.size(), 118u + 1);  // softabs, of the reference library
}

TEST(OperationTable, RowsAreComplete) {
  for (const OperationDefinition& row : OperationTable()) {
    const Declaration& declaration = DeclarationOf(row);
    EXPECT_TRUE(absl::StartsWith(row.section, "4.")) << declaration.name;
    EXPECT_EQ(declaration.definition, &row);
    EXPECT_EQ(FindStandardDeclaration(declaration.name), &declaration);
    EXPECT_FALSE(declaration.results.empty()) << declaration.name;
    const bool is_fed = declaration.name == "external" || declaration.name == "variable";
    EXPECT_TRUE(row.infer != nullptr || HasBody(row)) << declaration.name;
    EXPECT_EQ(row.lower != nullptr, row.infer != nullptr && !is_fed) << declaration.name;
  }
}

// ---- Compounds

constexpr absl::string_view kPool = "(x, size = [1,1,3,3], stride = [1,1,2,1], dilation = [1,1,1,2]);";

// z of x [1,2,4,4], for each compound that has a lowering of its own.
std::map<std::string, std::string> CompoundCalls() {
  std::map<std::string, std::string> calls = {
      {"min", "z = min(x, 0.25);"},
      {"max", "z = max(0.25, x);"},
      {"clamp", "z = clamp(x, -0.5, 0.5) + clamp(x, 0.5, -0.5) + clamp(x, x, 0.25);"},
      {"rsqr", "z = rsqr(x);"},
      {"log2", "z = log2(abs(x));"},
      {"sqrt", "z = sqrt(abs(x));"},
      {"rsqrt", "z = rsqrt(abs(x));"},
      {"softabs", "z = softabs(x, epsilon = 0.125);"},
      {"nearest_downsample", "z = nearest_downsample(x, factor = [2,4]);"},
      {"area_downsample", "z = area_downsample(x, factor = [1,2]);"},
      {"nearest_upsample", "z = nearest_upsample(x, factor = [3,2]);"},
      {"mean_reduce", "z = mean_reduce(x, axes = [3,1]);"},
      {"linear", "y = reshape(x, shape = [8,4]); z = linear(y, slice(y, axes = [0], begin = [0], end = [3]), 0.5);"},
      {"prelu", "z = prelu(x, constant(shape = [1,2], value = [0.5, -2.0]));"},
      {"leaky_relu", "z = leaky_relu(x, alpha = 0.125);"},
      {"elu", "z = elu(x, alpha = 0.5);"},
      {"softmax", "z = softmax(x, axes = [3,1]) + softmax(x);"},
      {"max_pool_with_index",
       "y, i = max_pool_with_index(x, size = [1,2,3,3], stride = [1,1,2,2]); z = y + cast<scalar>(i);"},
      {"max_pool", "z = max_pool(x, size = [1,1,3,3]) + max_pool(x, size = [1,1,3,3], border = 'ignore');"},
      {"avg_pool", absl::StrCat("z = avg_pool", kPool)},
      {"rms_pool", absl::StrCat("z = rms_pool", kPool)},
      {"batch_normalization",
       "c = constant(shape = [1,2], value = [0.5, 2.0]); "
       "z = batch_normalization(x, mean = c, variance = c + 1.0, offset = -c, scale = c * 3.0, epsilon = 0.01);"},
      {"min_max_linear_quantize",
       "z = min_max_linear_quantize(x, -1.0, 1.5, bits = 4, signed = true, symmetric = true);"},
      {"zero_point_linear_quantize",
       "z = zero_point_linear_quantize(x, zero_point = 1, scale = 0.2, bits = 4, signed = true, symmetric = false);"},
      {"linear_quantize", "z = linear_quantize(x, -1.0, 1.5, bits = 3);"},
      {"logarithmic_quantize", "z = logarithmic_quantize(x, 3.0, bits = 3);"},
      {"copy_n", "[a, b] = copy_n(x, times = 2); z = a - 2.0 * b;"},
      {"add_n", "z = add_n([x, 2.0 * x, x]);"},
      {"moments", "m, v = moments(x, axes = [2,3]); z = m + v;"},
  };
  for (const char* name : {"sqr", "sigmoid", "relu", "selu", "gelu", "silu", "softplus"}) {
    calls[name] = absl::StrCat("z = ", name, "(x);");
  }
  return calls;
}

TEST(Compounds, ComputeWhatTheirBodiesSay) {
  std::vector<double> x;
  for (int i = 0; i < 32; ++i) x.push_back(std::sin(7. * i + 1) * 2);
  const std::map<std::string, std::string> calls = CompoundCalls();
  for (const OperationDefinition& row : OperationTable()) {
    if (!HasBody(row) || row.lower == nullptr) continue;
    const std::string& name = DeclarationOf(row).name;
    const auto call = calls.find(name);
    ASSERT_NE(call, calls.end()) << "no call of " << name;
    const std::string body = absl::StrCat("x = external(shape = [1,2,4,4]); ", call->second);
    const BodyResult whole = RunBody("x", body, {x}), expanded = RunBody("x", body, {x}, /*expand_compounds=*/true);
    ASSERT_EQ(whole.error, "") << name;
    ASSERT_EQ(expanded.error, "") << name;
    ASSERT_EQ(whole.extents, expanded.extents) << name;
    for (size_t i = 0; i < whole.z.size(); ++i) {
      EXPECT_NEAR(whole.z[i], expanded.z[i], 1e-5 + 1e-5 * std::abs(expanded.z[i])) << name << " item " << i;
    }
  }
}

// ---- Other element types

// z of x [1,2,4,4], for what compounds do not lead to.
std::vector<std::string> PrimitiveCalls() {
  std::vector<std::string> calls = {
      "z = conv(x, constant(shape = [2,1,3,3], value = [0.25]), constant(shape = [1,2], value = [0.5, 1.0]), "
      "groups = 0, border = 'replicate');",
      "z = deconv(x, constant(shape = [2,1,3,3], value = [0.25]), stride = [2,2]);",
      "z = box(x, size = [1,1,2,2], border = 'ignore', normalize = true);",
      "z = debox(x, size = [1,2,3,3], stride = [1,1,2,2], normalize = true);",
      "z = sample(x, argmax_pool(x, size = [1,1,3,3]), size = [1,1,3,3]);",
      "i = argmax_pool(x, size = [1,1,2,2]); z = desample(x, i, size = [1,1,2,2]);",
      "z = multilinear_upsample(x, factor = [2,3]);",
      "z = sum_reduce(x, axes = [2]) + max_reduce(x, axes = [3]) * min_reduce(x, axes = [3]);",
      "z = cast<scalar>(argmax_reduce(x, axes = [2])) + cast<scalar>(argmin_reduce(x, axes = [2]));",
      "z = pad(x, padding = [(0,0),(0,1),(1,0),(2,-1)], border = 'reflect') ^ 2.0;",
      "z = concat(split(x, axis = 1, ratios = [1,1]), axis = 2);",
      "z = gather(x, constant<integer>(shape = [3], value = [2,0,1]), axis = 3);",
      "z = tile(x, repeats = [1,1,2,1]) / 3.0;",
      "z = matmul(x, x, transposeB = true);",
      "z = cast<scalar>(cast<integer>(x)) + cast<scalar>(x < 0.5);",
      "z = round(x) + floor(x) + ceil(x) + sign(x) + rcp(x);",
      "z = local_response_normalization(x, size = [1,2,1,1]) + l2_normalization(x, axes = [1]);",
      "z = local_contrast_normalization(x, size = [1,1,3,3], epsilon = 0.5) + l1_normalization(x, axes = [2,3]);",
      "z = separable_conv(x, constant(shape = [2,1,2,2], value = [0.5]), constant(shape = [3,2,1,1], value = [0.25]));",
  };
  for (const char* operation : {"avg_roi_pool", "max_roi_pool", "roi_resample"}) {
    calls.push_back(absl::StrCat("z = ", operation,
                                 "(x, constant(shape = [1,4], value = [0.0, 0.25, 3.0, 3.5]), "
                                 "constant<integer>(shape = [1,1], value = [0]), output_size = [2,2]);"));
  }
  for (const char* operation : {"avg_roi_align", "max_roi_align"}) {
    calls.push_back(absl::StrCat("z = ", operation,
                                 "(x, constant(shape = [1,4], value = [0.0, 0.25, 3.0, 3.5]), "
                                 "constant<integer>(shape = [1,1], value = [0]), output_size = [2,2], "
                                 "sampling_rate = [2,2]);"));
  }
  return calls;
}

struct NarrowType {
  PrimitiveType type;
  double tolerance;
};
class ElementTypes : public testing::TestWithParam<NarrowType> {};

TEST_P(ElementTypes, AllRowsTakeThem) {
  // Eighths, which all types hold.
  std::vector<double> x;
  for (int i = 0; i < 32; ++i) x.push_back(std::floor(std::sin(7. * i + 1) * 16) / 8 + 0.0625);
  std::vector<std::string> calls = PrimitiveCalls();
  for (const auto& call : CompoundCalls()) calls.push_back(call.second);
  for (const std::string& call : calls) {
    const std::string body = absl::StrCat("x = external(shape = [1,2,4,4]); ", call);
    const BodyResult expected = RunBody("x", body, {x});
    const BodyResult found = RunBody("x", body, {x}, /*expand_compounds=*/false, GetParam().type);
    ASSERT_EQ(expected.error, "") << call;
    ASSERT_EQ(found.error, "") << call;
    ASSERT_EQ(found.extents, expected.extents) << call;
    // Where the border between two codes is rounded, the next code may come out.
    if (absl::StrContains(call, "quantize")) continue;
    double scale = 0;
    for (const double number : expected.z) scale = std::max(scale, std::abs(number));
    for (size_t i = 0; i < expected.z.size(); ++i) {
      EXPECT_NEAR(found.z[i], expected.z[i], GetParam().tolerance * scale) << call << " item " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Floats, ElementTypes,
                         testing::Values(NarrowType{F64, 1e-5}, NarrowType{F16, 5e-3}, NarrowType{BF16, 4e-2}),
                         [](const testing::TestParamInfo<NarrowType>& info) {
                           return info.param.type == F64 ? "F64" : info.param.type == F16 ? "F16" : "BF16";
                         });

}  // namespace
}  // namespace nnef1
}  // namespace xla
