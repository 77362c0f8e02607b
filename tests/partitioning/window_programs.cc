#include "tests/partitioning/window_programs.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/random_source.h"

namespace xla {
namespace {

constexpr char kFunctions[] = R"(
sum { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] add(a, b) }
most { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] maximum(a, b) }
difference { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] subtract(a, b) }
at_least { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }
pair {
  a = TYPE[] parameter(0)
  i = s32[] parameter(1)
  b = TYPE[] parameter(2)
  j = s32[] parameter(3)
  is_first = pred[] compare(a, b), direction=GE
  c = TYPE[] select(is_first, a, b)
  k = s32[] select(is_first, i, j)
  ROOT r = (TYPE[], s32[]) tuple(c, k)
}
first_most {
  a = TYPE[] parameter(0)
  i = s32[] parameter(1)
  b = TYPE[] parameter(2)
  j = s32[] parameter(3)
  is_more = pred[] compare(a, b), direction=GT
  is_nan = pred[] compare(a, a), direction=NE
  takes = pred[] or(is_more, is_nan)
  c = TYPE[] select(takes, a, b)
  is_equal = pred[] compare(a, b), direction=EQ
  is_before = pred[] compare(i, j), direction=LT
  is_first = pred[] and(is_equal, is_before)
  keeps = pred[] or(takes, is_first)
  k = s32[] select(keeps, i, j)
  ROOT r = (TYPE[], s32[]) tuple(c, k)
}
)";

// The number of outputs, below 1 if there are none.
int64_t OutputCount(const WindowDimension& w, int64_t rows) {
  const int64_t padded = (rows - 1) * w.base_dilation + 1 + w.padding_low + w.padding_high;
  return FloorDiv(padded - ((w.size - 1) * w.window_dilation + 1), w.stride) + 1;
}

class WindowProgram {
 public:
  explicit WindowProgram(uint64_t seed) : random_(seed), type_(random_.Chance(70) ? "f32" : "s32") {}

  std::string Text() {
    sizes_ = {random_.Between(1, 3), random_.Between(2, 14), random_.Between(1, 10), random_.Between(1, 3)};
    value_ = Parameter(sizes_);
    for (int64_t steps = random_.Between(1, 3); steps > 0; --steps) AddStep();
    return absl::StrCat("HloModule windows\n", absl::StrReplaceAll(kFunctions, {{"TYPE", type_}}), "ENTRY e {\n", body_,
                        "  ROOT all = (", absl::StrJoin(result_shapes_, ", "), ") tuple(",
                        absl::StrJoin(results_, ", "), ")\n}\n");
  }

 private:
  std::string ShapeText(const std::vector<int64_t>& sizes) const { return ShapeText(type_, sizes); }
  static std::string ShapeText(const std::string& type, const std::vector<int64_t>& sizes) {
    return absl::StrCat(type, "[", absl::StrJoin(sizes, ","), "]");
  }

  template <typename... Parts>
  std::string Add(const std::string& shape, const Parts&... parts) {
    const std::string name = absl::StrCat("v", count_++);
    absl::StrAppend(&body_, "  ", name, " = ", shape, " ", parts..., "\n");
    return name;
  }

  std::string Parameter(const std::vector<int64_t>& sizes) {
    const std::string p = Add(ShapeText("s8", sizes), "parameter(", parameters_++, ")");
    return Add(ShapeText(sizes), "convert(", p, ")");
  }

  std::string Splat(const std::string& type, const std::string& value, const std::vector<int64_t>& sizes) {
    const std::string scalar = Add(type + "[]", "constant(", value, ")");
    return Add(ShapeText(type, sizes), "broadcast(", scalar, "), dimensions={}");
  }

  // The larger numbers are infinite.
  std::string Kernel(const std::vector<int64_t>& sizes) {
    const std::string kernel = Parameter(sizes);
    if (type_ != "f32" || random_.Chance(50)) return kernel;
    const std::string is_large =
        Add(ShapeText("pred", sizes), "compare(", kernel, ", ", Splat("f32", "2", sizes), "), direction=GT");
    return Add(ShapeText(sizes), "select(", is_large, ", ", Splat("f32", "inf", sizes), ", ", kernel, ")");
  }

