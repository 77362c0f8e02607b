// Down-sampling and up-sampling along the spatial dimensions, by whole factors.
// Source: NNEF 1.0.4, section 4.3.4.
//
// multilinear_upsample treats one dimension after the other: output i lies at t of the input, between items j =
// floor(t) and j + 1, which it weighs by their distance. All methods and borders are then a product with a constant
// matrix, whose row i has these two weights; for long dimensions, where the matrix would be large, the two neighbours
// are taken by gathers instead.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/take.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/borders.h"
#include "builders/nnef1/operations/box.h"
#include "builders/nnef1/operations/sampling_method.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

constexpr int64_t kFirstSpatial = 2;

// The factors of all dimensions, 1 for batch and channels. Errors: InvalidArgument.
absl::StatusOr<std::vector<int64_t>> FactorsOf(const OperationCall& call) {
  const std::vector<int64_t> given = call.integers("factor");
  const Extents& input = call.extents("input");
  if (input.size() < kFirstSpatial) {
    return WrongArgument("input", "batch and channels", ShapeText(input));
  }
  RETURN_IF_ERROR(CheckCount("factor", given.size(), call.rank("input") - kFirstSpatial, "spatial dimension"));
  RETURN_IF_ERROR(CheckAtLeast("factor", given, 1));
  std::vector<int64_t> factors(kFirstSpatial, 1);
  factors.insert(factors.end(), given.begin(), given.end());
  return factors;
}

Inferred InferDownsample(const OperationCall& call) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> factors, FactorsOf(call));
  Extents extents = call.extents("input");
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] % factors[d] != 0) {
      return WrongArgument("factor", absl::StrCat("divisors of the extents of the input ", ShapeText(extents)),
                           absl::StrCat(factors[d], " for dimension ", d));
    }
    extents[d] /= factors[d];
  }
  return std::vector<Extents>{std::move(extents)};
}

Inferred InferUpsample(const OperationCall& call) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> factors, FactorsOf(call));
  Extents extents = call.extents("input");
  for (size_t d = 0; d < extents.size(); ++d) {
    if (!CheckedMul(extents[d], factors[d], &extents[d])) {
      return WrongArgument("factor", "an output of less than 2^63 items",
                           absl::StrCat(factors[d], " for dimension ", d));
    }
  }
  return std::vector<Extents>{std::move(extents)};
}

// ---- Nearest and area

std::vector<XlaOp> LowerNearestDownsample(const LoweringCall& call) {
  const Extents& extents = call.extents("input");
  return {
      call.builder().Slice(call.operand("input"), std::vector<int64_t>(extents.size(), 0), extents, *FactorsOf(call))};
}

std::vector<XlaOp> LowerAreaDownsample(const LoweringCall& call) {
  const Extents& extents = call.extents("input");
  WindowLists lists;
  lists.stride = *FactorsOf(call);
  lists.padding.assign(extents.size(), {0, 0});
  const Windows windows = *BasicWindows(lists, lists.stride, extents);
  const XlaOp input = call.operand("input");
  return {ConvertTo(BoxMean(input, Border::kConstant, windows), TypeOf(input))};
}

std::vector<XlaOp> LowerNearestUpsample(const LoweringCall& call) {
  return {RepeatItems(call.operand("input"), *FactorsOf(call))};
}

// ---- Multilinear

// Where output i lies in the input: (1 - u) of item `below`, u of the next. Both may be one item beyond the edges.
struct Source {
  int64_t below;
  double u;
};

