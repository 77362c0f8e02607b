// Convolutions against the evaluator, and the same bits on one thread and several.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/cpu/library/convolution_program.h"
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

TEST(Convolution, PaddingAndSteps) {
  Check({"f32[1,40,40,16]", "f32[3,3,16,16]", "f32[1,41,42,16]", "size=3x3 pad=0_3x2_2"});
  Check({"f32[1,40,40,16]", "f32[3,3,16,16]", "f32[1,36,40,16]", "size=3x3 pad=-1_-1x1_1"});
  Check({"f32[1,40,40,16]", "f32[3,3,16,16]", "f32[1,13,20,16]", "size=3x3 stride=3x2 pad=0_0x0_1"});
  Check({"f32[1,40,40,16]", "f32[3,3,16,32]", "f32[1,36,40,32]", "size=3x3 pad=0_0x2_2 rhs_dilate=2x2"});
  Check({"f32[1,40,40,16]", "f32[3,3,16,32]", "f32[1,38,38,32]", "size=3x3 rhs_reversal=1x1"});
  Check({"f32[1,40,40,16]", "f32[3,3,16,32]", "f32[1,38,38,32]", "size=3x3 rhs_reversal=0x1"});
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
}

TEST(Convolution, OtherTypes) {
  for (const char* types : {"bf16 bf16 bf16", "bf16 bf16 f32", "u8 s8 s32"}) {
    const std::vector<std::string> t = absl::StrSplit(types, ' ');
    const TestConvolution c = {t[0] + "[1,20,20,32]", t[1] + "[3,3,32,48]", t[2] + "[1,20,20,48]",
                               "size=3x3 pad=1_1x1_1"};
    if (WhyNot(c).empty()) Check(c);
  }
}

TEST(Convolution, SaysNo) {
  EXPECT_EQ("oneDNN has no convolution of f64 and f64 as f64",
            WhyNot({"f64[1,9,8,3]", "f64[3,3,3,16]", "f64[1,7,6,16]", "size=3x3"}));
  EXPECT_EQ("arrays do not lie in memory with batch first and features last",
            WhyNot({"f32[1,3,9,8]", "f32[3,3,3,16]", "f32[1,16,7,6]", "size=3x3", "bf01_01io->bf01"}));
  EXPECT_EQ("padding is negative", WhyNot({"f32[1,9,8,3]", "f32[3,3,3,16]", "f32[1,7,5,16]", "size=3x3 pad=0_0x-1_0"}));
  EXPECT_EQ("batches are in groups", WhyNot({"f32[4,9,8,3]", "f32[3,3,3,16]", "f32[2,7,6,16]", "size=3x3",
                                             "b01f_01io->b01f", ", batch_group_count=2"}));
}

}  // namespace
}  // namespace xla