  // Sums of products of such numbers are exact.
  void Become(const std::string& value, const std::vector<int64_t>& sizes) {
    sizes_ = sizes;
    result_shapes_.push_back(ShapeText(sizes));
    results_.push_back(value);
    value_ =
        Add(ShapeText(sizes), "clamp(", Splat(type_, "-8", sizes), ", ", value, ", ", Splat(type_, "8", sizes), ")");
  }

  void AddStep() {
    switch (random_.Below(14)) {
      case 0:
      case 1:
        return Convolution();
      case 2:
        return KernelGradient();
      case 3:
        return ReduceWindow();
      case 4:
        return Pad();
      case 5:
        return Slice();
      case 6:
        return Concatenate();
      case 7:
        return Reverse();
      case 8:
        return SelectAndScatter();
      case 9:
        return Cumulative();
      case 10:
        return Gather();
      case 11:
        return SliceOrUpdateAtRunTime();
      case 12:
        return FirstMost();
      case 13:
        return RandomBits();
    }
  }

  void Reverse() {
    std::vector<int64_t> dimensions;
    for (int64_t k = 0; k < 4; ++k) {
      if (random_.Chance(50)) dimensions.push_back(k);
    }
    Become(Add(ShapeText(sizes_), "reverse(", value_, "), dimensions={", absl::StrJoin(dimensions, ","), "}"), sizes_);
  }

  void SelectAndScatter() {
    std::vector<WindowDimension> windows(4);
    std::vector<int64_t> sources = sizes_;
    for (const int k : {1, 2}) {
      do {
        windows[k].size = random_.Between(1, 4);
        windows[k].stride = random_.Between(1, 3);
        windows[k].padding_low = random_.Between(-1, windows[k].size);
        windows[k].padding_high = random_.Between(-1, windows[k].size);
        sources[k] = OutputCount(windows[k], sizes_[k]);
      } while (sources[k] < 1);
    }
    const std::string source = Parameter(sources);
    const std::string init = Add(type_ + "[]", "constant(", random_.Between(-3, 3), ")");
    Become(Add(ShapeText(sizes_), "select-and-scatter(", value_, ", ", source, ", ", init, "), ", WindowText(windows),
               ", select=at_least, scatter=sum"),
           sizes_);
  }

  void Cumulative() {
    std::vector<WindowDimension> windows(4);
    const int64_t k = random_.Below(4);
    windows[k].size = sizes_[k];
    (random_.Chance(50) ? windows[k].padding_low : windows[k].padding_high) = sizes_[k] - 1;
    const std::string init = Add(type_ + "[]", "constant(", random_.Between(-3, 3), ")");
    Become(Add(ShapeText(sizes_), "reduce-window(", value_, ", ", init, "), ", WindowText(windows),
               ", to_apply=", random_.Chance(50) ? "sum" : "most"),
           sizes_);
  }

  // Some of them out of bounds; as unsigned numbers these are large.
  std::string Indices(const std::vector<int64_t>& sizes, const std::string& type) {
    const std::string p = Add(ShapeText("s8", sizes), "parameter(", parameters_++, ")");
    return type == "s8" ? p : Add(ShapeText(type, sizes), "convert(", p, ")");
  }
  std::string IndexType() { return random_.Pick(std::vector<std::string>{"s8", "s32", "u32", "s64", "u64"}); }

