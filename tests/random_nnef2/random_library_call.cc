#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/random_nnef2/random_document.h"

namespace xla {
namespace nnef2 {
namespace {

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

void CallMaker::Layout(const std::string& name) {
  Extents x = Shape(1, 3);
  const int64_t rank = static_cast<int64_t>(x.size()), axis = Axis(x);
  if (name == "concat" || name == "stack") {
    Attribute("axis", axis);
    return Pack(Between(1, 3), x, false);
  }
  if (name == "unstack" || name == "split") {
    Attribute("axis", axis);
    output_count_ = At(x, axis);
    outputs_ = "several";
    if (name == "unstack") Flag("squeeze");
    if (name == "split") Attribute("sizes", ListText(Extents(static_cast<size_t>(At(x, axis)), 1)));
    return Any(x);
  }
  if (name == "tile") {
    Attribute("repeats", ListText(Extents(x.size(), Between(1, 3))));
  } else if (name == "slice") {
    Extents begin, end, stride;
    for (const int64_t extent : x) {
      const bool is_reversed = Chance(30);
      const int64_t first = Between(0, extent - 1), last = Between(first, extent);
      begin.push_back(is_reversed ? last - 1 : first);
      end.push_back(is_reversed ? first - 1 : last);
      if (is_reversed && first == 0) end.back() = -extent - 1;
      if (is_reversed && last == 0) begin.back() = -extent - 1;
      stride.push_back((is_reversed ? -1 : 1) * Between(1, 2));
    }
    Attribute("begin", ListText(begin));
    Attribute("end", ListText(end));
    Attribute("stride", ListText(stride));
  } else if (name == "pad") {
    Extents padding;
    const bool is_constant = Chance(50);
    for (int64_t& extent : x) extent = std::max<int64_t>(extent, 2);
    for (size_t i = 0; i < 2 * x.size(); ++i) padding.push_back(Between(0, is_constant ? 2 : 1));
    Attribute("padding", ListText(padding));
    if (!is_constant) Choice("method", {"REFLECT", "REPLICATE", "SYMMETRIC"});
    Reals(x);
    if (is_constant && Chance(50)) Reals({});
    return;
  } else if (name == "transpose") {
    Attribute("perm", ListText(Axes(rank, rank)));
  } else if (name == "flatten") {
    Attribute("axis", axis < 0 ? axis + rank : axis);
    Attribute("rank", Between(0, rank - (axis < 0 ? axis + rank : axis)));
  } else if (name == "unflatten") {
    x[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 6;
    Attribute("axis", axis);
    Attribute("shape", Chance(50) ? "[2,3]" : "[3,1,2]");
  } else if (name == "reshape") {
    x = {2, 3, Between(1, 3)};
    Attribute("shape", Chance(50) ? "[-1]" : "[3,-1]");
  } else if (name == "squeeze") {
    x[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 1;
    Attribute("axes", ListText({axis}));
  } else if (name == "unsqueeze") {
    Attribute("axes", ListText(Axes(rank + 2, 2)));
  } else if (name == "broadcast") {
    Extents shape = x;
    for (int64_t& extent : x) extent = Chance(40) ? 1 : extent;
    Attribute("shape", ListText(shape));
  } else if (name == "space_to_batch" || name == "batch_to_space") {
    Attribute("block_size", "[2,1]");
    x = {2 * Between(1, 2), Between(1, 3), 4, Between(1, 3)};
  } else if (name == "shuffle") {
    x[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 4;
    Attribute("axis", axis < 0 ? axis + rank : axis);
    Attribute("groups", 2);
  } else if (name == "gather") {
    Attribute("axis", axis);
    Any(x);
    return Ints(Shape(0, 2), 0, At(x, axis) - 1);
  } else if (name == "gather_nd") {
    x = {3, 2, Between(1, 3)};
    Any(x);
    return Ints({Between(1, 3), 2}, 0, 1);
  } else if (name == "scatter") {
    Attribute("axis", axis);
    Extents updates = x;
    updates[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = Between(1, 4);
    Reals(x);
    Ints(updates, 0, At(x, axis) - 1);
    return Reals(updates);
  } else if (name == "scatter_nd") {
    x = {3, 2, Between(1, 3)};
    const int64_t count = Between(1, 3);
    Reals(x);
    Ints({count, 2}, 0, 1);
    return Reals({count, x[2]});
  } else if (name == "constant") {
    Attribute("shape", "[2,2]");
    return Attribute("value", Chance(50) ? "1.5" : "[1.0,2.0,3.0,4.0]");
  } else if (name == "uniform") {
    Attribute("shape", ListText(x));
    return Any({});
  } else if (name == "range") {
    Attribute("first", "1.0");
    Attribute("last", Chance(50) ? "4.5" : "-2.0");
    if (attributes_.back() == "last=-2.0") Attribute("stride", "-0.5");
    return;
  }
  Any(x);
}

void CallMaker::Other(const std::string& name) {
  if (name == "dot") {
    const int64_t n = Between(1, 4);
    Reals({n});
    Reals({n});
    if (Chance(50)) Reals({});
  } else if (name == "matvec") {
    const int64_t m = Between(1, 4), n = Between(1, 4);
    const bool is_transposed = Chance(50);
    if (is_transposed) Attribute("transA", "true");
    Reals({m, n});
    Reals({is_transposed ? m : n});
    if (Chance(50)) Reals({is_transposed ? n : m});
  } else if (name == "matmul") {
    const int64_t m = Between(1, 4), n = Between(1, 4), k = Between(1, 4);
    const bool a = Chance(40), b = Chance(40);
    if (a) Attribute("transA", "true");
    if (b) Attribute("transB", "true");
    Extents batch_a = Shape(0, 2), batch_b = batch_a;
    for (int64_t& extent : batch_b) extent = Chance(30) ? 1 : extent;
    if (!batch_a.empty() && Chance(20)) batch_a[0] = 1;
    Extents x = batch_a, y = batch_b;
    x.insert(x.end(), {a ? k : m, a ? m : k});
    y.insert(y.end(), {b ? n : k, b ? k : n});
    Reals(x);
    Reals(y);
    if (Chance(40)) Reals({m, n});
  } else if (name == "outer") {
    Reals(Shape(0, 2));
    Reals(Shape(0, 2));
  } else if (name == "linear") {
    const int64_t b = Between(1, 4), c = Between(1, 4), n = Between(1, 4);
    Reals({b, c});
    Reals({n, c});
    if (Chance(60)) Reals({n});
  } else if (name == "relu") {
    if (Chance(40)) Attribute("alpha", "0.25");
    if (Chance(40)) Attribute("max", "1.0");
    Unary(Domain::kAny);
  } else if (name == "prelu") {
    const Extents x = Shape(2, 3);
    const int64_t axis = Axis(x);
    Attribute("axis", axis);
    Reals(x);
    Reals({At(x, axis)});
  } else if (name == "gelu") {
    Choice("approximate", {"TANH", "SIGMOID"});
    Unary(Domain::kAny);
  } else if (name == "batch_norm") {
    const Extents x = Shape(2, 4);
    Reals(x);
    Reals({x[1]});
    Reals({x[1]}, Domain::kPositive);
    for (int64_t i = Between(0, 2); i > 0; --i) Reals({x[1]});
  } else if (name == "mean_variance_norm") {
    const Extents x = {2, 2, Between(3, 4), Between(2, 3)};
    Attribute("epsilon", "0.5");
    Reals(x);
    if (Chance(60)) Reals({2});
  } else if (name == "local_response_norm") {
    Attribute("size", ListText({Between(1, 3)}));
    Reals(Shape(2, 4));
  } else if (name == "softmax") {
    const Extents x = Shape(2, 3);
    if (Chance(60)) Attribute("axes", ListText(SomeAxes(x)));
    Reals(x);
  } else if (name == "lstm") {
    const int64_t s = Between(1, 3), b = Between(1, 2), c = Between(1, 3), n = Between(1, 2);
    Reals({s, b, c}, Domain::kUnit);
    Reals({4 * n, c}, Domain::kUnit);
    Reals({4 * n, n}, Domain::kUnit);
    Reals({4 * n}, Domain::kUnit);
    outputs_ = "three";
  } else if (name == "top_k") {
    const Extents x = Shape(1, 3);
    Attribute("axis", Axis(x));
    Attribute("k", Between(1, 3));
    Flag("largest");
    Reals(x);
    outputs_ = "two";
  } else if (name == "select") {
    const Extents x = Shape(0, 3);
    Feed(RandomBools(random_, x));
    Reals(x);
    Reals(x);
  } else if (name == "axpby") {
    const Extents x = Shape(0, 3);
    for (int i = 0; i < 4; ++i) Reals(x);
  } else if (name == "moments") {
    Reduction(false);
    outputs_ = "two";
  }
}

// An operator, and what makes its call.
struct CallRow {
  const char* name;
  void (*make)(CallMaker& maker, const std::string& name);
};

const std::vector<CallRow>& CallTable() {
  static const auto* const rows = [] {
    auto* const table = new std::vector<CallRow>;
    const auto add = [table](const char* names, void (*make)(CallMaker&, const std::string&)) {
      // The names outlive the program's use of them.
      for (const absl::string_view name : absl::StrSplit(names, ' ')) {
        table->push_back({(new std::string(name))->c_str(), make});
      }
    };
    add("math.iden math.neg math.sqr math.sin math.cos math.exp math.sinh math.cosh math.tanh math.atan math.asinh "
        "math.abs math.sign math.floor math.ceil math.round nn.elu nn.selu nn.silu nn.sigmoid nn.softplus nn.erf "
        "nn.thresholded_relu math.lp_reduce",
        [](CallMaker& m, const std::string& name) {
          if (name == "lp_reduce") return m.Attribute("p", "2.0"), m.Reduction(false);
          m.Unary(Domain::kAny);
        });
    add("math.rcp math.sqrt math.rsqr math.rsqrt math.log math.log2",
        [](CallMaker& m, const std::string&) { m.Unary(Domain::kPositive); });
    add("math.asin math.acos math.atanh math.tan", [](CallMaker& m, const std::string&) { m.Unary(Domain::kUnit); });
    add("math.acosh", [](CallMaker& m, const std::string&) { m.Unary(Domain::kAboveOne); });
    add("math.not", [](CallMaker& m, const std::string&) { m.Feed(RandomBools(m.random_, m.Shape(0, 3))); });
    add("math.add math.sub math.mul math.min math.max math.lt math.gt math.le math.ge math.eq math.ne",
        [](CallMaker& m, const std::string&) { m.Binary(Domain::kAny, false); });
    add("math.div", [](CallMaker& m, const std::string&) { m.Binary(Domain::kNonzero, false); });
    add("math.mod", [](CallMaker& m, const std::string&) { m.Binary(Domain::kPositive, false); });
    add("math.pow", [](CallMaker& m, const std::string&) { m.Binary(Domain::kPositive, true); });
    add("math.and math.or math.xor", [](CallMaker& m, const std::string&) { m.Logic(); });
    add("math.sum_n math.prod_n math.min_n math.max_n math.argmin_n math.argmax_n math.any_n math.all_n",
        [](CallMaker& m, const std::string& name) {
          m.Pack(m.Between(1, 3), m.Shape(0, 3), name == "any_n" || name == "all_n");
        });
    add("math.axpb math.clamp", [](CallMaker& m, const std::string&) { m.Ternary(); });
    add("math.min_reduce math.max_reduce math.sum_reduce math.prod_reduce math.mean_reduce",
        [](CallMaker& m, const std::string&) { m.Reduction(false); });
    add("math.any_reduce math.all_reduce", [](CallMaker& m, const std::string&) { m.Reduction(true); });
    add("math.argmin math.argmax", [](CallMaker& m, const std::string&) { m.Argument(false); });
    add("math.argmin_nd math.argmax_nd", [](CallMaker& m, const std::string&) { m.Argument(true); });
    add("layout.cast<int> layout.cast<real> layout.cast<bool>",
        [](CallMaker& m, const std::string&) { m.Any(m.Shape(0, 3)); });
    add("nn.max_pool nn.sum_pool", [](CallMaker& m, const std::string&) { m.Pool(false, false); });
    add("nn.avg_pool nn.rms_pool", [](CallMaker& m, const std::string&) { m.Pool(true, false); });
    add("nn.lp_pool", [](CallMaker& m, const std::string&) { m.Pool(false, true); });
    add("nn.conv", [](CallMaker& m, const std::string&) { m.Convolution(false); });
    add("nn.deconv", [](CallMaker& m, const std::string&) { m.Convolution(true); });
    add("nn.l1_norm nn.l2_norm", [](CallMaker& m, const std::string&) { m.Norm(); });
    add("image.nearest_resize image.linear_resize image.cubic_resize",
        [](CallMaker& m, const std::string&) { m.Resize(false); });
    add("image.resize", [](CallMaker& m, const std::string&) { m.Resize(true); });
    add("image.rescale", [](CallMaker& m, const std::string&) {
      m.Attribute("factor", m.Chance(50) ? "[2.0]" : "[0.5]");
      m.Attribute("axes", "[1]");
      m.Reals({m.Between(1, 3), 4});
    });
    add("algo.nonmax_suppress", [](CallMaker& m, const std::string&) {
      const int64_t batches = m.Between(1, 2), boxes = m.Between(1, 4);
      m.Choice("box_format", {"CORNERS", "CENTER"});
      if (m.Chance(50)) m.Attribute("max_outputs_per_class", m.Between(1, 2));
      if (m.Chance(50)) m.Attribute("score_threshold", "0.5");
      m.Attribute("iou_threshold", "0.3");
      m.Reals({batches, boxes, 4}, Domain::kPositive);
      m.Reals({batches, m.Between(1, 2), boxes});
    });
    add("image.nearest_downsample image.area_downsample", [](CallMaker& m, const std::string&) { m.Sample(true); });
    add("image.nearest_upsample image.linear_upsample", [](CallMaker& m, const std::string&) { m.Sample(false); });
    add("quant.zero_point_linear_quantize", [](CallMaker& m, const std::string&) { m.Quantize(false); });
    add("quant.min_max_linear_quantize", [](CallMaker& m, const std::string&) { m.Quantize(true); });
    add("layout.concat layout.stack layout.unstack layout.split layout.tile layout.slice layout.pad layout.transpose "
        "layout.flatten layout.unflatten layout.reshape layout.squeeze layout.unsqueeze layout.broadcast "
        "layout.space_to_batch layout.batch_to_space layout.shuffle layout.gather layout.gather_nd layout.scatter "
        "layout.scatter_nd layout.constant layout.uniform layout.range layout.shape layout.nonzero",
        [](CallMaker& m, const std::string& name) { m.Layout(name); });
    add("linalg.dot linalg.matvec linalg.matmul linalg.outer nn.linear nn.relu nn.prelu nn.gelu nn.batch_norm "
        "nn.mean_variance_norm nn.local_response_norm nn.softmax nn.lstm algo.top_k math.select math.axpby "
        "math.moments",
        [](CallMaker& m, const std::string& name) { m.Other(name); });
    return table;
  }();
  return *rows;
}

RandomDocument CallMaker::Make() {
  const CallRow& row = random_.Pick(CallTable());
  const std::vector<std::string> names = absl::StrSplit(row.name, '.');
  row.make(*this, names[1]);
  std::string inputs, arguments;
  for (size_t i = 0; i < document_.inputs.size(); ++i) {
    const DirectTensors& tensors = document_.inputs[i];
    absl::StrAppend(&inputs, "        x", i, ": ", DeclarationOf(tensors[0]),
                    i == 0 && is_pack_ ? absl::StrCat("..(", tensors.size(), ")") : "", ";\n");
    absl::StrAppend(&arguments, i == 0 ? "" : ", ", "x", i);
  }
  std::string results = "y";
  if (outputs_ == "several") results = absl::StrCat("y..(", output_count_, ")");
  const std::string pack = outputs_ == "several" ? absl::StrCat("..(", output_count_, ")") : "";
  if (outputs_ == "two") results = "y, y1";
  if (outputs_ == "three") results = "y, y1, y2";
  const std::string call = absl::StrCat(row.name, attributes_.empty() ? "" : "{", absl::StrJoin(attributes_, ", "),
                                        attributes_.empty() ? "" : "}", "(", arguments, ")");
  document_.text =
      absl::StrCat("import ", names[0], ";\n\ngraph G {\n    @input {\n", inputs, "    }\n    @output {\n        y: $0",
                   pack, ";\n    }\n    @compose {\n        ", results, " = ", call, ";\n    }\n}\n");
  return std::move(document_);
}

}  // namespace

RandomDocument RandomLibraryCall(uint64_t seed) { return CallMaker(seed).Make(); }

std::vector<std::string> CalledOperators() {
  std::vector<std::string> names;
  for (const CallRow& row : CallTable()) names.emplace_back(row.name);
  return names;
}

}  // namespace nnef2
}  // namespace xla
