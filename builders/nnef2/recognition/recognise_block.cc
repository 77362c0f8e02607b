// Blocks whose place or end is known at run time only:
//
//   y[n + i,j] = x[i,j], i < m, j < 4      the second part of a concatenation of two dynamic extents
//
// The block of the greatest extents is taken out of the target, changed where iterations exist and take place, and put
// back. It lies in the target wherever it is moved to.
#include <algorithm>
#include <utility>

#include "builders/nnef2/recognition/recognisers.h"

namespace xla {
namespace nnef2 {
namespace {

struct Block {
  std::vector<MovedIndex> begins;  // by dimension
  std::vector<int64_t> sizes;
  std::vector<int> loops;       // of the dimensions, in their order
  std::vector<int> must_exist;  // loops that end before a dimension of the target does
};

absl::optional<Block> FindBlock(const NestLowering& lowering, const StatementNest& nest) {
  if (nest.targets.size() != 1 || nest.target_item != nullptr) return absl::nullopt;
  const std::vector<int64_t> extents = lowering.BoundsOf(nest.targets[0]);
  const Shape& shape = lowering.tensor(nest.targets[0]).shape;
  Block block;
  for (size_t d = 0; d < extents.size(); ++d) {
    absl::optional<MovedIndex> index = MovedIndexOf(*nest.indices[d], nest.loops.size());
    if (!index.has_value()) return absl::nullopt;
    const absl::optional<CountingIndex> counting = CountingOf(index->affine, nest.loops);
    if (!counting.has_value() || counting->loops.size() > 1 || (counting->count > 1 && counting->stride != 1) ||
        counting->first + index->least() < 0 || counting->highest() + index->greatest() >= extents[d]) {
      return absl::nullopt;
    }
    for (const int loop : counting->loops) {
      if (Contains(block.loops, loop)) return absl::nullopt;
      block.loops.push_back(loop);
      const bool ends_with_target = index->by == nullptr && counting->first == 0 && nest.loops[loop].extent == shape[d];
      if (!ends_with_target) block.must_exist.push_back(loop);
    }
    block.sizes.push_back(counting->count);
    block.begins.push_back(*std::move(index));
  }
  for (int i = 0; i < static_cast<int>(nest.loops.size()); ++i) {
    if (!RunsOnce(nest.loops[i]) && !Contains(block.loops, i)) return absl::nullopt;
  }
  return block;
}

}  // namespace

XlaOp RecogniseBlock(NestLowering& lowering, const StatementNest& nest, StartValue start) {
  if (Accumulates(nest.op)) return XlaOp();
  const absl::optional<Block> block = FindBlock(lowering, nest);
  if (!block.has_value()) return XlaOp();
  std::vector<int> order = block->loops;
  for (int i = 0; i < static_cast<int>(nest.loops.size()); ++i) {
    if (!Contains(order, i)) order.push_back(i);
  }
  LoopValues values(&lowering, nest, std::move(order));
  if (!values.Plan(*nest.values[0]) || !values.PlanMask()) return XlaOp();
  ComputationBuilder& b = lowering.builder();
  const XlaOp target = start.Whole(&lowering, nest);
  std::vector<XlaOp> begins;
  for (const MovedIndex& begin : block->begins) begins.push_back(StartOf(lowering, begin, begin.affine.offset));
  // Dimensions of one element are no loops.
  const auto as_block = [&](const LoopArray& array) {
    const XlaOp over = values.Over(array, block->loops);
    return block->loops.size() == block->sizes.size() ? over : b.Reshape(over, block->sizes);
  };
  XlaOp elements = as_block(values.ValueOf(*nest.values[0]));
  const LoopArray takes_place = values.And(values.Mask(), values.ExistenceOf(block->must_exist));
  if (takes_place.array.valid()) {
    elements = b.Select(as_block(takes_place), elements, b.DynamicSlice(target, begins, block->sizes));
  }
  return b.DynamicUpdateSlice(target, elements, begins);
}

}  // namespace nnef2
}  // namespace xla