  // Of one or two dimensions; indices of the first take its place.
  void Gather() {
    const int64_t k = random_.Below(4);
    const int64_t other = (k + random_.Between(1, 3)) % 4;
    const bool is_pair = random_.Chance(40);
    const int64_t count = random_.Between(1, 6);
    const std::string type = IndexType();
    const std::string indices = is_pair ? Indices({count, 2}, type) : Indices({count}, type);
    std::vector<int64_t> slices = sizes_;
    slices[k] = 1;
    if (is_pair) slices[other] = random_.Chance(70) ? 1 : random_.Between(1, sizes_[other]);
    std::vector<int64_t> sizes = slices;
    sizes[k] = count;
    std::vector<int64_t> offsets = {0, 1, 2, 3};
    offsets.erase(offsets.begin() + k);
    const std::string map = is_pair ? absl::StrCat(other, ",", k) : absl::StrCat(k);
    Become(Add(ShapeText(sizes), "gather(", value_, ", ", indices, "), offset_dims={", absl::StrJoin(offsets, ","),
               "}, collapsed_slice_dims={", k, "}, start_index_map={", map, "}, index_vector_dim=1, slice_sizes={",
               absl::StrJoin(slices, ","), "}"),
           sizes);
  }

  void SliceOrUpdateAtRunTime() {
    const std::string type = IndexType();
    std::vector<int64_t> sizes = sizes_;
    std::vector<std::string> starts;
    for (int64_t& size : sizes) {
      if (random_.Chance(50)) size = random_.Chance(70) ? 1 : random_.Between(1, size);
      starts.push_back(Indices({}, type));
    }
    const std::string all = absl::StrJoin(starts, ", ");
    if (random_.Chance(50)) {
      const std::string update = Parameter(sizes);
      return Become(Add(ShapeText(sizes_), "dynamic-update-slice(", value_, ", ", update, ", ", all, ")"), sizes_);
    }
    Become(Add(ShapeText(sizes), "dynamic-slice(", value_, ", ", all, "), dynamic_slice_sizes={",
               absl::StrJoin(sizes, ","), "}"),
           sizes);
  }

  void FirstMost() {
    const int64_t k = random_.Below(4);
    std::vector<int64_t> sizes = sizes_;
    sizes.erase(sizes.begin() + k);
    const std::string places = Add(ShapeText("s32", sizes_), "iota(), iota_dimension=", k);
    const std::string least = Add(type_ + "[]", "constant(", type_ == "f32" ? "-inf" : "-100", ")");
    const std::string first = Add("s32[]", "constant(0)");
    const std::string both =
        Add(absl::StrCat("(", ShapeText(sizes), ", ", ShapeText("s32", sizes), ")"), "reduce(", value_, ", ", places,
            ", ", least, ", ", first, "), dimensions={", k, "}, to_apply=", random_.Chance(70) ? "first_most" : "pair");
    result_shapes_.push_back(ShapeText("s32", sizes));
    results_.push_back(Add(ShapeText("s32", sizes), "get-tuple-element(", both, "), index=1"));
    result_shapes_.push_back(ShapeText(sizes));
    results_.push_back(Add(ShapeText(sizes), "get-tuple-element(", both, "), index=0"));
  }

  // Adds the three low bits of each number.
  void RandomBits() {
    const bool is_threefry = random_.Chance(50);
    const bool is_long = !is_threefry && random_.Chance(50);
    const std::string type = random_.Pick(std::vector<std::string>{"u8", "u32", "s32", "u64"});
    // The low word of the counter overflows.
    const std::string state = is_long ? "u64[3]" : "u64[2]";
    const std::string words = is_long ? "{3, 18446744073709551610, 5}" : "{3, 18446744073709551610}";
    const std::string seed = Add(state, "constant(", words, ")");
    const std::string both =
        Add(absl::StrCat("(", state, ", ", ShapeText(type, sizes_), ")"), "rng-bit-generator(", seed, "), algorithm=",
            is_threefry          ? "rng_three_fry"
            : random_.Chance(50) ? "rng_philox"
                                 : "rng_default");
    result_shapes_.push_back(state);
    results_.push_back(Add(state, "get-tuple-element(", both, "), index=0"));
    const std::string bits = Add(ShapeText(type, sizes_), "get-tuple-element(", both, "), index=1");
    const std::string low = Add(ShapeText(type, sizes_), "and(", bits, ", ", Splat(type, "7", sizes_), ")");
    const std::string number = Add(ShapeText(sizes_), "convert(", low, ")");
    Become(Add(ShapeText(sizes_), "add(", value_, ", ", number, ")"), sizes_);
  }

