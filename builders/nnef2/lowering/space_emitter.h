// SpaceEmitter: the nodes of a statement as arrays over its iterations.
//
// Some of the loops are dimensions of the arrays, the others have one index each, a scalar. The value of a node has a
// dimension for each of the loops that it depends on, no more; a load whose indices are loops is the tensor itself,
// sliced and transposed, and a gather otherwise. Gathers move indices that are out of range inside: the mask leaves
// those iterations out where the document guards them.
#ifndef BUILDERS_NNEF2_LOWERING_SPACE_EMITTER_H_
#define BUILDERS_NNEF2_LOWERING_SPACE_EMITTER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/nnef2/lowering/nest_lowering.h"
#include "builders/nnef2/lowering/statement_nest.h"

namespace xla {
namespace nnef2 {

// The value of a node: an array with the bounds of these loops, rising, as its dimensions.
struct SpaceArray {
  XlaOp op;
  std::vector<int> loops;
};

class SpaceEmitter {
 public:
  // `indices`: s32[] of each loop that is not a dimension. Both outlive it.
  SpaceEmitter(NestLowering* lowering, const StatementNest* nest, absl::flat_hash_map<int, XlaOp> indices = {})
      : lowering_(*lowering), b_(lowering->builder()), nest_(*nest), indices_(std::move(indices)) {}

  // What the targets hold, for loads from them: one array each, or those of a pack stacked.
  void SetTargets(std::vector<XlaOp> arrays, bool are_stacked) {
    target_arrays_ = std::move(arrays);
    targets_are_stacked_ = are_stacked;
  }

  SpaceArray Emit(const NestNode& node);
  // `array` with exactly these loops as dimensions, in this order, which rises.
  XlaOp Spread(const SpaceArray& array, const std::vector<int>& loops);
  // Whether an iteration takes place: guards, the condition, and that each index lies within a dynamic extent, but for
  // loops in `whole`. None: all of them do.
  absl::optional<SpaceArray> Mask(const std::vector<bool>& whole);
  // Both hold; either may be missing.
  absl::optional<SpaceArray> Both(const absl::optional<SpaceArray>& x, const absl::optional<SpaceArray>& y);
  // Whether 0 <= index < extent, none where its bounds say so.
  absl::optional<SpaceArray> WithinExtent(const NestNode& index, int64_t least_extent, XlaOp extent);

  std::vector<int64_t> BoundsOf(const std::vector<int>& loops) const;

 private:
  SpaceArray EmitKind(const NestNode& node);
  SpaceArray EmitScalar(const NestNode& node);
  SpaceArray EmitTable(const NestNode& node);
  SpaceArray EmitRemap(const NestNode& node);
  SpaceArray EmitLoad(const NestNode& node);
  XlaOp ArrayOf(const NestNode& load);
  struct LoadPlan;
  SpaceArray Gather(XlaOp array, const LoadPlan& plan);
  // Dimensions in the order of loops.
  SpaceArray Sorted(XlaOp op, std::vector<int> loops);
  SpaceArray SelectOf(const SpaceArray& condition, const SpaceArray& x, const SpaceArray& y);
  bool IsDimension(int loop) const { return indices_.count(loop) == 0; }

  NestLowering& lowering_;
  ComputationBuilder& b_;
  const StatementNest& nest_;
  const absl::flat_hash_map<int, XlaOp> indices_;
  std::vector<XlaOp> target_arrays_;
  bool targets_are_stacked_ = false;
  absl::flat_hash_map<int, SpaceArray> emitted_;  // by node
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_SPACE_EMITTER_H_
