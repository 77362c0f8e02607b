// Reduce-windows that combine once what their windows share (sliding_nest.h) against the evaluator.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "tests/kernels/expect_kernels.h"

namespace xla {
namespace {

std::string Function(absl::string_view type, absl::string_view op) {
  return absl::StrCat("f { a = ", type, "[] parameter(0) b = ", type, "[] parameter(1) ROOT r = ", type, "[] ", op,
                      "(a, b) }");
}

// One window of an array.
int ExpectWindow(absl::string_view type, absl::string_view op, absl::string_view from, absl::string_view to,
                 absl::string_view window) {
  return ExpectKernels(Entry(absl::StrCat("x = ", type, from, " parameter(0)\nz = ", type, "[] parameter(1)\nROOT w = ",
                                          type, to, " reduce-window(x, z), window={", window, "}, to_apply=f"),
                             Function(type, op)));
}

TEST(SlidingWindows, TakesEveryNumberOfGroups) {
  for (const int64_t size : {29, 31, 32, 33, 40, 43, 48, 63, 64, 65}) {
    const std::string window = absl::StrCat("size=", size, " pad=", size / 2, "_", size - 1 - size / 2);
    ExpectWindow("f32", "add", "[400]", "[400]", window);
    ExpectWindow("f32", "maximum", "[400]", "[400]", window);
    ExpectWindow("s32", "add", "[400]", "[400]", window);
  }
}

TEST(SlidingWindows, TakesEveryReducerAndType) {
  for (const absl::string_view type : {"s8", "u16", "s32", "u64", "pred"}) {
    for (const absl::string_view op : {"add", "multiply", "maximum", "minimum", "and", "or", "xor"}) {
      ExpectWindow(type, op, "[3,300]", "[3,261]", "size=1x40");
    }
  }
  for (const absl::string_view type : {"f16", "bf16", "f32", "f64", "f8e5m2", "s4", "u2"}) {
    for (const absl::string_view op : {"add", "maximum", "minimum"}) {
      ExpectWindow(type, op, "[150,3]", "[150,3]", "size=41x1 pad=20_20x0_0");
      ExpectWindow(type, op, "[35,21]", "[20,21]", "size=16x1");
    }
  }
  ExpectWindow("c64", "add", "[300]", "[269]", "size=32");
  ExpectWindow("c128", "add", "[300]", "[269]", "size=32");
}

TEST(SlidingWindows, RunsAlongAnyDimensionAndLayout) {
  for (const absl::string_view layout : {"{2,1,0}", "{1,2,0}"}) {
    for (const absl::string_view window :
         {"size=37x1x1 pad=18_18x0_0x0_0", "size=1x38x1 pad=0_0x37_0x0_0", "size=1x1x39 pad=0_0x0_0x0_38"}) {
      ExpectWindow("f32", "maximum", "[24,3,17]{2,1,0}", absl::StrCat("[24,3,17]", layout), window);
      ExpectWindow("f32", "add", absl::StrCat("[24,3,17]", layout), "[24,3,17]{2,1,0}", window);
    }
  }
  // Fewer columns than a vector has lanes, and strips that end within one.
  ExpectWindow("f32", "add", "[500,3]", "[461,3]", "size=40x1");
  ExpectWindow("f32", "minimum", "[2,40,70]", "[2,21,70]", "size=1x20x1");
}

TEST(SlidingWindows, TakesStridesDilationsAndPadding) {
  ExpectWindow("f32", "add", "[1000]", "[99]", "size=256 stride=8 pad=20_20");
  ExpectWindow("f32", "add", "[1000]", "[215]", "size=141 stride=4");
  ExpectWindow("f32", "maximum", "[6,1000]", "[6,237]", "size=1x53 stride=1x4");
  ExpectWindow("s32", "multiply", "[3,700]", "[3,123]", "size=1x87 stride=1x5 pad=0_0x-3_3");
  ExpectWindow("f32", "add", "[600]", "[483]", "size=40 rhs_dilate=3");
  ExpectWindow("f32", "maximum", "[200,20]", "[191,20]", "size=25x1 rhs_dilate=2x1 pad=30_9x0_0");
  ExpectWindow("f32", "add", "[300]", "[563]", "size=37 lhs_dilate=2");
  ExpectWindow("f32", "maximum", "[90,18]", "[249,18]", "size=21x1 lhs_dilate=3x1 pad=3_-2x0_0");
  // Windows that hold padding only.
  ExpectWindow("f32", "maximum", "[300]", "[481]", "size=20 pad=100_100");
  ExpectWindow("f32", "add", "[300,17]", "[421,17]", "size=40x1 pad=60_100x0_0");
  // Longer than the array.
  ExpectWindow("f32", "add", "[100]", "[200]", "size=150 pad=149_100");
}

TEST(SlidingWindows, GoesDimensionByDimension) {
  EXPECT_EQ(ExpectWindow("f32", "maximum", "[1,20,12,17]", "[1,20,12,17]", "size=1x9x9x1 pad=0_0x4_4x4_4x0_0"), 2);
  EXPECT_EQ(ExpectWindow("bf16", "add", "[30,20]", "[30,20]", "size=15x15 pad=7_7x7_7"), 2);
  EXPECT_EQ(ExpectWindow("f32", "minimum", "[2,40,30]", "[2,12,8]", "size=1x17x16 stride=1x2x2 pad=0_0x0_0x0_1"), 2);
  EXPECT_EQ(ExpectWindow("s32", "add", "[12,12,12]", "[6,6,6]", "size=7x7x7"), 3);
  EXPECT_EQ(ExpectWindow("f64", "maximum", "[30,20]{0,1}", "[30,20]", "size=11x12 pad=5_5x5_6"), 2);
}

TEST(SlidingWindows, KeepsNumbersThatAreNoneWithinTheirWindows) {
  for (const absl::string_view op : {"add", "maximum", "minimum"}) {
    for (const absl::string_view special : {"nan", "-nan", "inf", "-inf", "-0", "3e38", "1e-40"}) {
      ExpectKernels(Entry(absl::StrCat(R"(
        x = f32[300] parameter(0)
        zero = f32[] constant(-0)
        zeros = f32[300] broadcast(zero), dimensions={}
        y = f32[300] multiply(x, zeros)
        i = s32[300] iota(), iota_dimension=0
        c = s32[] constant(150)
        where = s32[300] broadcast(c), dimensions={}
        p = pred[300] compare(i, where), direction=EQ
        s = f32[] constant()",
                                       special, R"()
        special = f32[300] broadcast(s), dimensions={}
        v = f32[300] select(p, special, y)
        init = f32[] parameter(1)
        ROOT w = f32[300] reduce-window(v, init), window={size=41 pad=20_20}, to_apply=f
      )"),
                          Function("f32", op)),
                    /*fuse=*/true);
    }
  }
}

TEST(SlidingWindows, IsReadByFusions) {
  ExpectKernels(Entry(R"(
    x = f32[40,60] parameter(0)
    z = f32[] constant(0)
    e = f32[40,60] exponential(x)
    s = f32[40,60] reduce-window(e, z), window={size=11x11 pad=5_5x5_5}, to_apply=f
    count = f32[] constant(121)
    counts = f32[40,60] broadcast(count), dimensions={}
    m = f32[40,60] divide(s, counts)
    ROOT r = f32[40,60] subtract(x, m)
  )",
                      Function("f32", "add")),
                /*fuse=*/true);
}

// Any windows along two dimensions.
TEST(SlidingWindows, AgreesOnRandomOnes) {
  std::mt19937 random(17);
  const auto from = [&](int low, int high) { return low + static_cast<int>(random() % (high - low + 1)); };
  for (int round = 0; round < 25; ++round) {
    std::vector<std::string> sizes, results, window, strides, pads, lhs, rhs;
    for (int d = 0; d < 3; ++d) {
      const bool has_window = d > 0 && from(0, 3) > 0;
      const int n = has_window ? from(5, 40) : from(1, 9);
      const int k = has_window ? from(1, 30) : 1;
      const int stride = has_window && from(0, 2) == 0 ? from(1, 5) : 1;
      const int base = has_window && from(0, 4) == 0 ? from(1, 3) : 1;
      const int dilation = has_window && from(0, 3) == 0 ? from(1, 3) : 1;
      const int reach = (k - 1) * dilation + 1;
      const int low = has_window ? from(-2, reach + 2) : 0;
      int high = has_window ? from(-2, reach + 2) : 0;
      const int room = (n - 1) * base + 1 + low;
      if (room + high < reach) high = reach - room;
      sizes.push_back(absl::StrCat(n));
      results.push_back(absl::StrCat((room + high - reach) / stride + 1));
      window.push_back(absl::StrCat(k));
      strides.push_back(absl::StrCat(stride));
      pads.push_back(absl::StrCat(low, "_", high));
      lhs.push_back(absl::StrCat(base));
      rhs.push_back(absl::StrCat(dilation));
    }
    const absl::string_view type = std::vector<absl::string_view>{"f32", "s32", "bf16"}[from(0, 2)];
    const absl::string_view op = std::vector<absl::string_view>{"add", "maximum", "minimum"}[from(0, 2)];
    ExpectWindow(type, op, absl::StrCat("[", absl::StrJoin(sizes, ","), "]"),
                 absl::StrCat("[", absl::StrJoin(results, ","), "]"),
                 absl::StrCat("size=", absl::StrJoin(window, "x"), " stride=", absl::StrJoin(strides, "x"),
                              " pad=", absl::StrJoin(pads, "x"), " lhs_dilate=", absl::StrJoin(lhs, "x"),
                              " rhs_dilate=", absl::StrJoin(rhs, "x")));
  }
}

}  // namespace
}  // namespace xla