  // Of a convolution's spatial dimension, with at least one output.
  WindowDimension AnyWindow(int64_t rows, int64_t size, bool is_reversible) {
    for (;;) {
      WindowDimension w;
      w.size = size;
      w.stride = random_.Chance(60) ? 1 : random_.Between(2, 3);
      w.padding_low = random_.Between(-1, size);
      w.padding_high = random_.Between(-1, size + 1);
      if (random_.Chance(30)) w.base_dilation = random_.Between(2, 3);
      if (random_.Chance(25)) w.window_dilation = 2;
      w.window_reversal = is_reversible && random_.Chance(30);
      const int64_t outputs = OutputCount(w, rows);
      if (outputs >= 1 && outputs <= 40) return w;
      size = std::max<int64_t>(1, size - 1);
    }
  }

  // As `window={...}`, over dimensions that have such windows.
  static std::string WindowText(const std::vector<WindowDimension>& windows) {
    const auto list = [&](auto part) {
      return absl::StrJoin(windows, "x",
                           [&](std::string* out, const WindowDimension& w) { absl::StrAppend(out, part(w)); });
    };
    return absl::StrCat(
        "window={size=", list([](const WindowDimension& w) { return absl::StrCat(w.size); }),
        " stride=", list([](const WindowDimension& w) { return absl::StrCat(w.stride); }),
        " pad=", list([](const WindowDimension& w) { return absl::StrCat(w.padding_low, "_", w.padding_high); }),
        " lhs_dilate=", list([](const WindowDimension& w) { return absl::StrCat(w.base_dilation); }),
        " rhs_dilate=", list([](const WindowDimension& w) { return absl::StrCat(w.window_dilation); }),
        " rhs_reversal=", list([](const WindowDimension& w) { return w.window_reversal ? "1" : "0"; }), "}");
  }

  void Convolution() {
    const std::vector<WindowDimension> windows = {AnyWindow(sizes_[1], random_.Between(1, 4), true),
                                                  AnyWindow(sizes_[2], random_.Between(1, 4), true)};
    const int64_t features = random_.Between(1, 3);
    const std::string kernel = Kernel({windows[0].size, windows[1].size, sizes_[3], features});
    const std::vector<int64_t> sizes = {sizes_[0], OutputCount(windows[0], sizes_[1]),
                                        OutputCount(windows[1], sizes_[2]), features};
    Become(Add(ShapeText(sizes), "convolution(", value_, ", ", kernel, "), ", WindowText(windows),
               ", dim_labels=b01f_01io->b01f"),
           sizes);
  }

  // The window is about as large as the input.
  void KernelGradient() {
    std::vector<WindowDimension> windows;
    for (const int64_t rows : {sizes_[1], sizes_[2]}) {
      windows.push_back(AnyWindow(rows, std::max<int64_t>(1, rows - random_.Between(-1, 3)), true));
    }
    const int64_t features = random_.Between(1, 3);
    const std::string kernel = Kernel({sizes_[0], windows[0].size, windows[1].size, features});
    const std::vector<int64_t> sizes = {OutputCount(windows[0], sizes_[1]), OutputCount(windows[1], sizes_[2]),
                                        sizes_[3], features};
    Become(Add(ShapeText(sizes), "convolution(", value_, ", ", kernel, "), ", WindowText(windows),
               ", dim_labels=f01b_i01o->01bf"),
           sizes);
  }

  void ReduceWindow() {
    std::vector<WindowDimension> windows(4);
    std::vector<int64_t> sizes = sizes_;
    for (const int k : {1, 2}) {
      const bool is_cumulative = random_.Chance(20);
      windows[k] = AnyWindow(sizes_[k], is_cumulative ? sizes_[k] : random_.Between(1, 4), false);
      sizes[k] = OutputCount(windows[k], sizes_[k]);
    }
    if (random_.Chance(25)) return ReduceWindowOfTwo(windows, sizes);
    const std::string function = random_.Pick(std::vector<std::string>{"sum", "most", "difference"});
    const std::string init = Add(type_ + "[]", "constant(", random_.Between(-3, 3), ")");
    Become(Add(ShapeText(sizes), "reduce-window(", value_, ", ", init, "), ", WindowText(windows),
               ", to_apply=", function),
           sizes);
  }

