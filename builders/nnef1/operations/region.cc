// Regions of interest: boxes of a feature map, pooled or resampled to one size.
//
// rois has a row for each region: where it begins in all spatial dimensions, then where it ends. Everything is done
// dimension after dimension, which is the same as all at once because cells and weights are products over the
// dimensions, and takes 2 items where all at once would take 2 to the number of dimensions.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "absl/types/optional.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/loops.h"
#include "builders/computation_builder/lib/reductions.h"
#include "builders/computation_builder/lib/take.h"
#include "builders/computation_builder/scalar_computations.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/indices.h"
#include "builders/nnef1/operations/rounding.h"
#include "builders/nnef1/operations/sampling_method.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// ---- Shapes

constexpr absl::string_view kBatches = "axis 0 of the input";

// Regions are rows of beginnings and ends, each with the index of its item of the batch; all are pooled to one size.
Inferred InferRegions(const OperationCall& call) {
  const Extents& input = call.extents("input");
  const Extents& rois = call.extents("rois");
  const Extents& batch_index = call.extents("batch_index");
  if (input.size() < 3) {
    return WrongArgument("input", "batch, channels and at least one spatial dimension", ShapeText(input));
  }
  if (std::find(input.begin(), input.end(), 0) != input.end()) {
    return WrongArgument("input", "items in all dimensions", ShapeText(input));
  }
  const int64_t spatial = static_cast<int64_t>(input.size()) - 2;
  if (rois.size() != 2 || rois[1] != 2 * spatial) {
    return WrongArgument("rois",
                         absl::StrCat("[N,", 2 * spatial, "], beginnings and ends in the ", spatial,
                                      " spatial dimensions"),
                         ShapeText(rois));
  }
  const int64_t count = rois[0];
  if (batch_index != Extents{count, 1} && batch_index != Extents{count}) {
    return WrongArgument("batch_index", absl::StrCat("[", count, ",1], an index for each row of rois"),
                         ShapeText(batch_index));
  }
  const std::vector<int64_t> size = call.integers("output_size");
  RETURN_IF_ERROR(CheckCount("output_size", size.size(), spatial, "spatial dimension of the input"));
  RETURN_IF_ERROR(CheckAtLeast("output_size", size, 1));
  RETURN_IF_ERROR(CheckConstantIndices(call, "batch_index", input[0], kBatches));
  Extents result = {count, input[1]};
  result.insert(result.end(), size.begin(), size.end());
  return std::vector<Extents>{result};
}

Inferred InferRoiResample(const OperationCall& call) {
  RETURN_IF_ERROR(SamplingMethodOf(call).status());
  return InferRegions(call);
}

// ---- What all have in common

// Regions along one spatial dimension: [count] each.
struct Interval {
  XlaOp begin, end;
};

// Regions of feature maps: input [batches, channels, ...], rois [count, 2 * spatial] and batch_index s64[count].
class Regions {
 public:
  Regions(XlaOp input, XlaOp rois, XlaOp batch_index)
      : b_(*input.builder()),
        input_(input),
        rois_(rois),
        batch_index_(batch_index),
        extents_(DimensionsOf(input)),
        count_(DimensionsOf(rois)[0]) {}

  XlaOp input() const { return input_; }
  XlaOp rois() const { return rois_; }
  XlaOp batch_index() const { return batch_index_; }
  int64_t count() const { return count_; }
  int64_t channels() const { return extents_[1]; }
  int64_t spatial() const { return static_cast<int64_t>(extents_.size()) - 2; }
  int64_t extent(int64_t d) const { return extents_[d + 2]; }

  Interval At(int64_t d) const { return {Column(d), Column(spatial() + d)}; }

  // The items of the input at `positions`, s64[count, n] and inside, along spatial dimension 0, of the feature map that
  // each region lies in -> [count, channels, n, ...].
  XlaOp TakeFirst(XlaOp positions) const {
    const int64_t n = DimensionsOf(positions)[1];
    const XlaOp map = b_.BroadcastInDim(batch_index_, {count(), n, 1}, {0});
    const XlaOp starts = b_.Concatenate({map, b_.Reshape(positions, {count(), n, 1})}, 2);
    GatherDimensionNumbers numbers;
    numbers.offset_dims = {1};
    for (int64_t d = 3; d < static_cast<int64_t>(extents_.size()); ++d) numbers.offset_dims.push_back(d);
    numbers.collapsed_slice_dims = {0, 2};
    numbers.start_index_map = {0, 2};
    numbers.index_vector_dim = 2;
    std::vector<int64_t> slice_sizes = extents_;
    slice_sizes[0] = slice_sizes[2] = 1;
    return b_.Gather(input_, starts, numbers, slice_sizes);
  }
  // The same along dimension `d` of what TakeFirst and it itself gave.
  XlaOp TakeNext(XlaOp x, int64_t d, XlaOp positions) const { return Take(x, positions, d + 2, /*batch_dims=*/1); }

