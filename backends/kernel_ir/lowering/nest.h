// A nest: the loops of one phase, which compute arrays whose elements go together.
//
// All arrays of a nest have the same number of *rows*, the leading elements of each in the order of memory, and each
// its own number of elements in a row. A nest of arrays of equal sizes has rows of one element; that of
//
//   s = f32[8] reduce(x)   y = f32[8,128] x / broadcast(s)
//
// has 8 rows. A *plan* says into which loops rows and their elements are taken apart, which loop is cut into tiles, and
// which values are kept in scratch for the time of a row because they are read several times.
#ifndef BACKENDS_KERNEL_IR_LOWERING_NEST_H_
#define BACKENDS_KERNEL_IR_LOWERING_NEST_H_

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "absl/types/optional.h"
#include "backends/kernel_ir/lowering/element_emitter.h"
#include "backends/kernel_ir/lowering/lowering.h"

namespace xla {

// One array that a nest writes.
struct NestTarget {
  ArrayNode node;
  int buffer = -1;
  std::vector<int> layout =
      {};  // dimensions as they lie in the buffer, slowest first, if that is not as the shape says
};

// Arrays that are written together. The number of elements of each is a multiple of `rows`.
struct Nest {
  std::vector<NestTarget> targets;
  int64_t rows = 1;
};

// How the loops of a nest are written. A loop is given as a list of extents, slowest first, whose product is the
// number of rows (or of elements in a row): {6} is one loop, {2, 3} two. Maps are by the number of elements in a row,
// because targets with equal numbers share loops.
struct NestPlan {
  std::vector<int64_t> rows;                         // loops over the rows
  std::map<int64_t, std::vector<int64_t>> elements;  // loops over rows of this many elements
  int cut = 0;                                       // the loop of `rows` that is cut into tiles ...
  int64_t block = 0;                                 // ... of this many iterations
  std::vector<ArrayNode> kept;                       // in scratch, in the order in which they are computed
  bool rows_in_lanes = true;                         // the innermost loop over rows runs in vectors
  std::set<int64_t> in_order;                        // numbers of elements whose innermost loop does not
  std::map<int64_t, std::vector<int64_t>> pieces;    // where the loops of this many iterations are cut into several
  // Rows are in lanes, and each is done at once, without loops over its elements: those are the dimension of this
  // number, with the loops over rows before and after it. All targets have rows of elements then, or one each.
  absl::optional<int> unrolled_dimension = absl::nullopt;
};

// What a draft shows.
struct NestFindings {
  std::set<int64_t> row_splits;                         // sizes that the loop over rows had better be split at
  std::map<int64_t, std::set<int64_t>> element_splits;  // the same for loops over elements
  bool reduces_in_rows_loop = false;                    // the innermost loop over rows holds reductions in lanes
  std::set<int64_t> reduces_in_elements_loop;
};

// One loop over everything.
NestPlan FirstPlan(const Nest& nest);
// Splits loops where that does not make the inner one too short; the rest is as in FirstPlan.
NestPlan PlanWithLoops(const Nest& nest, const NestFindings& findings);

// Where the vector loops of a draft had better be cut, by their number of iterations: where a predicate of the loop's
// index changes, as between the pieces of a concatenation or at the edge of what was padded, so that in most pieces no
// predicate is left.
std::map<int64_t, std::vector<int64_t>> FindPieces(const Kernel& draft);

// The body of the innermost of `depth` loops that stand in each other in the last phase of a draft, and the indices of
// the loops, the outermost first. nullptr if there are fewer.
const KernelRegion* InnermostLoop(const Kernel& draft, int depth, std::vector<KernelValue>* indices);

// The logical index of the element of a target that has this index in the order of its buffer.
ElementIndex LogicalIndex(const NestTarget& target, const ElementIndex& index, ElementEmitter& emitter);

// Writes the nest as a phase.
NestFindings WriteNest(const Nest& nest, const NestPlan& plan, ElementEmitter& emitter);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_LOWERING_NEST_H_