  void ReduceWindowOfTwo(const std::vector<WindowDimension>& windows, const std::vector<int64_t>& sizes) {
    const std::string places = Add(ShapeText("s32", sizes_), "iota(), iota_dimension=", random_.Below(4));
    const std::string init = Add(type_ + "[]", "constant(-3)");
    const std::string init_place = Add("s32[]", "constant(-1)");
    const std::string both =
        Add(absl::StrCat("(", ShapeText(sizes), ", ", ShapeText("s32", sizes), ")"), "reduce-window(", value_, ", ",
            places, ", ", init, ", ", init_place, "), ", WindowText(windows), ", to_apply=pair");
    result_shapes_.push_back(ShapeText("s32", sizes));
    results_.push_back(Add(ShapeText("s32", sizes), "get-tuple-element(", both, "), index=1"));
    Become(Add(ShapeText(sizes), "get-tuple-element(", both, "), index=0"), sizes);
  }

  void Pad() {
    std::vector<std::string> paddings;
    std::vector<int64_t> sizes;
    for (const int64_t rows : sizes_) {
      PaddingDimension p;
      if (random_.Chance(60)) p = {random_.Between(-2, 3), random_.Between(-2, 3), random_.Chance(70) ? 0 : 2};
      int64_t size = (rows - 1) * (p.interior + 1) + 1 + p.low + p.high;
      if (size < 1) {
        p = PaddingDimension();
        size = rows;
      }
      sizes.push_back(size);
      paddings.push_back(absl::StrCat(p.low, "_", p.high, "_", p.interior));
    }
    const std::string with = Add(type_ + "[]", "constant(7)");
    Become(Add(ShapeText(sizes), "pad(", value_, ", ", with, "), padding=", absl::StrJoin(paddings, "x")), sizes);
  }

  void Slice() {
    std::vector<std::string> ranges;
    std::vector<int64_t> sizes;
    for (const int64_t rows : sizes_) {
      const int64_t start = random_.Chance(40) ? 0 : random_.Below(rows);
      const int64_t limit = random_.Chance(40) ? rows : random_.Between(start + 1, rows);
      const int64_t stride = random_.Chance(60) ? 1 : random_.Between(1, 3);
      ranges.push_back(absl::StrCat("[", start, ":", limit, ":", stride, "]"));
      sizes.push_back(CeilDiv(limit - start, stride));
    }
    Become(Add(ShapeText(sizes), "slice(", value_, "), slice={", absl::StrJoin(ranges, ", "), "}"), sizes);
  }

  void Concatenate() {
    const int64_t k = random_.Below(4);
    const int64_t count = random_.Between(1, 4);
    const int64_t place = random_.Below(count);
    std::vector<std::string> operands;
    std::vector<int64_t> sizes = sizes_;
    for (int64_t i = 0; i < count; ++i) {
      std::vector<int64_t> other = sizes_;
      other[k] = random_.Between(1, 9);
      if (i != place) sizes[k] += other[k];
      operands.push_back(i == place ? value_ : Parameter(other));
    }
    Become(Add(ShapeText(sizes), "concatenate(", absl::StrJoin(operands, ", "), "), dimensions={", k, "}"), sizes);
  }

  RandomSource random_;
  const std::string type_;
  std::string body_;
  std::string value_;
  std::vector<int64_t> sizes_;  // of value_
  std::vector<std::string> results_;
  std::vector<std::string> result_shapes_;
  int count_ = 0;
  int parameters_ = 0;
};

}  // namespace

std::string RandomWindowProgram(uint64_t seed) { return WindowProgram(seed).Text(); }

}  // namespace xla