 private:
  XlaOp Column(int64_t i) const { return b_.Reshape(b_.SliceInDim(rois_, i, i + 1, 1, 1), {count()}); }

  ComputationBuilder& b_;
  XlaOp input_, rois_, batch_index_;
  std::vector<int64_t> extents_;
  int64_t count_;
};

// Those of the parameters; nullopt if an operand is invalid.
absl::optional<Regions> RegionsOf(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  CheckIndicesInRun(call, "batch_index", call.extents("input")[0], kBatches);
  const XlaOp flat = b.Reshape(call.operand("batch_index"), {call.extents("rois")[0]});
  const XlaOp input = call.operand("input"), rois = Widen(call.operand("rois"));
  const XlaOp batch_index = b.ConvertElementType(flat, S64);
  if (!input.valid() || !rois.valid() || !batch_index.valid()) return absl::nullopt;
  return Regions(input, rois, batch_index);
}

// ---- avg_roi_pool, max_roi_pool

enum class Pooling { kAverage, kMax };

// Of regions with whole numbers, s64: [count, channels, output_size...] in SumType. Cell i of n is ceil(r / n) items
// from begin + i * floor(r / n) on, where r is end - begin; cells overlap if n does not divide r.
XlaOp PoolRegions(const Regions& regions, absl::Span<const int64_t> output_size, Pooling pooling) {
  ComputationBuilder& b = *regions.input().builder();
  XlaOp result;
  for (int64_t d = 0; d < regions.spatial(); ++d) {
    const int64_t n = output_size[d];
    const int64_t longest = CeilDiv(regions.extent(d), n);  // of all cells
    const Interval region = regions.At(d);
    const XlaOp extent = b.Sub(region.end, region.begin);
    const XlaOp parts = FullLike(extent, n);
    const XlaOp step = b.Div(extent, parts);
    const XlaOp length = b.Div(b.Add(extent, FullLike(extent, n - 1)), parts);
    // [count, n, longest]: of each region, of each cell, the positions, as many as the longest cell has.
    const std::vector<int64_t> sizes = {regions.count(), n, longest};
    const Shape shape = Shape::Array(S64, sizes);
    const auto spread = [&](XlaOp x) { return b.BroadcastInDim(x, sizes, {0}); };
    const XlaOp place = b.Iota(shape, 2);
    const XlaOp positions = b.Add(b.Add(spread(region.begin), b.Mul(spread(step), b.Iota(shape, 1))), place);
    const XlaOp is_in_cell = b.Lt(place, spread(length));
    const XlaOp flat = b.Reshape(positions, {regions.count(), n * longest});
    if (!flat.valid()) return flat;
    XlaOp items = d == 0 ? Widen(regions.TakeFirst(flat)) : regions.TakeNext(result, d, flat);
    if (!items.valid()) return items;

    // The dimension of positions becomes cells and places in them, of which those in no cell do not count.
    std::vector<int64_t> split = DimensionsOf(items);
    split[d + 2] = n;
    split.insert(split.begin() + d + 3, longest);
    items = b.Reshape(items, split);
    const PrimitiveType type = TypeOf(items);
    const XlaOp neutral = pooling == Pooling::kMax ? MinValue(&b, type) : Zero(&b, type);
    items = b.Select(b.BroadcastInDim(is_in_cell, split, {0, d + 2, d + 3}), items, BroadcastLike(neutral, items));
    result = b.Reduce(items, neutral,
                      pooling == Pooling::kMax ? CreateScalarMaxComputation(type) : CreateScalarAddComputation(type),
                      {d + 3});
    if (pooling == Pooling::kAverage) {
      result = b.Div(result, BroadcastLeading(b.ConvertElementType(length, type), DimensionsOf(result)));
    }
  }
  return result;
}

// Each region takes all items of its map, in whatever cells: so many are taken at once, 4 MB of f32, or those of one
// region.
constexpr int64_t kMaxItemsAtOnce = int64_t{1} << 20;

