// LoadPlan: how the elements that a load reads in all iterations become an array with a dimension for each loop.
//
// An index that counts through a dimension is a slice of it, reversed if it counts downwards, and a reshape if several
// loops count through it together. One that moves through it in a few pieces, as at a mirrored border, is a
// concatenation of such slices; one that stays at each place for a while, a broadcast; one that a dynamic extent moves,
// a dynamic slice. Any other index gathers. A loop that occurs in two indices (a diagonal) counts through the first of
// them and gathers from the second.
#ifndef BUILDERS_NNEF2_RECOGNITION_LOAD_PLAN_H_
#define BUILDERS_NNEF2_RECOGNITION_LOAD_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "builders/nnef2/lowering/nest_lowering.h"
#include "builders/nnef2/recognition/affine_index.h"
#include "builders/nnef2/recognition/index_pieces.h"

namespace xla {
namespace nnef2 {

struct LoadAxis {
  int64_t extent = 0;  // of the dimension
  bool gathers = false;
  const NestNode* index = nullptr;  // if it gathers
  CountingIndex counting;           // if not
  MovedIndex move;                  // what moves it, if there is something in move.by
  // Empty, or what one loop counts through in their place: all of them joined.
  std::vector<IndexPiece> pieces;
  // How often each element of the dimension comes, before the loop counts through all of them.
  int64_t repeats = 1;

  bool is_rearranged() const { return !pieces.empty() || repeats > 1; }
  // Elements beyond the edges that are read, which a guard leaves out.
  int64_t low = 0;
  int64_t high = 0;
};

struct LoadPlan {
  const NestNode* load = nullptr;
  std::vector<LoadAxis> axes;  // of a pack whose item varies, the item first

  bool gathers() const;
  bool has_padding() const;
};

// None: elements that are sliced are not known to be in range, or where a dimension ends is not known. Indices that
// gather are moved inside.
absl::optional<LoadPlan> PlanLoad(const NestLowering& lowering, const StatementNest& nest, const NestNode& load);

// Where `first` is once it is moved, as an s32[].
XlaOp StartOf(NestLowering& lowering, const MovedIndex& move, int64_t first);

// Whether a guard of the statement says that `index` lies in 0 .. extent - 1.
bool IsGuarded(const StatementNest& nest, const NestNode& index, const Scalar& extent);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_LOAD_PLAN_H_