// In whole numbers, so that no rounding moves an item to the next.
Source SourceOf(SamplingMethod method, int64_t i, int64_t extent, int64_t factor) {
  int64_t numerator = 0, denominator = 1;
  switch (method) {
    case SamplingMethod::kSymmetric:  // (i + 1/2) / f - 1/2
      numerator = 2 * i + 1 - factor;
      denominator = 2 * factor;
      break;
    case SamplingMethod::kAsymmetric:  // i / f
      numerator = i;
      denominator = factor;
      break;
    case SamplingMethod::kAligned:  // i (x - 1) / (x f - 1)
      if (extent > 1) {
        numerator = i * (extent - 1);
        denominator = extent * factor - 1;
      }
      break;
  }
  const int64_t below = numerator / denominator - (numerator % denominator < 0 ? 1 : 0);
  return {below, static_cast<double>(numerator - below * denominator) / static_cast<double>(denominator)};
}

// The item that stands at `position`, which is at most one beyond the edges; -1 for a zero.
int64_t ItemAt(Border border, int64_t position, int64_t extent) {
  if (0 <= position && position < extent) return position;
  switch (border) {
    case Border::kReflect:
      return position < 0 ? 1 : extent - 2;
    case Border::kReplicate:
    case Border::kReflectEven:
      return position < 0 ? 0 : extent - 1;
    case Border::kConstant:
    case Border::kIgnore:
      break;
  }
  return -1;
}

// Matrices with more elements are not made: 4 MB.
constexpr int64_t kMaxMatrixElements = int64_t{1} << 20;
// Positions and weights of longer outputs are not listed in programs.
constexpr int64_t kMaxListedExtent = int64_t{1} << 26;

struct UpsampledDimension {
  int64_t dimension;
  int64_t extent;  // of the input
  int64_t factor;
  SamplingMethod method;
  Border border;
  int64_t result() const { return extent * factor; }
};

// Linear up-sampling along one dimension as a product with a matrix of weights: each result is a sum of two items, or
// one at the borders.
XlaOp UpsampleByMatrix(XlaOp x, const UpsampledDimension& along) {
  ComputationBuilder& b = *x.builder();
  std::vector<double> matrix(along.result() * along.extent);
  for (int64_t i = 0; i < along.result(); ++i) {
    const Source source = SourceOf(along.method, i, along.extent, along.factor);
    const std::pair<int64_t, double> terms[] = {{source.below, 1 - source.u}, {source.below + 1, source.u}};
    for (const auto& term : terms) {
      const int64_t item = ItemAt(along.border, term.first, along.extent);
      if (item >= 0 && term.second != 0) matrix[i * along.extent + item] += term.second;
    }
  }
  const XlaOp weights = NumbersOfType(b, TypeOf(x), {along.result(), along.extent}, matrix);
  DotDimensionNumbers numbers;
  numbers.lhs_contracting_dims = {along.dimension};
  numbers.rhs_contracting_dims = {1};
  const XlaOp product = b.DotGeneral(x, weights, numbers);
  // The new dimension is the last one.
  const auto rank = static_cast<int64_t>(DimensionsOf(x).size());
  if (along.dimension == rank - 1 || !product.valid()) return product;
  std::vector<int64_t> order;
  for (int64_t d = 0; d < rank - 1; ++d) {
    if (d == along.dimension) order.push_back(rank - 1);
    order.push_back(d);
  }
  return b.Transpose(product, order);
}

// The same sums by two gathers, where the matrix would be too large.
XlaOp UpsampleByGathers(XlaOp x, const UpsampledDimension& along) {
  ComputationBuilder& b = *x.builder();
  if (along.result() > kMaxListedExtent) {
    return b.ReportError(absl::UnimplementedError(
        absl::StrCat("up-sampling to an extent of ", along.result(), " is not supported; at most ", kMaxListedExtent)));
  }
  std::vector<int64_t> extents = DimensionsOf(x);
  extents[along.dimension] = along.result();
  const auto term = [&](int64_t offset) {
    std::vector<int64_t> items;
    std::vector<double> weights;
    for (int64_t i = 0; i < along.result(); ++i) {
      const Source source = SourceOf(along.method, i, along.extent, along.factor);
      const int64_t item = ItemAt(along.border, source.below + offset, along.extent);
      items.push_back(std::max<int64_t>(item, 0));
      weights.push_back(item < 0 ? 0 : offset == 0 ? 1 - source.u : source.u);
    }
    const XlaOp weight = NumbersOfType(b, TypeOf(x), {along.result()}, weights);
    return b.Mul(Take(x, b.ConstantR1<int64_t>(items), along.dimension),
                 b.BroadcastInDim(weight, extents, {along.dimension}));
  };
  return b.Add(term(0), term(1));
}

