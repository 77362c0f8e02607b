// Texts of loops, indices and extents for random statements.
#ifndef TESTS_RANDOM_NNEF2_RANDOM_INDICES_H_
#define TESTS_RANDOM_NNEF2_RANDOM_INDICES_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {
namespace nnef2 {

// An extent: a number, or a name with a bound that stands for one while the graph runs.
struct ExtentText {
  int64_t extent = 1;  // of what is fed
  std::string name;    // empty: it is a number
  int64_t bound = 0;   // of a name

  static ExtentText Of(int64_t extent) { return {extent, "", extent}; }
  bool is_dynamic() const { return !name.empty(); }
  int64_t most() const { return is_dynamic() ? bound : extent; }
  // In an operator, and in the inputs of a graph.
  std::string text() const { return is_dynamic() ? name : absl::StrCat(extent); }
  std::string declaration() const { return is_dynamic() ? absl::StrCat(name, "|", bound) : absl::StrCat(extent); }
};

// An int expression of loop indices, and between which numbers it lies.
struct IndexText {
  std::string text;
  int64_t least = 0;
  int64_t greatest = 0;
  ExtentText loop = {0, "", 0};  // of the index of a loop, how far it counts; else 0
};

struct LoopText {
  std::string index;  // "i", "p[1]"
  ExtentText extent;
};

inline IndexText IndexOf(const LoopText& loop) {
  return {loop.index, 0, std::max<int64_t>(loop.extent.most(), 1) - 1, loop.extent};
}

inline IndexText Scaled(int64_t scale, const IndexText& x) {
  if (scale == 1) return x;
  return {absl::StrCat(scale, " * ", x.text), scale * x.least, scale * x.greatest};
}

inline IndexText Sum(const IndexText& x, const IndexText& y) {
  return {absl::StrCat(x.text, " + ", y.text), x.least + y.least, x.greatest + y.greatest};
}

inline IndexText Shifted(const IndexText& x, int64_t by) {
  if (by == 0) return x;
  return {absl::StrCat(x.text, by < 0 ? " - " : " + ", std::abs(by)), x.least + by, x.greatest + by};
}

inline IndexText Reversed(const IndexText& x, int64_t from) {
  return {absl::StrCat(from, " - ", x.text), from - x.greatest, from - x.least};
}

// "x[i,j]", "x[i,]", "x[]".
inline std::string AccessText(const std::string& name, const std::vector<std::string>& indices) {
  return absl::StrCat(name, "[", absl::StrJoin(indices, ","), indices.size() == 1 ? "," : "", "]");
}

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_RANDOM_INDICES_H_