// How many regions are pooled at once.
int64_t BlockOf(const Regions& regions, absl::Span<const int64_t> output_size) {
  int64_t items = regions.channels();
  for (int64_t d = 0; d < regions.spatial(); ++d) {
    if (!CheckedMul(items, std::max(regions.extent(d), output_size[d]), &items)) return 1;
  }
  return std::min(std::max(kMaxItemsAtOnce / items, int64_t{1}), regions.count());
}

// PoolRegions of `block` regions after the other. Slices that would begin too far after begin earlier: a last block
// that would not be full takes some regions again, and puts their results where they are already.
XlaOp PoolBlocks(const Regions& regions, absl::Span<const int64_t> output_size, Pooling pooling, int64_t block) {
  ComputationBuilder& b = *regions.input().builder();
  std::vector<int64_t> extents = {regions.count(), regions.channels()};
  extents.insert(extents.end(), output_size.begin(), output_size.end());
  const XlaOp zeros = Zeros(&b, Shape::Array(SumType(TypeOf(regions.input())), extents));
  const auto pool_block = [&](XlaOp i, ArraySlice<XlaOp> values,
                              ComputationBuilder* body) -> absl::StatusOr<std::vector<XlaOp>> {
    const XlaOp result = values[0], input = values[1], rois = values[2], batch_index = values[3];
    std::vector<XlaOp> starts(extents.size(), ZerosLike(i));
    starts[0] = body->Mul(i, ScalarLike(i, block));
    const auto from = absl::MakeConstSpan(starts);
    const Regions of_block(input, body->DynamicSlice(rois, from.first(2), {block, DimensionsOf(rois)[1]}),
                           body->DynamicSlice(batch_index, from.first(1), {block}));
    const XlaOp pooled = PoolRegions(of_block, output_size, pooling);
    return std::vector<XlaOp>{body->DynamicUpdateSlice(result, pooled, starts), input, rois, batch_index};
  };
  const std::vector<XlaOp> results =
      ForEachIndex(CeilDiv(regions.count(), block), S64, pool_block,
                   {zeros, regions.input(), regions.rois(), regions.batch_index()}, "roi_pool", &b);
  return results.empty() ? XlaOp() : results[0];
}

// Coordinates are rounded. A check demands regions that are not empty and lie in the map, so that cells do, too, and
// have items.
template <Pooling kPooling>
std::vector<XlaOp> LowerRoiPool(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const absl::optional<Regions> given = RegionsOf(call);
  if (!given.has_value()) return {XlaOp()};
  const int64_t spatial = given->spatial();
  const XlaOp rounded = RoundHalvesUp(given->rois());
  const XlaOp begin = SliceAlong(rounded, 1, 0, spatial), end = SliceAlong(rounded, 1, spatial, 2 * spatial);
  std::vector<double> extents;
  for (int64_t d = 0; d < spatial; ++d) extents.push_back(static_cast<double>(given->extent(d)));
  const XlaOp limit = b.BroadcastInDim(NumbersOfType(b, TypeOf(end), {spatial}, extents), DimensionsOf(end), {1});
  const XlaOp is_inside = b.And(b.And(b.Ge(begin, ZerosLike(begin)), b.Lt(begin, end)), b.Le(end, limit));
  call.AddCheck(All(is_inside),
                "rois: expected regions that, rounded, are not empty and lie inside of the input, got another one");

  const std::vector<int64_t> output_size = call.integers("output_size");
  const XlaOp rois = b.ConvertElementType(rounded, S64);
  if (!rois.valid()) return {rois};
  const Regions regions(given->input(), rois, given->batch_index());
  const int64_t block = BlockOf(regions, output_size);
  const XlaOp result = block >= regions.count() ? PoolRegions(regions, output_size, kPooling)
                                                : PoolBlocks(regions, output_size, kPooling, block);
  return {ConvertTo(result, TypeOf(given->input()))};
}

// ---- roi_resample

// Where item i of n of a region is, from its beginning on: [count, n].
XlaOp SamplePositions(ComputationBuilder& b, SamplingMethod method, const Interval& region, int64_t count, int64_t n) {
  const std::vector<int64_t> sizes = {count, n};
  const XlaOp extent = b.BroadcastInDim(b.Sub(region.end, region.begin), sizes, {0});
  const XlaOp i = b.Iota(Shape::Array(TypeOf(extent), sizes), 1);
  const auto number = [&](double value) { return FullLike(extent, value); };
  switch (method) {
    case SamplingMethod::kSymmetric:
      return b.Sub(b.Div(b.Mul(b.Add(i, number(0.5)), extent), number(n)), number(0.5));
    case SamplingMethod::kAsymmetric:
      return b.Div(b.Mul(i, extent), number(n));
    case SamplingMethod::kAligned:
      return n == 1 ? ZerosLike(extent) : b.Div(b.Mul(i, b.Sub(extent, number(1))), number(n - 1));
  }
  return XlaOp();
}

