// AffineIndex: an index of a statement as a sum of multiples of loop indices.
#ifndef BUILDERS_NNEF2_RECOGNITION_AFFINE_INDEX_H_
#define BUILDERS_NNEF2_RECOGNITION_AFFINE_INDEX_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "builders/nnef2/lowering/statement_nest.h"

namespace xla {
namespace nnef2 {

// coefficients[l] * loop l + ... + offset.
struct AffineIndex {
  std::vector<int64_t> coefficients;  // one for each loop of the statement
  int64_t offset = 0;

  // The loops with a coefficient other than 0, rising.
  std::vector<int> loops() const;
  bool Uses(int loop) const { return coefficients[loop] != 0; }
  bool IsConstant() const { return loops().empty(); }
  // Exactly the index of one loop.
  bool IsPlain(int loop) const;
};

// None: it is not such a sum, or a number in it does not fit.
absl::optional<AffineIndex> AffineOf(const NestNode& node, size_t num_loops);

// An affine index and a dynamic extent, or an expression of some, that moves it: i + n, 2 * i + j - n / 2.
struct MovedIndex {
  AffineIndex affine;
  const NestNode* by = nullptr;  // nullptr: nothing
  bool is_subtracted = false;

  // Bounds of what is added.
  int64_t least() const { return by == nullptr ? 0 : is_subtracted ? -by->upper : by->lower; }
  int64_t greatest() const { return by == nullptr ? 0 : is_subtracted ? -by->lower : by->upper; }
};

// None: it is not such a sum, or what moves it may be anything.
absl::optional<MovedIndex> MovedIndexOf(const NestNode& node, size_t num_loops);

// An affine index that counts through elements as nested loops do: the innermost loop in steps of `stride`, each other
// one in steps of all that the loops inside of it count through. Loops of one iteration are left out.
struct CountingIndex {
  std::vector<int> loops;  // the outermost first
  int64_t first = 0;       // where it begins
  int64_t stride = 1;      // negative ones with one loop only
  int64_t count = 1;       // the number of places; if a loop is dynamic, at most

  int64_t lowest() const { return stride < 0 ? first + stride * (count - 1) : first; }
  int64_t highest() const { return stride < 0 ? first : first + stride * (count - 1); }
};

// None: it jumps, or stays, or loops other than the outermost one are dynamic.
absl::optional<CountingIndex> CountingOf(const AffineIndex& index, const std::vector<NestLoop>& loops);

inline bool Contains(const std::vector<int>& loops, int loop) {
  return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

// Whether the extent of a loop is a number, and whether it is this number.
inline bool IsStatic(const NestLoop& loop) { return loop.extent.kind == Scalar::Kind::kInt; }
inline bool RunsOnce(const NestLoop& loop) { return IsStatic(loop) && loop.bound == 1; }

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_AFFINE_INDEX_H_
