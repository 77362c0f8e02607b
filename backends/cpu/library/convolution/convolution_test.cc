// Convolutions against the evaluator, and the same bits on one thread and several.
#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/cpu/library/convolution/convolution_program.h"
#include "backends/cpu/library/convolution/direct_program.h"
#include "backends/cpu/library/program_testing.h"

namespace xla {
namespace {

struct TestConvolution {
  std::string lhs, rhs, result, window;
  std::string labels = "b01f_01io->b01f";
  std::string more;
};

std::string TextOf(const TestConvolution& c) {
  return absl::StrCat("HloModule m\nENTRY e {\n  x = ", c.lhs, " parameter(0)\n  y = ", c.rhs,
                      " parameter(1)\n  ROOT c = ", c.result, " convolution(x, y), window={", c.window,
                      "}, dim_labels=", c.labels, c.more, "\n}\n");
}

void Check(const TestConvolution& c) {
  SCOPED_TRACE(TextOf(c));
  const TestRun test(TextOf(c));
  const auto program = MakeConvolutionProgram(test.root());
  ASSERT_TRUE(program.ok()) << program.status();
  test.Check(**program);
}

// With whole numbers.
void CheckExactly(const TestConvolution& c) {
  SCOPED_TRACE(TextOf(c));
  const TestRun test = TestRun::OfWholeNumbers(TextOf(c), 2);
  const auto program = MakeConvolutionProgram(test.root());
  ASSERT_TRUE(program.ok()) << program.status();
  test.Check(**program);
}

// By our own loops.
void CheckDirect(const TestConvolution& c) {
  SCOPED_TRACE(TextOf(c));
  const TestRun test(TextOf(c));
  const auto program = MakeDirectConvolution(test.root());
  ASSERT_TRUE(program.ok()) << program.status();
  test.Check(**program);
}

std::string WhyNot(const TestConvolution& c) {
  const auto module = ModuleFromText(TextOf(c));
  return std::string(MakeConvolutionProgram(*module->entry()->root()).status().message());
}

TEST(Convolution, Plain) {
  Check({"f32[1,9,8,3]", "f32[3,3,3,16]", "f32[1,7,6,16]", "size=3x3"});
  Check({"f32[1,56,56,64]", "f32[3,3,64,64]", "f32[1,56,56,64]", "size=3x3 pad=1_1x1_1"});
  Check({"f32[1,56,56,64]", "f32[1,1,64,100]", "f32[1,56,56,100]", "size=1x1"});
  Check({"f32[2,57,30,20]", "f32[3,3,20,33]", "f32[2,29,15,33]", "size=3x3 stride=2x2 pad=1_1x1_1"});
  Check({"f32[3,56,56,3]", "f32[7,7,3,64]", "f32[3,28,28,64]", "size=7x7 stride=2x2 pad=3_3x3_3"});
  Check({"f32[20,5,5,8]", "f32[2,2,8,8]", "f32[20,4,4,8]", "size=2x2"});
  Check({"f32[37,12,12,4]", "f32[5,5,4,6]", "f32[37,8,8,6]", "size=5x5"});
}

// A tile that has begun runs to its end, whatever the deadline says.
TEST(Convolution, TilesOfTheLargestAreSmall) {
  for (const char* batch : {"1", "20"}) {
    const auto module = ModuleFromText(TextOf({absl::StrCat("f32[", batch, ",4000,4000,64]"), "f32[9,9,64,64]",
                                               absl::StrCat("f32[", batch, ",4000,4000,64]"), "size=9x9 pad=4_4x4_4"}));
    const auto program = MakeConvolutionProgram(*module->entry()->root());
    ASSERT_TRUE(program.ok()) << program.status();
    // Which program it is depends on the processor; most of the work is in the phase with the most tiles.
    int64_t tiles = 1;
    for (int phase = 0; phase < (*program)->phase_count(); ++phase) {
      tiles = std::max(tiles, (*program)->tile_count(phase));
    }
    EXPECT_LT((*program)->FlopCount() / static_cast<double>(tiles), 9e9) << (*program)->kind();
  }
}

// By way of f32, except for those with little to compute.
TEST(Convolution, NarrowFloats) {
  for (const std::string type : {"f16", "bf16"}) {
    const auto array = [&](const char* dims) { return absl::StrCat(type, dims); };
    Check({array("[2,57,30,20]"), array("[3,3,20,33]"), array("[2,29,15,33]"), "size=3x3 stride=2x2 pad=1_1x1_1"});
    Check({array("[1,28,28,64]"), array("[3,3,64,64]"), array("[1,28,28,64]"), "size=3x3 pad=1_1x1_1"});
    Check({array("[1,28,28,64]"), array("[3,3,64,64]"), "f32[1,28,28,64]", "size=3x3 pad=1_1x1_1"});
    Check({array("[1,9,9,32]"), "f32[3,3,32,32]", array("[1,9,9,32]"), "size=3x3 pad=1_1x1_1"});
    Check({array("[1,9,9,8]"), array("[3,3,1,8]"), array("[1,9,9,8]"), "size=3x3 pad=1_1x1_1", "b01f_01io->b01f",
           ", feature_group_count=8"});
  }
}

TEST(Convolution, PaddingAndSteps) {
  Check({"f32[1,40,40,16]", "f32[3,3,16,16]", "f32[1,41,42,16]", "size=3x3 pad=0_3x2_2"});
  Check({"f32[1,40,40,16]", "f32[3,3,16,16]", "f32[1,36,40,16]", "size=3x3 pad=-1_-1x1_1"});
  Check({"f32[1,40,40,16]", "f32[3,3,16,16]", "f32[1,13,20,16]", "size=3x3 stride=3x2 pad=0_0x0_1"});
  Check({"f32[1,40,40,16]", "f32[3,3,16,32]", "f32[1,36,40,32]", "size=3x3 pad=0_0x2_2 rhs_dilate=2x2"});
  Check({"f32[1,40,40,16]", "f32[3,3,16,32]", "f32[1,38,38,32]", "size=3x3 rhs_reversal=1x1"});
  Check({"f32[1,40,40,16]", "f32[3,3,16,32]", "f32[1,38,38,32]", "size=3x3 rhs_reversal=0x1"});
}

// Several images of a tile, whose first spatial dimension has rows that no window reads.
TEST(Convolution, ImagesWithRowsThatNobodyReads) {
  for (const std::string type : {"f32", "f16", "bf16", "s8"}) {
    const std::string sum = type == "s8" ? "s32" : type;
    const auto check = [&](const char* lhs, const char* rhs, const char* result, const char* window,
                           const char* more = "") {
      CheckExactly({type + lhs, type + rhs, sum + result, window, "b01f_01io->b01f", more});
    };
    check("[8,14,14,64]", "[1,1,64,64]", "[8,7,7,64]", "size=1x1 stride=2x2");
    check("[17,9,9,16]", "[1,1,16,16]", "[17,3,3,16]", "size=1x1 stride=3x3");
    check("[16,9,9,16]", "[3,3,16,16]", "[16,6,9,16]", "size=3x3 pad=-1_0x1_1");
    check("[16,9,9,16]", "[3,3,16,16]", "[16,5,9,16]", "size=3x3 pad=1_-3x1_1");
    check("[16,3,5,16]", "[1,1,16,16]", "[16,4,5,16]", "size=1x1 pad=0_-1x0_0 lhs_dilate=2x1");
    check("[16,9,9,32]", "[3,3,8,32]", "[16,3,4,32]", "size=3x3 stride=3x2 pad=-1_1x0_0", ", feature_group_count=4");
    check("[16,9,9,32]", "[2,3,1,32]", "[16,3,4,32]", "size=2x3 stride=3x2", ", feature_group_count=32");
  }
}

// More columns are padded at the end than oneDNN's last block of a row has, and input is left over after many of them.
TEST(Convolution, RowsWithWidePadding) {
  for (const char* types : {"f32 f32 f32", "bf16 bf16 f32", "u8 s8 s32"}) {
    const std::vector<std::string> t = absl::StrSplit(types, ' ');
    const auto check = [&](const char* lhs, const char* rhs, const char* result, const char* window) {
      CheckExactly({t[0] + lhs, t[1] + rhs, t[2] + result, window});
    };
    check("[1,8,9,32]", "[1,7,32,64]", "[1,8,9,64]", "size=1x7 pad=0_0x1_5");
    check("[1,8,11,32]", "[1,7,32,64]", "[1,8,11,64]", "size=1x7 pad=0_0x0_6");
    check("[1,2,9,16]", "[1,11,16,64]", "[1,2,9,64]", "size=1x11 pad=0_0x5_5");
    check("[1,2,15,16]", "[1,13,16,32]", "[1,2,15,32]", "size=1x13 pad=0_0x4_8");
    check("[9,3,9,17]", "[4,5,17,64]", "[9,1,2,64]", "size=4x5 stride=3x4 pad=1_0x3_0");
  }
}

// The input is spread further than the kernel reaches.
TEST(Convolution, ResultsBetweenElements) {
  for (const char* types : {"f32 f32 f32", "bf16 bf16 f32", "u8 s8 s32"}) {
    const std::vector<std::string> t = absl::StrSplit(types, ' ');
    const auto check = [&](const char* lhs, const char* rhs, const char* result, const char* window,
                           const char* more = "") {
      CheckExactly({t[0] + lhs, t[1] + rhs, t[2] + result, window, "b01f_01io->b01f", more});
    };
    check("[8,7,7,64]", "[1,1,64,64]", "[8,13,13,64]", "size=1x1 lhs_dilate=2x2");
    check("[3,14,14,16]", "[1,3,16,64]", "[3,40,14,64]", "size=1x3 pad=0_0x1_1 lhs_dilate=3x1");
    check("[17,14,4,8]", "[1,7,1,8]", "[17,40,1,8]", "size=1x7 pad=0_0x0_3 lhs_dilate=3x1", ", feature_group_count=8");
    check("[2,5,5,16]", "[3,3,16,16]", "[2,9,9,16]", "size=3x3 pad=2_2x2_2 lhs_dilate=2x2 rhs_dilate=2x2");
  }
}

TEST(Convolution, OtherRanks) {
  Check({"f32[1,300,16]", "f32[5,16,24]", "f32[1,298,24]", "size=5 pad=1_1", "b0f_0io->b0f"});
  Check({"f32[1,8,20,20,16]", "f32[3,3,3,16,24]", "f32[1,8,20,20,24]", "size=3x3x3 pad=1_1x1_1x1_1",
         "b012f_012io->b012f"});
}

TEST(Convolution, Groups) {
  Check({"f32[1,20,20,32]", "f32[3,3,8,64]", "f32[1,18,18,64]", "size=3x3", "b01f_01io->b01f",
         ", feature_group_count=4"});
  Check({"f32[1,56,56,32]", "f32[3,3,1,32]", "f32[1,56,56,32]", "size=3x3 pad=1_1x1_1", "b01f_01io->b01f",
         ", feature_group_count=32"});
  Check({"f32[2,20,20,35]", "f32[3,3,1,35]", "f32[2,10,10,35]", "size=3x3 stride=2x2 pad=1_1x1_1", "b01f_01io->b01f",
         ", feature_group_count=35"});
}

TEST(Convolution, Transposed) {
  Check({"f32[1,16,16,32]", "f32[4,4,32,16]", "f32[1,32,32,16]", "size=4x4 pad=2_2x2_2 lhs_dilate=2x2"});
  Check({"f32[1,16,17,32]", "f32[3,3,32,16]", "f32[1,33,34,16]", "size=3x3 pad=2_2x1_2 lhs_dilate=2x2"});
  Check({"f32[2,16,16,32]", "f32[2,2,32,16]", "f32[2,32,31,16]", "size=2x2 pad=1_1x0_1 lhs_dilate=2x2"});
  Check({"f32[1,64,64,32]", "f32[4,4,32,16]", "f32[1,128,128,16]",
         "size=4x4 pad=2_2x2_2 lhs_dilate=2x2 "
         "rhs_reversal=1x1"});
}

TEST(Convolution, KernelsInAnyOrder) {
  Check({"f32[1,20,20,32]", "f32[64,32,3,3]", "f32[1,18,18,64]", "size=3x3", "b01f_oi01->b01f"});
  Check({"f32[1,20,20,32]", "f32[3,3,70,32]", "f32[1,18,18,70]", "size=3x3", "b01f_01oi->b01f"});
  Check({"f32[1,20,20,20]", "f32[70,20,3,2]", "f32[1,18,19,70]", "size=3x2 rhs_reversal=1x0", "b01f_oi01->b01f"});
  Check({"f32[1,20,20,32]", "f32[64,8,3,3]", "f32[1,18,18,64]", "size=3x3", "b01f_oi01->b01f",
         ", feature_group_count=4"});
  Check({"f32[1,20,20,32]", "f32[32,1,3,3]", "f32[1,18,18,32]", "size=3x3", "b01f_oi01->b01f",
         ", feature_group_count=32"});
  Check({"f32[1,16,16,32]", "f32[32,16,4,4]", "f32[1,32,32,16]", "size=4x4 pad=2_2x2_2 lhs_dilate=2x2",
         "b01f_io01->b01f"});
  Check({"s8[1,20,20,32]", "s8[64,32,3,3]", "s32[1,18,18,64]", "size=3x3", "b01f_oi01->b01f"});
  CheckDirect({"f32[1,20,20,20]", "f32[70,20,3,2]", "f32[1,18,19,70]", "size=3x2", "b01f_oi01->b01f"});
}

TEST(Convolution, OtherTypes) {
  for (const char* types : {"bf16 bf16 bf16", "bf16 bf16 f32", "u8 s8 s32", "s8 s8 s32", "f64 f64 f64"}) {
    const std::vector<std::string> t = absl::StrSplit(types, ' ');
    Check({t[0] + "[1,20,20,32]", t[1] + "[3,3,32,48]", t[2] + "[1,20,20,48]", "size=3x3 pad=1_1x1_1"});
  }
}

// What a processor's matrix unit takes, where there is one.
TEST(Convolution, OfBytes) {
  for (const char* types : {"s8 s8 s32", "s8 u8 s32", "u8 s8 u32", "u8 u8 s32"}) {
    const std::vector<std::string> t = absl::StrSplit(types, ' ');
    const auto check = [&](const char* lhs, const char* rhs, const char* result, const char* window,
                           const char* labels = "b01f_01io->b01f") {
      Check({t[0] + lhs, t[1] + rhs, t[2] + result, window, labels});
    };
    check("[2,9,8,16]", "[3,2,16,21]", "[2,9,8,21]", "size=3x2 pad=1_1x1_0");
    check("[1,15,14,33]", "[5,4,33,40]", "[1,8,7,40]", "size=5x4 stride=2x2 pad=2_2x1_2");
    check("[1,9,8,20]", "[3,3,20,5]", "[1,9,8,5]", "size=3x3 pad=2_2x2_2 rhs_dilate=2x2");
    check("[1,9,8,20]", "[3,3,20,64]", "[1,19,17,64]", "size=3x3 pad=2_2x2_2 lhs_dilate=2x2");
    check("[1,9,8,20]", "[3,3,20,64]", "[1,7,6,64]", "size=3x3 rhs_reversal=1x0");
    check("[1,4,3,20]", "[3,9,20,18]", "[1,12,14,18]", "size=3x9 pad=5_5x11_8");
    check("[2,28,28,64]", "[3,3,64,70]", "[2,28,28,70]", "size=3x3 pad=1_1x1_1");
    check("[2,30,22,64]", "[3,3,64,32]", "[2,28,20,32]", "size=3x3");
    check("[2,28,28,64]", "[1,1,64,70]", "[2,28,28,70]", "size=1x1");
    check("[2,28,28,64]", "[1,1,64,32]", "[2,14,14,32]", "size=1x1 stride=2x2");
    check("[3,7,7,64]", "[3,3,64,32]", "[3,7,7,32]", "size=3x3 pad=1_1x1_1");
    check("[3,13,14,64]", "[3,3,64,32]", "[3,7,7,32]", "size=3x3 stride=2x2 pad=1_1x1_1");
    check("[1,9,8,20]", "[150,3,3,20]", "[1,7,6,150]", "size=3x3", "b01f_o01i->b01f");
    check("[1,9,8,20]", "[150,20,3,3]", "[1,7,6,150]", "size=3x3", "b01f_oi01->b01f");
  }
  Check({"s8[1,300,16]", "s8[5,16,24]", "s32[1,298,24]", "size=5 pad=1_1", "b0f_0io->b0f"});
}

TEST(Convolution, WhatOneDnnHasNot) {
  Check({"f32[1,3,9,8]", "f32[3,3,3,16]", "f32[1,16,7,6]", "size=3x3", "bf01_01io->bf01"});
  Check({"f32[1,9,8,3]", "f32[3,3,3,16]", "f32[1,7,5,16]", "size=3x3 pad=0_0x-1_0"});
  Check({"f32[4,9,8,3]", "f32[3,3,3,16]", "f32[2,7,6,16]", "size=3x3", "b01f_01io->b01f", ", batch_group_count=2"});
  Check({"f32[2,9,8,3]", "f32[3,3,3,16]", "f32[2,13,11,16]", "size=3x3 stride=2x2 pad=5_5x5_4 lhs_dilate=2x2"});
}

TEST(Convolution, WindowsInPaddingAlone) {
  for (const std::string type : {"s8", "bf16"}) {
    const std::string result = type == "s8" ? "s32" : "f32";
    Check({type + "[2,5,2,12]", type + "[1,3,12,33]", result + "[2,2,1,33]", "size=1x3 stride=6x1 pad=-1_4x0_1"});
    Check({type + "[2,5,2,80]", type + "[1,3,40,66]", result + "[2,2,1,66]", "size=1x3 stride=6x1 pad=-1_4x0_1",
           "b01f_01io->b01f", ", feature_group_count=2"});
  }
}

TEST(Convolution, GradientOfAKernel) { Check({"f32[16,14,14,8]", "f32[12,12,8,20]", "f32[16,3,3,20]", "size=12x12"}); }

TEST(Convolution, SaysNo) {
  EXPECT_EQ("no library has convolutions of s4 and s4 as s4",
            WhyNot({"s4[1,9,8,3]", "s4[3,3,3,16]", "s4[1,7,6,16]", "size=3x3"}));
}

TEST(DirectConvolution, Types) {
  for (const char* types :
       {"f32 f32 f32", "f64 f64 f64",   "f16 f16 f16", "bf16 bf16 bf16", "bf16 bf16 f32",      "f16 f16 f32",
        "f32 f32 f64", "s8 s8 s32",     "u8 u8 s32",   "u8 s8 s32",      "s8 s8 s8",           "s16 s16 s16",
        "u16 u16 u32", "s32 s32 s32",   "u32 u32 u32", "s64 s64 s64",    "u64 u64 u64",        "s8 s8 s64",
        "s8 s8 f32",   "pred pred s32", "c64 c64 c64", "c128 c128 c128", "f8e4m3fn f8e5m2 f32"}) {
    const std::vector<std::string> t = absl::StrSplit(types, ' ');
    CheckDirect({t[0] + "[2,9,8,5]", t[1] + "[3,2,5,21]", t[2] + "[2,9,8,21]", "size=3x2 pad=1_1x1_0"});
    CheckDirect({t[0] + "[2,7,8,38]", t[1] + "[3,2,1,38]", t[2] + "[2,7,8,38]", "size=3x2 pad=1_1x1_0",
                 "b01f_01io->b01f", ", feature_group_count=38"});
    CheckDirect({t[0] + "[2,7,8,64]", t[1] + "[3,2,1,64]", t[2] + "[2,7,8,64]", "size=3x2 pad=1_1x1_0",
                 "b01f_01io->b01f", ", feature_group_count=64"});
  }
}

TEST(DirectConvolution, LongSums) {
  // The gradient of a kernel: images are features, and the window is as large as the image.
  CheckDirect({"f32[6,30,30,16]", "f32[28,28,16,20]", "f32[6,3,3,20]", "size=28x28"});
  CheckDirect({"f32[2,4,1300]", "f32[2,1300,33]", "f32[2,3,33]", "size=2", "b0f_0io->b0f"});
  CheckDirect({"s32[1,5000,2]", "s32[4000,2,3]", "s32[1,1001,3]", "size=4000", "b0f_0io->b0f"});
}

TEST(DirectConvolution, NothingIsMultipliedWithPadding) {
  const std::string text =
      "HloModule m\nENTRY e {\n  x = f32[1,4,4,2] parameter(0)\n  k = f32[3,3,2,2] parameter(1)\n"
      "  i = f32[] constant(inf)\n  y = f32[3,3,2,2] broadcast(i), dimensions={}\n"
      "  ROOT c = f32[1,6,6,2] convolution(x, y), window={size=3x3 pad=2_2x2_2}, dim_labels=b01f_01io->b01f\n}\n";
  const TestRun test(text);
  const auto program = MakeDirectConvolution(test.root());
  ASSERT_TRUE(program.ok()) << program.status();
  std::vector<float> kernel(36, std::numeric_limits<float>::infinity()), result(72);
  TestMemory workspace((*program)->workspace_bytes());
  TiledProgram::Buffers buffers;
  buffers.lhs = test.DataOf(0);
  buffers.rhs = kernel.data();
  buffers.result = result.data();
  buffers.workspace = workspace.data();
  for (int phase = 0; phase < (*program)->phase_count(); ++phase) {
    ForEachTile((*program)->tile_count(phase), (*program)->scratch_bytes(), 1,
                [&](int64_t tile, void* scratch) { (*program)->RunTile(phase, tile, buffers, scratch); });
  }
  test.ExpectResult(reinterpret_cast<char*>(result.data()), "direct");
}

// A convolution of 0 to 4 spatial dimensions with any attributes and any order of dimensions.
TestConvolution RandomConvolution(std::mt19937& random) {
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  const char* const types[] = {"f32", "f32", "f64", "s32", "c64", "bf16", "u8"};
  const std::string type = types[pick(0, 6)];
  const int64_t rank = pick(0, 4);
  const int64_t groups = pick(0, 2) == 0 ? pick(2, 40) : 1;
  const bool batch_groups = groups > 1 && pick(0, 1) == 0;
  const int64_t inputs = pick(1, rank > 2 ? 3 : 20), outputs = pick(1, rank > 2 ? 5 : 40), batch = pick(1, 3);
  std::vector<int64_t> input = {batch_groups ? batch * groups : batch, batch_groups ? inputs : inputs * groups};
  std::vector<int64_t> kernel = {inputs, outputs * groups}, result = {batch, outputs * groups};
  std::vector<std::string> texts(6);  // size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal
  const auto add = [&](int i, const std::string& value) {
    absl::StrAppend(&texts[i], texts[i].empty() ? "" : "x", value);
  };
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t size = pick(1, rank > 2 ? 5 : 12), window = pick(1, 4), stride = pick(1, 3);
    const int64_t base = pick(0, 2) == 0 ? pick(2, 3) : 1, dilation = pick(0, 2) == 0 ? pick(2, 3) : 1;
    const int64_t reach = (window - 1) * dilation + 1, spread = (size - 1) * base + 1;
    const int64_t low = pick(-1, 4);
    const int64_t high = std::max(pick(-1, 4), reach - spread - low);
    input.push_back(size);
    kernel.push_back(window);
    result.push_back((spread + low + high - reach) / stride + 1);
    add(0, absl::StrCat(window));
    add(1, absl::StrCat(stride));
    add(2, absl::StrCat(low, "_", high));
    add(3, absl::StrCat(base));
    add(4, absl::StrCat(dilation));
    add(5, absl::StrCat(pick(0, 1)));
  }
  TestConvolution c;
  const auto shape = [&](const std::vector<int64_t>& sizes, const char* features, std::string* labels) {
    std::vector<int> order(sizes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::shuffle(order.begin(), order.end(), random);
    std::string text;
    for (const int i : order) {
      absl::StrAppend(&text, text.empty() ? "" : ",", sizes[i]);
      absl::StrAppend(labels, i < 2 ? std::string(1, features[i]) : absl::StrCat(i - 2));
    }
    return absl::StrCat(type, "[", text, "]");
  };
  std::string lhs_labels, rhs_labels, result_labels;
  c.lhs = shape(input, "bf", &lhs_labels);
  c.rhs = shape(kernel, "io", &rhs_labels);
  c.result = shape(result, "bf", &result_labels);
  c.labels = absl::StrCat(lhs_labels, "_", rhs_labels, "->", result_labels);
  if (rank > 0) {
    c.window = absl::StrCat("size=", texts[0], " stride=", texts[1], " pad=", texts[2], " lhs_dilate=", texts[3],
                            " rhs_dilate=", texts[4], " rhs_reversal=", texts[5]);
  }
  if (groups > 1) c.more = absl::StrCat(batch_groups ? ", batch_group_count=" : ", feature_group_count=", groups);
  return c;
}

// One of 8-bit integers with features last, as a matrix unit takes it, but for groups.
TestConvolution RandomConvolutionOfBytes(std::mt19937& random) {
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  const auto one_of = [&](const std::vector<int64_t>& values) {
    return values[pick(0, static_cast<int64_t>(values.size()) - 1)];
  };
  const int64_t rank = pick(1, 3), batch = pick(1, 3), groups = pick(0, 7) == 0 ? 2 : 1;
  const int64_t inputs = one_of({1, 3, 16, 17, 32, 40, 64, 64, 100, 128}),
                outputs = one_of({1, 5, 16, 24, 32, 33, 64, 150});
  const int64_t most = rank == 1 ? 60 : rank == 2 ? 20 : 5, largest = rank == 3 ? 2 : 4;
  std::string lhs, spatial, kernel, result, texts[6];  // size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal
  const auto add = [&](int i, const std::string& value) {
    absl::StrAppend(&texts[i], texts[i].empty() ? "" : "x", value);
  };
  const bool is_plain = pick(0, 1) == 0;
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t size = pick(1, most), window = pick(1, largest), stride = pick(0, 2) == 0 ? pick(2, 6) : 1;
    const int64_t base = !is_plain && pick(0, 2) == 0 ? pick(2, 3) : 1;
    const int64_t dilation = !is_plain && pick(0, 2) == 0 ? pick(2, 7) : 1;
    const int64_t reach = (window - 1) * dilation + 1, spread = (size - 1) * base + 1;
    const int64_t low = is_plain ? pick(0, 1) : pick(-1, 4);
    const int64_t high = std::max(is_plain ? low : pick(-1, 4), reach - spread - low);
    absl::StrAppend(&lhs, ",", size);
    absl::StrAppend(&kernel, window, ",");
    absl::StrAppend(&result, ",", (spread + low + high - reach) / stride + 1);
    absl::StrAppend(&spatial, i);
    add(0, absl::StrCat(window));
    add(1, absl::StrCat(stride));
    add(2, absl::StrCat(low, "_", high));
    add(3, absl::StrCat(base));
    add(4, absl::StrCat(dilation));
    add(5, absl::StrCat(!is_plain && pick(0, 2) == 0 ? 1 : 0));
  }
  const auto type = [&] { return pick(0, 1) == 0 ? "s8" : "u8"; };
  TestConvolution c;
  c.lhs = absl::StrCat(type(), "[", batch, lhs, ",", inputs * groups, "]");
  c.result = absl::StrCat("s32[", batch, result, ",", outputs * groups, "]");
  if (pick(0, 2) == 0) {
    c.rhs = absl::StrCat(type(), "[", outputs * groups, ",", kernel, inputs, "]");
    c.labels = absl::StrCat("b", spatial, "f_o", spatial, "i->b", spatial, "f");
  } else {
    c.rhs = absl::StrCat(type(), "[", kernel, inputs, ",", outputs * groups, "]");
    c.labels = absl::StrCat("b", spatial, "f_", spatial, "io->b", spatial, "f");
  }
  c.window = absl::StrCat("size=", texts[0], " stride=", texts[1], " pad=", texts[2], " lhs_dilate=", texts[3],
                          " rhs_dilate=", texts[4], " rhs_reversal=", texts[5]);
  if (groups > 1) c.more = absl::StrCat(", feature_group_count=", groups);
  return c;
}

TEST(Convolution, RandomGeometriesOfBytes) {
  std::mt19937 random(3);
  for (int i = 0; i < 100 && !testing::Test::HasFailure(); ++i) {
    const TestConvolution c = RandomConvolutionOfBytes(random);
    SCOPED_TRACE(TextOf(c));
    // Of the whole range of their types.
    const TestRun test(TextOf(c), [&](std::vector<Literal>& arguments) {
      for (Literal& argument : arguments) {
        auto* const bytes = static_cast<char*>(argument.untyped_mutable_data());
        for (int64_t b = 0; b < argument.shape().ByteSize(); ++b) bytes[b] = static_cast<char>(random());
      }
    });
    const auto program = MakeConvolutionProgram(test.root());
    ASSERT_TRUE(program.ok()) << program.status();
    test.Check(**program);
  }
}

// One of the sizes at which libraries and tiles come in: batches, channels, strides that leave rows over, negative
// padding, holes of either side, and layouts of all operands.
TestConvolution RandomConvolutionOfABatch(std::mt19937& random) {
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  const auto one_of = [&](const std::vector<int64_t>& values) {
    return values[pick(0, static_cast<int64_t>(values.size()) - 1)];
  };
  const auto text_of = [&](const std::vector<std::string>& values) { return values[pick(0, values.size() - 1)]; };
  const std::string types = text_of({"f32 f32 f32", "f32 f32 f32", "f32 f32 f32", "f16 f16 f16", "bf16 bf16 bf16",
                                     "bf16 bf16 f32", "u8 s8 s32", "s8 s8 s32", "f64 f64 f64"});
  const std::vector<std::string> type = absl::StrSplit(types, ' ');
  const int64_t rank = one_of({1, 2, 2, 2, 2, 3}), batch = one_of({1, 2, 3, 5, 8, 9, 16, 17});
  const bool is_depthwise = pick(0, 5) == 0, has_steps = pick(0, 1) == 0, is_plain = pick(0, 2) > 0;
  const int64_t groups = is_depthwise ? one_of({8, 16, 33, 64}) : pick(0, 4) == 0 ? one_of({2, 3, 4}) : 1;
  const bool batch_groups = groups > 1 && !is_depthwise && pick(0, 3) == 0;
  const int64_t inputs = is_depthwise ? 1 : one_of({1, 2, 3, 4, 8, 16, 16, 17, 32, 32, 64});
  const int64_t outputs = is_depthwise ? one_of({1, 1, 2}) : one_of({1, 5, 8, 16, 16, 24, 32, 33, 64, 64});
  std::vector<int64_t> input = {batch_groups ? batch * groups : batch, batch_groups ? inputs : inputs * groups};
  std::vector<int64_t> kernel = {inputs, outputs * groups}, result = {batch, outputs * groups};
  std::string texts[6];  // size, stride, pad, lhs_dilate, rhs_dilate, rhs_reversal
  const auto add = [&](int i, const std::string& value) {
    absl::StrAppend(&texts[i], texts[i].empty() ? "" : "x", value);
  };
  const double most = 3e7;  // multiplications, so that the evaluator is done soon
  double work = static_cast<double>(batch * groups * inputs * outputs);
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t window = one_of({1, 1, 2, 3, 3, 3, 4, 5, 7});
    const int64_t stride = has_steps ? one_of({1, 2, 2, 3, 4}) : 1;
    const int64_t base = (!has_steps || pick(0, 9) == 0) && pick(0, 2) == 0 ? one_of({2, 2, 3}) : 1;
    const int64_t dilation = !is_plain && pick(0, 1) == 0 ? one_of({2, 2, 3, 5}) : 1;
    const int64_t reach = (window - 1) * dilation + 1;
    work *= static_cast<double>(window);
    int64_t size = one_of({1, 2, 3, 5, 7, 9, 14, 15, 28, 29});
    while (size > 1 && work * static_cast<double>(size * base / stride) > most) size = (size + 1) / 2;
    const int64_t spread = (size - 1) * base + 1;
    const int64_t low = is_plain ? one_of({0, 0, window / 2, window - 1}) : pick(-3, 6);
    const int64_t wanted = is_plain ? one_of({0, window / 2, low}) : pick(-3, 6);
    const int64_t high = std::max(wanted, reach - spread - low);
    const int64_t output = (spread + low + high - reach) / stride + 1;
    work *= static_cast<double>(output);
    input.push_back(size);
    kernel.push_back(window);
    result.push_back(output);
    add(0, absl::StrCat(window));
    add(1, absl::StrCat(stride));
    add(2, absl::StrCat(low, "_", high));
    add(3, absl::StrCat(base));
    add(4, absl::StrCat(dilation));
    add(5, absl::StrCat(pick(0, 5) == 0 ? 1 : 0));
  }
  // Features last (0), first, or anything.
  const auto shape = [&](const std::string& element, const std::vector<int64_t>& sizes, const char* features, int order,
                         std::string* labels) {
    std::vector<int> dims(sizes.size());
    std::iota(dims.begin(), dims.end(), 0);
    if (order == 0) std::rotate(dims.begin() + (features[0] == 'b' ? 1 : 0), dims.begin() + 2, dims.end());
    if (order == 2) std::shuffle(dims.begin(), dims.end(), random);
    std::string text;
    for (const int i : dims) {
      absl::StrAppend(&text, text.empty() ? "" : ",", sizes[i]);
      absl::StrAppend(labels, i < 2 ? std::string(1, features[i]) : absl::StrCat(i - 2));
    }
    return absl::StrCat(element, "[", text, "]");
  };
  std::string lhs_labels, rhs_labels, result_labels;
  TestConvolution c;
  const int order = pick(0, 9) < 8 ? 0 : static_cast<int>(pick(1, 2));
  c.lhs = shape(type[0], input, "bf", order, &lhs_labels);
  c.rhs = shape(type[1], kernel, "io", static_cast<int>(one_of({0, 0, 1, 2})), &rhs_labels);
  c.result = shape(type[2], result, "bf", order, &result_labels);
  c.labels = absl::StrCat(lhs_labels, "_", rhs_labels, "->", result_labels);
  c.window = absl::StrCat("size=", texts[0], " stride=", texts[1], " pad=", texts[2], " lhs_dilate=", texts[3],
                          " rhs_dilate=", texts[4], " rhs_reversal=", texts[5]);
  if (groups > 1) c.more = absl::StrCat(batch_groups ? ", batch_group_count=" : ", feature_group_count=", groups);
  return c;
}

TEST(Convolution, RandomGeometriesOfBatches) {
  std::mt19937 random(4);
  for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) CheckExactly(RandomConvolutionOfABatch(random));
}

TEST(DirectConvolution, RandomGeometriesOfBatches) {
  std::mt19937 random(5);
  for (int i = 0; i < 100 && !testing::Test::HasFailure(); ++i) {
    const TestConvolution c = RandomConvolutionOfABatch(random);
    SCOPED_TRACE(TextOf(c));
    const TestRun test = TestRun::OfWholeNumbers(TextOf(c), 2);
    const auto program = MakeDirectConvolution(test.root());
    ASSERT_TRUE(program.ok()) << program.status();
    test.Check(**program);
  }
}

TEST(DirectConvolution, RandomGeometries) {
  std::mt19937 random(1);
  for (int i = 0; i < 300 && !testing::Test::HasFailure(); ++i) CheckDirect(RandomConvolution(random));
}

TEST(Convolution, RandomGeometries) {
  std::mt19937 random(2);
  for (int i = 0; i < 100 && !testing::Test::HasFailure(); ++i) Check(RandomConvolution(random));
}

}  // namespace
}  // namespace xla
