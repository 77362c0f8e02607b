// hlo-run and hlo-opt on WebNN graphs in JSON, as a user runs them.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/testing/shell.h"
#include "xla_core/literal_io/npz.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kDigits[] = "examples/webnn/digits/";

constexpr char kSum[] = R"({
  "inputs": {"x": {"dtype": "float32", "shape": [2], "data": [1, 2]},
             "../y": {"dtype": "float32", "shape": [2], "data": [10, 20]}},
  "operators": [{"op": "add", "args": {"a": {"operand": "x"}, "b": {"operand": "../y"}}, "outputs": ["z"]}],
  "outputs": {"../z": "z"}
})";

std::string Digits(const std::string& flags) {
  return absl::StrCat("hlo-run ", kDigits, "model.webnn.json --input ", kDigits, "images.npz ", flags);
}

TEST(WebnnTools, RunAnExampleWithWeightsBesideIt) {
  for (const char* backend : {"interpreter", "cpu"}) {
    const ShellOutcome outcome =
        Shell(Digits(absl::StrCat("--backend ", backend, " --compare-with ", kDigits, "expected.npz")));
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("probabilities f32[10,10]: 100 elements match"),
                                   HasSubstr("digit s64[10]: 10 elements match")));
  }
}

TEST(WebnnTools, WriteResultsUnderTheirNames) {
  const std::string path = Temporary("digits.npz");
  EXPECT_EQ(Shell(Digits(absl::StrCat("--output ", path))).status, 0);
  const auto results = NpzReader::Open(path);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ(results->Find("probabilities"), 0);
  EXPECT_EQ(results->Find("digit"), 1);
}

TEST(WebnnTools, TakeInputsFromTheFileAndNoPathsFromItsNames) {
  const std::string file = File("sum.webnn.json", kSum);
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", file));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "out0 = f32[2] {11, 22}\n");
  const ShellOutcome random = Shell(absl::StrCat("hlo-run ", kDigits, "model.webnn.json --seed 3 --json"));
  EXPECT_EQ(random.status, 0) << random.err;
  EXPECT_THAT(random.err, HasSubstr("random inputs: --seed 3"));
}

TEST(WebnnTools, CompareWithWhatACaseExpects) {
  const std::string right = R"({"inputs": {"x": {"dtype": "int8", "shape": [1], "data": [-3]}},
      "operators": [{"op": "abs", "args": {"input": {"operand": "x"}}, "outputs": ["y"]}],
      "expected": {"y": {"dtype": "int8", "shape": [1], "data": [3]}}})";
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", File("right.json", right))).status, 0);
  std::string wrong = right;
  wrong.replace(wrong.rfind("[3]"), 3, "[4]");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", File("wrong.json", wrong))).status, 1);
}

TEST(WebnnTools, PrintTheHloOfAGraph) {
  const std::string file = File("sum.webnn.json", kSum);
  const ShellOutcome text = Shell(absl::StrCat("hlo-opt ", file, " --to text"));
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("HloModule"), HasSubstr(" add(")));
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", file, " --pipeline cpu --verify-only")).status, 0);
}

TEST(WebnnTools, ReadAsTheyAreTold) {
  const std::string file = File("sum.webnn.json", kSum);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run --frontend webnn ", file)).status, 0);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run --frontend hlo ", file)).status, 3);
  const ShellOutcome text = Shell(absl::StrCat("hlo-run --frontend webnn ", File("a.hlo", "HloModule m")));
  EXPECT_EQ(text.status, 3);
  EXPECT_THAT(text.err, HasSubstr("not valid JSON"));
  EXPECT_EQ(Shell(absl::StrCat("hlo-run --frontend onnx ", file)).status, 2);
}

TEST(WebnnTools, SayWhereAGraphIsWrong) {
  std::string wrong = kSum;
  wrong.replace(wrong.find("[2]"), 3, "[3]");
  wrong.replace(wrong.find("[1, 2]"), 6, "[1,2,3]");
  const std::string file = File("wrong.webnn.json", wrong);
  for (const char* tool : {"hlo-run ", "hlo-opt "}) {
    const ShellOutcome outcome = Shell(absl::StrCat(tool, file));
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, HasSubstr("wrong.webnn.json: operators[0]: add(float32[3], float32[2]): ")) << outcome.err;
  }
}

TEST(WebnnTools, EndAtALimitOfMemoryWhileReading) {
  const std::string large = File("large.webnn.json", R"({"inputs": {"x": {"dtype": "float32", "shape": [16777216],
      "constant": true, "fill": 1}}, "operators": [{"op": "relu", "args": {"input": {"operand": "x"}},
      "outputs": ["y"]}], "outputs": ["y"]})");
  for (const std::string tool : {"hlo-run ", "hlo-opt "}) {
    const ShellOutcome outcome = Shell(absl::StrCat(tool, large, " --max-memory 8M"));
    EXPECT_EQ(outcome.status, 4) << tool;
    EXPECT_THAT(outcome.err,
                HasSubstr("the arrays of this file take more than 8388608 bytes together (while reading the program)"));
  }
}

}  // namespace
}  // namespace xla
