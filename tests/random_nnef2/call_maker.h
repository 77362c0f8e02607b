// CallMaker: what random calls of the standard library are made of.
#ifndef TESTS_RANDOM_NNEF2_CALL_MAKER_H_
#define TESTS_RANDOM_NNEF2_CALL_MAKER_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random_nnef2/random_document.h"

namespace xla {
namespace nnef2 {

using Extents = std::vector<int64_t>;

// Makes the call of one operator, as a row of the table says.
struct CallMaker {
  explicit CallMaker(uint64_t seed) : random_(seed) {}

  RandomDocument Make();

  // --- what calls are made of ---

  int64_t Between(int64_t low, int64_t high) { return random_.Between(low, high); }
  bool Chance(int percent) { return random_.Chance(percent); }
  Extents Shape(int64_t least_rank, int64_t most_rank) {
    Extents extents(static_cast<size_t>(Between(least_rank, most_rank)));
    for (int64_t& extent : extents) extent = Chance(15) ? 1 : Between(2, 4);
    return extents;
  }
  void Feed(DirectTensor tensor) { document_.inputs.push_back({std::move(tensor)}); }
  void Reals(const Extents& extents, Domain domain = Domain::kAny) { Feed(RandomReals(random_, extents, domain)); }
  void Ints(const Extents& extents, int64_t least, int64_t greatest) {
    Feed(RandomInts(random_, extents, least, greatest));
  }
  // Of any type.
  void Any(const Extents& extents) {
    const int64_t kind = random_.Below(10);
    Feed(kind < 6   ? RandomReals(random_, extents)
         : kind < 8 ? RandomInts(random_, extents, -4, 4)
                    : RandomBools(random_, extents));
  }
  void Pack(int64_t count, const Extents& extents, bool of_bools) {
    DirectTensors pack;
    for (int64_t i = 0; i < count; ++i) {
      pack.push_back(of_bools ? RandomBools(random_, extents) : RandomReals(random_, extents));
    }
    document_.inputs.push_back(std::move(pack));
    is_pack_ = true;
  }
  void Attribute(const std::string& name, const std::string& value) {
    attributes_.push_back(absl::StrCat(name, "=", value));
  }
  void Attribute(const std::string& name, int64_t value) { Attribute(name, absl::StrCat(value)); }
  void Flag(const std::string& name) {
    if (Chance(50)) Attribute(name, Chance(50) ? "true" : "false");
  }
  void Choice(const std::string& name, std::initializer_list<const char*> values) {
    if (Chance(60)) Attribute(name, absl::StrCat("'", random_.Pick(values), "'"));
  }
  // Distinct axes of `rank`, some of them counted from the end.
  Extents Axes(int64_t rank, int64_t count) {
    Extents axes;
    while (static_cast<int64_t>(axes.size()) < count) {
      const int64_t axis = Between(0, rank - 1);
      if (std::find(axes.begin(), axes.end(), axis) == axes.end()) axes.push_back(axis);
    }
    for (int64_t& axis : axes) axis -= Chance(30) ? rank : 0;
    return axes;
  }
  static int64_t At(const Extents& extents, int64_t axis) {
    const int64_t rank = static_cast<int64_t>(extents.size());
    return extents[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
  }
  int64_t Axis(const Extents& extents) { return Axes(static_cast<int64_t>(extents.size()), 1)[0]; }
  Extents SomeAxes(const Extents& extents) {
    const int64_t rank = static_cast<int64_t>(extents.size());
    return Axes(rank, Between(1, rank));
  }
  static std::string RealList(const Extents& quarters) {
    std::vector<std::string> texts;
    for (const int64_t quarter : quarters)
      texts.push_back(absl::StrCat(quarter < 0 ? "-" : "", std::abs(quarter) / 4, ".", std::abs(quarter) % 4 * 25));
    return absl::StrCat("[", absl::StrJoin(texts, ","), "]");
  }

  // --- families ---

  void Unary(Domain domain) { Reals(Shape(0, 3), domain); }
  void Binary(Domain second, bool of_reals) {
    // Aligned at the right, at the left, or as they are.
    Extents x = Shape(1, 3);
    Extents y = x;
    const int64_t kind = random_.Below(4);
    if (kind == 1) y.erase(y.begin(), y.begin() + Between(0, static_cast<int64_t>(x.size())));
    if (kind == 2) {
      y.erase(y.begin());
      Attribute("rhs_align", "1");
    }
    for (int64_t& extent : kind == 3 ? x : y) extent = Chance(25) ? 1 : extent;
    if (of_reals || Chance(70)) {
      Reals(x, second == Domain::kPositive ? Domain::kPositive : Domain::kAny);
      Reals(y, second);
    } else {
      Ints(x, -4, 4);
      Ints(y, second == Domain::kAny ? -4 : 1, 4);
    }
  }
  void Logic() {
    const Extents x = Shape(0, 3);
    Feed(RandomBools(random_, x));
    Feed(RandomBools(random_, x));
  }
  void Reduction(bool of_bools) {
    const Extents x = Shape(1, 4);
    if (Chance(80)) Attribute("axes", ListText(SomeAxes(x)));
    Flag("squeeze");
    if (of_bools) {
      Feed(RandomBools(random_, x));
    } else {
      Reals(x);
    }
  }
  void Argument(bool of_several) {
    const Extents x = Shape(1, 3);
    if (of_several) {
      const Extents axes = SomeAxes(x);
      Attribute("axes", ListText(axes));
      outputs_ = "several";
      output_count_ = static_cast<int64_t>(axes.size());
    } else {
      Attribute("axis", Axis(x));
    }
    Flag("squeeze");
    Reals(x);
  }
  // What windows of pools have. *size: of the window.
  void Windows(size_t count, Extents* size, bool may_ceil) {
    Extents stride, dilation, padding;
    for (size_t i = 0; i < count; ++i) {
      size->push_back(Between(1, 3));
      stride.push_back(Between(1, 3));
      dilation.push_back(Chance(70) ? 1 : 2);
    }
    for (size_t i = 0; i < 2 * count; ++i) padding.push_back(Between(0, 1));
    if (Chance(60)) Attribute("stride", ListText(stride));
    if (Chance(40)) Attribute("dilation", ListText(dilation));
    if (Chance(50)) {
      Attribute("padding", ListText(padding));
    } else {
      Choice("padding_align", {"UPPER", "LOWER"});
    }
    if (may_ceil) Flag("ceil_mode");
  }
  void Pool(bool has_border, bool has_power) {
    Extents x = Shape(3, 4);
    for (size_t d = 2; d < x.size(); ++d) x[d] = Between(5, 8);
    Extents size;
    Windows(x.size() - 2, &size, /*may_ceil=*/true);
    Attribute("size", ListText(size));
    if (has_border) Flag("ignore_border");
    if (has_power) Attribute("p", "2.0");
    Reals(x);
  }
  void Convolution(bool is_transposed) {
    const int64_t spatial = Between(1, 2), groups = Chance(60) ? 1 : 2;
    const int64_t in = groups * Between(1, 2), out = groups * Between(1, 2);
    static const char* const kData[] = {"NCX", "NXC", "XCN"};
    static const char* const kFilter[] = {"NCX", "NXC", "XCN", "CXN"};
    const std::string data = random_.Pick(kData), filter = random_.Pick(kFilter);
    Extents size;
    Windows(static_cast<size_t>(spatial), &size, /*may_ceil=*/!is_transposed);
    Extents image;
    for (int64_t i = 0; i < spatial; ++i) image.push_back(Between(5, 7));
    if (groups > 1 || Chance(30)) Attribute("groups", groups);
    Attribute("data_format", absl::StrCat("'", data, "'"));
    Attribute("filter_format", absl::StrCat("'", filter, "'"));
    // N, C and X where the letters are.
    const auto arrange = [](const std::string& format, int64_t n, int64_t c, const Extents& x) {
      Extents extents;
      for (const char letter : format) {
        if (letter == 'X') extents.insert(extents.end(), x.begin(), x.end());
        if (letter != 'X') extents.push_back(letter == 'N' ? n : c);
      }
      return extents;
    };
    Reals(arrange(data, Between(1, 2), in, image));
    Reals(is_transposed ? arrange(filter, in, out / groups, size) : arrange(filter, out, in / groups, size));
    if (Chance(50)) Reals({out});
  }
  void Norm() {
    const Extents x = Shape(2, 3);
    Attribute("axes", ListText(SomeAxes(x)));
    if (Chance(50)) Attribute("bias", "0.5");
    if (Chance(50)) Attribute("epsilon", "0.25");
    Reals(x, Domain::kNonzero);
  }
  void Resize(bool has_mode) {
    Extents x = Shape(2, 3);
    Extents size;
    // Ratios whose places are exact.
    for (int64_t& extent : x) {
      extent = Chance(50) ? 2 : 4;
      size.push_back(Chance(50) ? 2 : 4);
    }
    Attribute("size", ListText(size));
    Choice("coordinate_transform", {"SYMMETRIC", "ASYMMETRIC"});
    if (has_mode) Choice("mode", {"NEAREST", "LINEAR"});
    Reals(x);
  }
  void Sample(bool shrinks) {
    Extents x = Shape(1, 3), factor;
    for (int64_t& extent : x) {
      factor.push_back(Between(1, 3));
      if (shrinks) extent = factor.back() * Between(1, 3);
    }
    Attribute("factor", ListText(factor));
    Reals(x);
  }
  void Ternary() {
    const Extents x = Shape(0, 3);
    for (int i = 0; i < 3; ++i) {
      Extents y = x;
      for (int64_t& extent : y) extent = Chance(20) ? 1 : extent;
      Reals(i == 0 ? x : y);
    }
  }
  void Quantize(bool by_range) {
    const Extents x = Shape(2, 3);
    const int64_t axis = Between(0, 1), channels = At(x, axis);
    Extents low, high;
    for (int64_t i = 0; i < channels; ++i) {
      low.push_back(Between(-6, -2));
      high.push_back(Between(2, 6));
    }
    Attribute("channel_axis", axis);
    Attribute("bits", Between(3, 5));
    if (by_range) {
      Attribute("min", RealList(low));
      Attribute("max", RealList(high));
    } else {
      Extents scale;
      for (int64_t i = 0; i < channels; ++i) scale.push_back(Chance(50) ? 1 : 2);
      for (int64_t& point : low) point = -point - 3;
      Attribute("zero_point", ListText(low));
      Attribute("scale", RealList(scale));
    }
    Flag("signed");
    Reals(x);
  }

  void Layout(const std::string& name);
  void Other(const std::string& name);

  RandomSource random_;
  RandomDocument document_;
  std::vector<std::string> attributes_;
  bool is_pack_ = false;      // input 0
  std::string outputs_;       // "several": a pack; "two", "three": values
  int64_t output_count_ = 1;  // of a pack
};

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_CALL_MAKER_H_