// Between the two nearest items in each dimension. Items in front of the map or after it are those at its edge; items
// of the map outside of the region count.
std::vector<XlaOp> LowerRoiResample(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const absl::StatusOr<SamplingMethod> method = SamplingMethodOf(call);
  if (!method.ok()) return {b.ReportError(method.status())};
  const absl::optional<Regions> regions = RegionsOf(call);
  if (!regions.has_value()) return {XlaOp()};
  const std::vector<int64_t> output_size = call.integers("output_size");
  XlaOp result;
  for (int64_t d = 0; d < regions->spatial(); ++d) {
    const Interval region = regions->At(d);
    const int64_t n = output_size[d], extent = regions->extent(d);
    const std::vector<int64_t> sizes = {regions->count(), n};
    const XlaOp from_begin = SamplePositions(b, *method, region, regions->count(), n);
    const XlaOp anywhere = b.Add(b.BroadcastInDim(region.begin, sizes, {0}), from_begin);
    // One item beyond the edge is as good as any.
    const XlaOp position =
        b.Clamp(ScalarLike(anywhere, -1.0), anywhere, ScalarLike(anywhere, static_cast<double>(extent)));
    const XlaOp below = b.Floor(position);
    const XlaOp fraction = b.Sub(position, below);
    const XlaOp index = b.ConvertElementType(below, S64);
    const auto items_at = [&](int64_t offset) {
      const XlaOp inside =
          b.Clamp(ScalarLike(index, 0), b.Add(index, FullLike(index, offset)), ScalarLike(index, extent - 1));
      return d == 0 ? Widen(regions->TakeFirst(inside)) : regions->TakeNext(result, d, inside);
    };
    const XlaOp lower = items_at(0), upper = items_at(1);
    if (!lower.valid()) return {lower};
    const XlaOp weight = b.BroadcastInDim(ConvertTo(fraction, TypeOf(lower)), DimensionsOf(lower), {0, d + 2});
    result = b.Add(b.Mul(b.Sub(OnesLike(weight), weight), lower), b.Mul(weight, upper));
  }
  return {ConvertTo(result, TypeOf(call.operand("input")))};
}

// ---- avg_roi_align, max_roi_align

// The specification leaves out the 1s for batch and channels, which box-like windows need.
OperationDefinition RoiAlign(absl::string_view name, absl::string_view pool) {
  return {absl::Substitute(R"(fragment $0(
    input: tensor<scalar>,
    rois: tensor<scalar>,
    batch_index: tensor<integer>,
    output_size: integer[],
    sampling_rate: integer[],
    resize_method: string = 'symmetric' )
-> ( output: tensor<scalar> )
{
    size = [for i in range_of(output_size) yield output_size[i] * sampling_rate[i]];
    resized = roi_resample(input, rois, batch_index, output_size = size, method = resize_method);
    output = $1(resized, size = [1, 1] + sampling_rate, stride = [1, 1] + sampling_rate);
})",
                           name, pool),
          "4.6.2"};
}

}  // namespace

std::vector<OperationDefinition> RegionOperations() {
  return {
      {"fragment avg_roi_pool( input: tensor<scalar>, rois: tensor<scalar>, batch_index: tensor<integer>,"
       " output_size: integer[] ) -> ( output: tensor<scalar> );",
       "4.6.1", InferRegions, LowerRoiPool<Pooling::kAverage>},
      {"fragment max_roi_pool( input: tensor<scalar>, rois: tensor<scalar>, batch_index: tensor<integer>,"
       " output_size: integer[] ) -> ( output: tensor<scalar> );",
       "4.6.1", InferRegions, LowerRoiPool<Pooling::kMax>},
      {"fragment roi_resample( input: tensor<scalar>, rois: tensor<scalar>, batch_index: tensor<integer>,"
       " output_size: integer[], method: string = 'symmetric' ) -> ( output: tensor<scalar> );",
       "4.6.2", InferRoiResample, LowerRoiResample},
      RoiAlign("avg_roi_align", "avg_pool"),
      RoiAlign("max_roi_align", "max_pool"),
  };
}

}  // namespace nnef1
}  // namespace xla