XlaOp UpsampleAlong(XlaOp x, const UpsampledDimension& along) {
  if (!x.valid() || along.factor == 1) return x;
  int64_t elements;
  const bool is_small = CheckedMul(along.result(), along.extent, &elements) && elements <= kMaxMatrixElements;
  return is_small ? UpsampleByMatrix(x, along) : UpsampleByGathers(x, along);
}

// A method that looks beyond the edges needs a neighbour there.
Inferred InferMultilinear(const OperationCall& call) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> factors, FactorsOf(call));
  ASSIGN_OR_RETURN(const SamplingMethod method, SamplingMethodOf(call));
  ASSIGN_OR_RETURN(const Border border, BorderOf(call, /*allow_ignore=*/false));
  const Extents& extents = call.extents("input");
  std::vector<Reach> reach;
  for (const int64_t factor : factors) {
    const bool looks_out = factor > 1 && method != SamplingMethod::kAligned;
    reach.emplace_back(looks_out && method == SamplingMethod::kSymmetric ? 1 : 0, looks_out ? 1 : 0);
  }
  RETURN_IF_ERROR(CheckReach(border, extents, reach));
  return InferUpsample(call);
}

std::vector<XlaOp> LowerMultilinear(const LoweringCall& call) {
  const std::vector<int64_t> factors = *FactorsOf(call);
  const SamplingMethod method = *SamplingMethodOf(call);
  const Border border = *BorderOf(call, /*allow_ignore=*/false);
  const Extents& extents = call.extents("input");
  XlaOp x = Widen(call.operand("input"));
  for (size_t d = 0; d < extents.size(); ++d) {
    x = UpsampleAlong(x, {static_cast<int64_t>(d), extents[d], factors[d], method, border});
  }
  return {ConvertTo(x, TypeOf(call.operand("input")))};
}

}  // namespace

std::vector<OperationDefinition> ResamplingOperations() {
  return {
      {R"(
fragment nearest_downsample( input: tensor<scalar>, factor: integer[] ) -> ( output: tensor<scalar> )
{
    dims = 2 + length_of(factor);
    output = box(input, size = [1] * dims, stride = [1,1] + factor, padding = [(0,0)] * dims);
}
)",
       "4.3.4", InferDownsample, LowerNearestDownsample},
      {R"(
fragment area_downsample( input: tensor<scalar>, factor: integer[] ) -> ( output: tensor<scalar> )
{
    dims = 2 + length_of(factor);
    output = box(input, size = [1,1] + factor, stride = [1,1] + factor, padding = [(0,0)] * dims, normalize = true);
}
)",
       "4.3.4", InferDownsample, LowerAreaDownsample},
      {R"(
fragment nearest_upsample( input: tensor<scalar>, factor: integer[] ) -> ( output: tensor<scalar> )
{
    dims = 2 + length_of(factor);
    output = debox(input, size = [1,1] + factor, stride = [1,1] + factor, padding = [(0,0)] * dims);
}
)",
       "4.3.4", InferUpsample, LowerNearestUpsample},
      {R"(
fragment multilinear_upsample(
    input: tensor<scalar>,
    factor: integer[],
    method: string = 'symmetric',
    border: string = 'replicate' )
-> ( output: tensor<scalar> );
)",
       "4.3.4", InferMultilinear, LowerMultilinear},
  };
}

}  // namespace nnef1
}  // namespace xla
