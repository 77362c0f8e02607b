// hlo-run and hlo-opt on StableHLO, as a user runs them.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/testing/shell.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kTwice[] = R"(module @twice {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
)";

constexpr char kTwo[] = R"(
func.func @one() -> tensor<i32> {
  %c = stablehlo.constant dense<1> : tensor<i32>
  return %c : tensor<i32>
}
func.func @two() -> tensor<i32> {
  %c = stablehlo.constant dense<2> : tensor<i32>
  return %c : tensor<i32>
}
)";

constexpr char kArtifact[] = "builders/stablehlo/tests/artifacts/1.17.0.mlirbc";

TEST(StableHloTools, RunAProgramByItsContent) {
  const std::string file = File("twice.txt", kTwice);
  for (const char* backend : {"interpreter", "cpu"}) {
    const ShellOutcome outcome =
        Shell(absl::StrCat("hlo-run ", file, " --seed 1 --compare-with interpreter --backend ", backend));
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  }
}

TEST(StableHloTools, RunAnArtifactByItsContent) {
  const ShellOutcome outcome =
      Shell(absl::StrCat("hlo-run < ", kArtifact, " - --module constants_a_splat --frontend stablehlo"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "out0 = f32[2,2] {\n  {1.5, 1.5},\n  {1.5, 1.5}\n}\n");
  EXPECT_THAT(Shell(absl::StrCat("hlo-opt --verify-only ", kArtifact)).status, 0);
}

TEST(StableHloTools, SayWhereAnArtifactIsWrong) {
  EXPECT_THAT(
      Shell(absl::StrCat("hlo-run ", File("cut.mlirbc", "ML\xEFR"))).err,
      HasSubstr("cut.mlirbc: offset 4 in the file: expected 1 more byte, found 0; the file may have been cut off"));
}

TEST(StableHloTools, ChooseAmongPublicFunctions) {
  const std::string file = File("two.mlir", kTwo);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run --module two ", file)).out, "out0 = s32[] 2\n");
  EXPECT_NE(Shell(absl::StrCat("hlo-run ", file)).status, 0);
}

TEST(StableHloTools, PrintTheHloOfAProgram) {
  const std::string file = File("twice.mlir", kTwice);
  const ShellOutcome text = Shell(absl::StrCat("hlo-opt ", file, " --to text"));
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("HloModule twice"), HasSubstr(" add("), HasSubstr("source_line=3")));
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", file, " --pipeline cpu --verify-only")).status, 0);
}

// What is written is a program that can be read again.
TEST(StableHloTools, WriteHloAsStableHlo) {
  const std::string file = File("half.hlo",
                                "HloModule half\nENTRY e {\n  p = f32[2] parameter(0)\n  c = f32[] constant(0.5)\n"
                                "  b = f32[2] broadcast(c), dimensions={}\n  ROOT m = f32[2] multiply(p, b)\n}\n");
  const ShellOutcome written = Shell(absl::StrCat("hlo-opt ", file, " --to stablehlo"));
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_THAT(written.out, HasSubstr("%m = stablehlo.multiply %p, %b : tensor<2xf32>"));
  const std::string back = File("half.mlir", written.out);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", back, " --seed 1")).out,
            Shell(absl::StrCat("hlo-run ", file, " --seed 1")).out);
  const std::string lacking = File("bitcast.hlo",
                                   "HloModule m\nENTRY e {\n  p = f32[2] parameter(0)\n"
                                   "  ROOT b = f32[1,2] bitcast(p)\n}\n");
  EXPECT_THAT(Shell(absl::StrCat("hlo-opt ", lacking, " --to stablehlo")).err,
              HasSubstr("b = f32[1,2] bitcast(p): StableHLO does not have this operation"));
}

TEST(StableHloTools, SayWhereAProgramIsWrong) {
  const std::string file = File("wrong.mlir",
                                "func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {\n"
                                "  %0 = \"stablehlo.negate\"(%x) : (tensor<2xf32>) -> tensor<3xf32>\n"
                                "  return %0 : tensor<3xf32>\n}\n");
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-opt --verify-only ", file));
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("wrong.mlir:2"));
  EXPECT_THAT(outcome.err, HasSubstr("negate_c1"));
}

TEST(StableHloTools, ReadAsTheyAreTold) {
  EXPECT_EQ(Shell(absl::StrCat("hlo-run --frontend stablehlo ", File("twice.mlir", kTwice))).status, 0);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run --frontend hlo ", File("twice.mlir", kTwice))).status, 3);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", File("empty.mlir", ""))).status, 3);
}

}  // namespace
}  // namespace xla
