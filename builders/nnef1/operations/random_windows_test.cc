// Sliding windows with random parameters, against the formulas of section 4.3 of NNEF 1.0.4 written as loops.
//
// Items are small whole numbers, so that sums are exact in any order.
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef1/operations/operation_test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef1 {
namespace {

using Numbers = std::vector<double>;
using Index = std::vector<int64_t>;

std::string ListText(const Index& items) { return absl::StrCat("[", absl::StrJoin(items, ","), "]"); }

int64_t VolumeOf(const Index& extents) {
  int64_t volume = 1;
  for (const int64_t extent : extents) volume *= extent;
  return volume;
}

// Calls `visit` with each index below `extents`, in row-major order.
void ForEach(const Index& extents, const std::function<void(const Index&)>& visit) {
  Index index(extents.size(), 0);
  for (int64_t n = VolumeOf(extents); n > 0; --n) {
    visit(index);
    for (size_t d = extents.size(); d-- > 0 && ++index[d] == extents[d];) index[d] = 0;
  }
}

int64_t RowMajor(const Index& index, const Index& extents) {
  int64_t place = 0;
  for (size_t d = 0; d < extents.size(); ++d) place = place * extents[d] + index[d];
  return place;
}

struct Array {
  Index extents;
  Numbers items;
  double& at(const Index& index) { return items[RowMajor(index, extents)]; }
  double at(const Index& index) const { return items[RowMajor(index, extents)]; }
};

// The item at an index that may lie beyond the edges; `*is_inside` says whether it does not.
double ItemOf(const Array& x, Index index, const std::string& border, bool* is_inside = nullptr) {
  bool inside = true;
  for (size_t d = 0; d < index.size(); ++d) {
    int64_t& i = index[d];
    const int64_t z = x.extents[d];
    if (0 <= i && i < z) continue;
    inside = false;
    if (border == "replicate") i = i < 0 ? 0 : z - 1;
    if (border == "reflect") i = i < 0 ? -i : 2 * (z - 1) - i;
    if (border == "reflect-even") i = i < 0 ? -i - 1 : 2 * z - 1 - i;
  }
  if (is_inside != nullptr) *is_inside = inside;
  if (!inside && (border == "constant" || border == "ignore")) return 0;
  return x.at(index);
}

class RandomWindows : public testing::Test {
 protected:
  int64_t Uniform(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(generator_); }
  template <typename T>
  T OneOf(const std::vector<T>& items) {
    return items[Uniform(0, static_cast<int64_t>(items.size()) - 1)];
  }

  Array RandomArray(const Index& extents) {
    Array array{extents, {}};
    for (int64_t n = VolumeOf(extents); n > 0; --n) array.items.push_back(static_cast<double>(Uniform(-4, 4)));
    return array;
  }

  // Windows along `rank` dimensions, of which the first `fixed` have a window of one item.
  void DrawWindows(int rank, int fixed) {
    size_.assign(rank, 1), stride_.assign(rank, 1), dilation_.assign(rank, 1);
    before_.assign(rank, 0), after_.assign(rank, 0);
    for (int d = fixed; d < rank; ++d) {
      size_[d] = Uniform(1, 3);
      stride_[d] = Uniform(1, 3);
      dilation_[d] = Uniform(1, 2);
      before_[d] = Uniform(-1, 2);
      after_[d] = Uniform(-1, 2);
    }
  }

  int64_t Covered(size_t d) const { return (size_[d] - 1) * dilation_[d] + 1; }

  // The lists of the dimensions from `first` on.
  std::string Lists(size_t first) const {
    std::vector<std::string> padding;
    for (size_t d = first; d < size_.size(); ++d) padding.push_back(absl::StrCat("(", before_[d], ",", after_[d], ")"));
    return absl::StrCat(", padding = [", absl::StrJoin(padding, ","),
                        "], stride = ", ListText(Index(stride_.begin() + first, stride_.end())),
                        ", dilation = ", ListText(Index(dilation_.begin() + first, dilation_.end())));
  }

  // x of X; 0 if the window does not fit.
  int64_t Down(size_t d, int64_t up) const {
    const int64_t room = before_[d] + up + after_[d] - Covered(d);
    return room < 0 ? 0 : room / stride_[d] + 1;
  }
  int64_t Up(size_t d, int64_t down) const {
    return std::max<int64_t>((down - 1) * stride_[d] + Covered(d) - before_[d] - after_[d], 0);
  }

  Index InputOfBasic(const Index& output, const Index& item) const {
    Index index(output.size());
    for (size_t d = 0; d < output.size(); ++d) index[d] = output[d] * stride_[d] + item[d] * dilation_[d] - before_[d];
    return index;
  }
  // False if no item of the input stands there.
  bool InputOfReverse(const Index& output, const Index& item, Index* index) const {
    index->resize(output.size());
    for (size_t d = 0; d < output.size(); ++d) {
      const int64_t place = output[d] + before_[d] - item[d] * dilation_[d];
      if (place % stride_[d] != 0) return false;
      (*index)[d] = place / stride_[d];
    }
    return true;
  }

  void Expect(const Array& want, const std::string& parameters, const std::string& body,
              const std::vector<Numbers>& inputs) {
    const BodyResult result = RunBody(parameters, body, inputs);
    if (result.error.find("one reflection") != std::string::npos) return;
    ++compared_;
    ASSERT_EQ(result.error, "") << body;
    ASSERT_EQ(result.extents, want.extents) << body;
    ASSERT_EQ(result.z, want.items) << body;
  }

  std::mt19937_64 generator_{20210615};
  int compared_ = 0;
  Index size_, stride_, dilation_, before_, after_;
};

const std::vector<std::string> kBorders = {"constant", "replicate", "reflect", "reflect-even"};

TEST_F(RandomWindows, Conv) {
  for (int round = 0; round < 60; ++round) {
    DrawWindows(4, 2);
    const int64_t groups = Uniform(1, 2), inputs = Uniform(1, 2), outputs = groups * Uniform(1, 2);
    const Array x = RandomArray({Uniform(1, 2), groups * inputs, Uniform(2, 5), Uniform(2, 5)});
    const Array filter = RandomArray({outputs, inputs, size_[2], size_[3]});
    const Array bias = RandomArray({1, outputs});
    Array want{{x.extents[0], outputs, Down(2, x.extents[2]), Down(3, x.extents[3])}, {}};
    if (VolumeOf(want.extents) == 0) continue;
    const std::string border = OneOf(kBorders);
    ForEach(want.extents, [&](const Index& output) {
      double sum = bias.at({0, output[1]});
      ForEach({1, inputs, size_[2], size_[3]}, [&](const Index& item) {
        Index index = InputOfBasic(output, item);
        index[1] = output[1] / (outputs / groups) * inputs + item[1];
        sum += ItemOf(x, index, border) * filter.at({output[1], item[1], item[2], item[3]});
      });
      want.items.push_back(sum);
    });
    Expect(want, "x, f, b",
           absl::StrCat("x = external(shape = ", ListText(x.extents), "); f = external(shape = ",
                        ListText(filter.extents), "); b = external(shape = ", ListText(bias.extents),
                        "); z = conv(x, f, b, groups = ", groups, ", border = '", border, "'", Lists(2), ");"),
           {x.items, filter.items, bias.items});
  }
  EXPECT_GT(compared_, 20);
}

TEST_F(RandomWindows, Deconv) {
  for (int round = 0; round < 60; ++round) {
    DrawWindows(4, 2);
    const int64_t groups = Uniform(1, 2), inputs = groups * Uniform(1, 2), outputs = Uniform(1, 2);
    const Array x = RandomArray({Uniform(1, 2), inputs, Uniform(1, 4), Uniform(1, 4)});
    const Array filter = RandomArray({inputs, outputs, size_[2], size_[3]});
    Array want{{x.extents[0], outputs * groups, Up(2, x.extents[2]), Up(3, x.extents[3])}, {}};
    // Further places that scale down to the same input.
    std::string output_shape;
    if (Uniform(0, 1) == 1) {
      for (size_t d = 2; d < 4; ++d) want.extents[d] += Uniform(0, stride_[d] - 1);
      output_shape = ", output_shape = " + ListText(want.extents);
    }
    if (VolumeOf(want.extents) == 0) continue;
    if (Down(2, want.extents[2]) != x.extents[2] || Down(3, want.extents[3]) != x.extents[3]) continue;
    const std::string border = OneOf(kBorders);
    bool is_defined = true;
    ForEach(want.extents, [&](const Index& output) {
      double sum = 0;
      ForEach({1, inputs / groups, size_[2], size_[3]}, [&](const Index& item) {
        Index index;
        if (!is_defined || !InputOfReverse(output, {0, 0, item[2], item[3]}, &index)) return;
        index[1] = output[1] / outputs * (inputs / groups) + item[1];
        for (size_t d = 2; d < 4 && border != "constant" && border != "replicate"; ++d) {
          const int64_t z = x.extents[d], reach = std::max(-index[d], index[d] - (z - 1));
          is_defined = is_defined && reach <= (border == "reflect" ? z - 1 : z);
        }
        if (is_defined) sum += ItemOf(x, index, border) * filter.at({index[1], output[1] % outputs, item[2], item[3]});
      });
      want.items.push_back(sum);
    });
    if (!is_defined) continue;
    Expect(want, "x, f",
           absl::StrCat("x = external(shape = ", ListText(x.extents),
                        "); f = external(shape = ", ListText(filter.extents), "); z = deconv(x, f, groups = ", groups,
                        ", border = '", border, "'", Lists(2), output_shape, ");"),
           {x.items, filter.items});
  }
  EXPECT_GT(compared_, 20);
}

TEST_F(RandomWindows, BoxMaxPoolAndArgMaxPool) {
  std::vector<std::string> borders = kBorders;
  borders.push_back("ignore");
  for (int round = 0; round < 80; ++round) {
    DrawWindows(3, static_cast<int>(Uniform(0, 1)));
    const Array x = RandomArray({Uniform(1, 4), Uniform(1, 4), Uniform(1, 4)});
    Array sums{{Down(0, x.extents[0]), Down(1, x.extents[1]), Down(2, x.extents[2])}, {}};
    if (VolumeOf(sums.extents) == 0) continue;
    Array maxima = sums, places = sums;
    const std::string border = OneOf(borders);
    bool is_defined = true, all_have_items = true;
    ForEach(sums.extents, [&](const Index& output) {
      double sum = 0, max = 0;
      int64_t place = -1, item_number = -1;
      ForEach(size_, [&](const Index& item) {
        ++item_number;
        const Index index = InputOfBasic(output, item);
        for (size_t d = 0; d < 3 && (border == "reflect" || border == "reflect-even"); ++d) {
          const int64_t z = x.extents[d], reach = std::max(-index[d], index[d] - (z - 1));
          is_defined = is_defined && reach <= (border == "reflect" ? z - 1 : z);
        }
        if (!is_defined) return;
        bool is_inside;
        const double value = ItemOf(x, index, border, &is_inside);
        sum += value;
        if (border == "ignore" && !is_inside) return;
        if (place >= 0 && value <= max) return;
        max = value;
        place = item_number;
      });
      all_have_items = all_have_items && place >= 0;
      sums.items.push_back(sum);
      maxima.items.push_back(max);
      places.items.push_back(static_cast<double>(place));
    });
    if (!is_defined) continue;
    const auto body = [&](const std::string& operation) {
      return absl::StrCat("x = external(shape = ", ListText(x.extents), "); z = ", operation,
                          "(x, size = ", ListText(size_), ", border = '", border, "'", Lists(0), ");");
    };
    Expect(sums, "x", body("box"), {x.items});
    if (!all_have_items) continue;
    Expect(maxima, "x", body("max_pool"), {x.items});
    Expect(places, "x", body("argmax_pool"), {x.items});
    if (border == "ignore") continue;
    Expect(maxima, "x, i",
           absl::StrCat("i = external<integer>(shape = ", ListText(places.extents), "); ",
                        body("sample").insert(body("sample").find("(x,") + 3, " i,")),
           {x.items, places.items});
  }
  EXPECT_GT(compared_, 60);
}

TEST_F(RandomWindows, DeboxAndDesample) {
  for (int round = 0; round < 80; ++round) {
    DrawWindows(3, static_cast<int>(Uniform(0, 1)));
    const Array x = RandomArray({Uniform(1, 3), Uniform(1, 3), Uniform(1, 3)});
    Array sums{{Up(0, x.extents[0]), Up(1, x.extents[1]), Up(2, x.extents[2])}, {}};
    if (VolumeOf(sums.extents) == 0) continue;
    Array index{x.extents, {}};
    for (size_t i = 0; i < x.items.size(); ++i) {
      index.items.push_back(static_cast<double>(Uniform(0, VolumeOf(size_) - 1)));
    }
    Array sampled = sums;
    const std::string border = OneOf(std::vector<std::string>{"constant", "replicate", "ignore"});
    ForEach(sums.extents, [&](const Index& output) {
      double sum = 0, sum_of_sampled = 0;
      int64_t item_number = -1;
      ForEach(size_, [&](const Index& item) {
        ++item_number;
        Index place;
        if (!InputOfReverse(output, item, &place)) return;
        bool is_inside;
        sum += ItemOf(x, place, border, &is_inside);
        if (is_inside && index.at(place) == static_cast<double>(item_number)) sum_of_sampled += x.at(place);
      });
      sums.items.push_back(sum);
      sampled.items.push_back(sum_of_sampled);
    });
    const std::string rest = absl::StrCat("size = ", ListText(size_), Lists(0));
    Expect(sums, "x",
           absl::StrCat("x = external(shape = ", ListText(x.extents), "); z = debox(x, ", rest, ", border = '", border,
                        "');"),
           {x.items});
    Expect(sampled, "x, i",
           absl::StrCat("x = external(shape = ", ListText(x.extents),
                        "); i = external<integer>(shape = ", ListText(x.extents), "); z = desample(x, i, ", rest, ");"),
           {x.items, index.items});
  }
  EXPECT_GT(compared_, 60);
}

}  // namespace
}  // namespace nnef1
}  // namespace xla
