// Programs of thousands of instructions, in one kernel and in many.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace {

using ::testing::Each;

// v0 is x, and so on: each line is one instruction of f32[100]; the last is the root.
std::string Body(const std::string& parameters, const std::vector<std::string>& lines) {
  std::string text = absl::StrCat("{\n", parameters);
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::StrAppend(&text, i + 1 == lines.size() ? "ROOT " : "", "v", i, " = f32[100] ", lines[i], "\n");
  }
  return absl::StrCat(text, "}\n");
}

// x + y, times y, x + y ...
std::vector<std::string> Chain(int length) {
  std::vector<std::string> lines = {"add(x, y)"};
  while (static_cast<int>(lines.size()) < length) {
    const int last = static_cast<int>(lines.size()) - 1;
    lines.push_back(absl::StrCat(last % 2 == 0 ? "multiply" : "add", "(v", last, ", y)"));
  }
  return lines;
}

constexpr char kTwoParameters[] = "x = f32[100] parameter(0) y = f32[100] parameter(1)\n";

std::vector<float> RunAtLevel(const std::string& text, const std::vector<Literal>& arguments, int level) {
  const auto client = MakeClient();
  CompileOptions options;
  options.optimization_level = level;
  return Floats(OrDie(ExecuteOnLiterals(*CompileText(*client, text, options), arguments)));
}

TEST(LargePrograms, AFusionOfThousands) {
  const std::string text = absl::StrCat("HloModule m\nf ", Body(kTwoParameters, Chain(5000)),
                                        "ENTRY e { a = f32[100] parameter(0) b = f32[100] parameter(1) ROOT r = "
                                        "f32[100] fusion(a, b), kind=kLoop, calls=f }");
  for (const int level : {0, 1}) EXPECT_THAT(RunAtLevel(text, {Ones(100), Ones(100)}, level), Each(2501));
}

TEST(LargePrograms, AChainThatThePassesMayFuse) {
  const std::string text = absl::StrCat("HloModule m\nENTRY e ", Body(kTwoParameters, Chain(10000)));
  EXPECT_THAT(RunAtLevel(text, {Ones(100), Ones(100)}, 1), Each(5001));
}

// The code of each is long.
TEST(LargePrograms, AHundredFunctions) {
  std::vector<std::string> lines = {"sine(x)"};
  for (int i = 1; i < 120; ++i) {
    const char* const functions[] = {"cosine", "tanh", "log-plus-one", "exponential-minus-one"};
    lines.push_back(i % 5 == 0 ? absl::StrCat("multiply(v", i - 1, ", y)")
                               : absl::StrCat(functions[i % 4], "(v", i - 1, ")"));
  }
  const std::string text = absl::StrCat("HloModule m\nENTRY e ", Body(kTwoParameters, lines));
  const std::vector<float> fast = RunAtLevel(text, {Ones(100), Ones(100)}, 0);
  EXPECT_EQ(RunAtLevel(text, {Ones(100), Ones(100)}, 1), fast);
}

TEST(LargePrograms, ThousandsOfParameters) {
  constexpr int kParameters = 3000;
  std::string parameters;
  std::vector<std::string> lines;
  for (int i = 0; i < kParameters; ++i) {
    absl::StrAppend(&parameters, "p", i, " = f32[100] parameter(", i, ")\n");
    if (i > 0) lines.push_back(absl::StrCat("add(", i == 1 ? "p0" : absl::StrCat("v", i - 2), ", p", i, ")"));
  }
  const std::string text = absl::StrCat("HloModule m\nENTRY e ", Body(parameters, lines));
  EXPECT_THAT(RunAtLevel(text, std::vector<Literal>(kParameters, Ones(100)), 1), Each(kParameters));
}

// One kernel for 2,000 of them took most of a minute to compile.
TEST(LargePrograms, AConcatenationOfThousands) {
  constexpr int kCount = 20000;
  std::string text = absl::StrCat("HloModule m\nENTRY e { x = f32[5] parameter(0) y = f32[1] constant({1})\n",
                                  "ROOT r = f32[", 5 * kCount + 1, "] concatenate(y");
  for (int i = 0; i < kCount; ++i) absl::StrAppend(&text, ", x");
  absl::StrAppend(&text, "), dimensions={0} }");
  for (const int level : {0, 1}) EXPECT_THAT(RunAtLevel(text, {Ones(5)}, level), Each(1));
}

}  // namespace
}  // namespace xla
