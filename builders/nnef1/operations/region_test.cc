// Regions of random maps beside loops over their items.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef1/operations/feeds_test_support.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef1 {
namespace {

// Calls `visit` with each index of an array of these extents, in row-major order.
template <typename Visit>
void ForEachIndex(const Extents& extents, const Visit& visit) {
  Extents index(extents.size(), 0);
  while (true) {
    visit(index);
    int64_t d = static_cast<int64_t>(extents.size()) - 1;
    while (d >= 0 && ++index[d] == extents[d]) index[d--] = 0;
    if (d < 0) return;
  }
}

// Maps, regions, and what they are made into.
class Regions {
 public:
  // Regions inside of the maps with coordinates on a grid of 1/8, not of 1/2, which hardly any rounding could hit.
  Regions(std::mt19937* random, int64_t spatial) : random_(random) {
    const int64_t batches = Pick(1, 3), count = Pick(1, 4);
    x_.name = "x";
    x_.type = "scalar";
    x_.extents = {batches, Pick(1, 2)};
    for (int64_t d = 0; d < spatial; ++d) {
      x_.extents.push_back(Pick(1, spatial == 3 ? 4 : 7));
      output_size_.push_back(Pick(1, 4));
    }
    ForEachIndex(x_.extents, [&](const Extents&) { x_.values.push_back(Pick(-40, -1) / 8.); });
    rois_ = Scalars("rois", {count, 2 * spatial}, std::vector<double>(count * 2 * spatial));
    batch_ = Integers("batch", {count, 1}, {});
    for (int64_t n = 0; n < count; ++n) {
      batch_.values.push_back(static_cast<double>(Pick(0, batches - 1)));
      for (int64_t d = 0; d < spatial; ++d) {
        const int64_t begin = Pick(0, x_.extents[d + 2] - 1), end = Pick(begin + 1, x_.extents[d + 2]);
        rois_.values[2 * spatial * n + d] = static_cast<double>(begin) + Pick(-3, 3) / 8.;
        rois_.values[2 * spatial * n + spatial + d] = static_cast<double>(end) + Pick(-3, 3) / 8.;
      }
    }
  }

  int64_t spatial() const { return static_cast<int64_t>(output_size_.size()); }
  std::vector<Feed> feeds() const { return {x_, rois_, batch_}; }
  std::string sizes() const { return absl::StrCat("[", absl::StrJoin(output_size_, ","), "]"); }
  std::string ToString() const {
    return absl::StrCat("x ", absl::StrJoin(x_.extents, ","), " rois ", absl::StrJoin(rois_.values, ","), " to ",
                        sizes());
  }

  // f(of a function that reads the map of the region and channel, region, output index) for each item of the result.
  template <typename F>
  std::vector<double> Result(const F& f) const {
    Extents result = {rois_.extents[0], x_.extents[1]};
    result.insert(result.end(), output_size_.begin(), output_size_.end());
    std::vector<double> values;
    ForEachIndex(result, [&](const Extents& index) {
      const auto read = [&](const Extents& place) {
        int64_t item = static_cast<int64_t>(batch_.values[index[0]]) * x_.extents[1] + index[1];
        for (int64_t d = 0; d < spatial(); ++d) {
          item = item * x_.extents[d + 2] + std::clamp<int64_t>(place[d], 0, x_.extents[d + 2] - 1);
        }
        return x_.values[item];
      };
      values.push_back(f(read, index[0], Extents(index.begin() + 2, index.end())));
    });
    return values;
  }
  double begin(int64_t region, int64_t d) const { return rois_.values[2 * spatial() * region + d]; }
  double end(int64_t region, int64_t d) const { return rois_.values[2 * spatial() * region + spatial() + d]; }
  int64_t output_size(int64_t d) const { return output_size_[d]; }

 private:
  int64_t Pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(*random_); }

  std::mt19937* random_;
  Feed x_, rois_, batch_;
  Extents output_size_;
};

void ExpectNear(const std::vector<double>& found, const std::vector<double>& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-5) << what << ", item " << i;
}

TEST(RandomRegions, ArePooled) {
  std::mt19937 random(20261122);
  for (int round = 0; round < 60; ++round) {
    const Regions regions(&random, 1 + round % 3);
    const auto pool = [&](bool is_max) {
      return regions.Result([&](const auto& read, int64_t n, const Extents& cell) {
        Extents first, count;
        for (int64_t d = 0; d < regions.spatial(); ++d) {
          const double begin = std::floor(regions.begin(n, d) + 0.5), r = std::floor(regions.end(n, d) + 0.5) - begin;
          const auto size = static_cast<double>(regions.output_size(d));
          first.push_back(static_cast<int64_t>(begin + static_cast<double>(cell[d]) * std::floor(r / size)));
          count.push_back(static_cast<int64_t>(std::ceil(r / size)));
        }
        double sum = 0, greatest = -1e9, items = 0;
        ForEachIndex(count, [&](Extents place) {
          for (size_t d = 0; d < place.size(); ++d) place[d] += first[d];
          sum += read(place);
          greatest = std::max(greatest, read(place));
          ++items;
        });
        return is_max ? greatest : sum / items;
      });
    };
    for (const bool is_max : {false, true}) {
      const std::string call = absl::StrCat("z = ", is_max ? "max" : "avg",
                                            "_roi_pool(x, rois, batch, output_size = ", regions.sizes(), ");");
      ExpectNear(ValuesOf(call, regions.feeds()), pool(is_max), regions.ToString());
    }
  }
}

TEST(RandomRegions, AreResampled) {
  std::mt19937 random(4711);
  for (int round = 0; round < 60; ++round) {
    const Regions regions(&random, 1 + round % 3);
    for (const std::string method : {"symmetric", "asymmetric", "aligned"}) {
      const auto position = [&](int64_t n, int64_t d, int64_t i) {
        const double r = regions.end(n, d) - regions.begin(n, d), size = static_cast<double>(regions.output_size(d));
        const auto item = static_cast<double>(i);
        if (method == "symmetric") return regions.begin(n, d) + (item + 0.5) * r / size - 0.5;
        if (method == "asymmetric") return regions.begin(n, d) + item * r / size;
        return regions.begin(n, d) + (size == 1 ? 0 : item * (r - 1) / (size - 1));
      };
      const std::vector<double> expected = regions.Result([&](const auto& read, int64_t n, const Extents& index) {
        double sum = 0;
        ForEachIndex(Extents(index.size(), 2), [&](const Extents& upper) {
          double weight = 1;
          Extents place;
          for (int64_t d = 0; d < regions.spatial(); ++d) {
            const double t = position(n, d, index[d]), below = std::floor(t);
            weight *= upper[d] == 1 ? t - below : 1 - (t - below);
            place.push_back(static_cast<int64_t>(below) + upper[d]);
          }
          sum += weight * read(place);
        });
        return sum;
      });
      const std::string call = absl::StrCat("z = roi_resample(x, rois, batch, output_size = ", regions.sizes(),
                                            ", method = '", method, "');");
      ExpectNear(ValuesOf(call, regions.feeds()), expected, absl::StrCat(method, ": ", regions.ToString()));
    }
  }
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
