#include "builders/nnef2/checking/lint_program.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Lint(const std::string& text) {
  Diagnostics diagnostics;
  const auto main = std::make_shared<const Source>(Source{"main.sknd", text, "main"});
  const std::shared_ptr<const Program> program = Program::Load(main, /*reader=*/nullptr, &diagnostics);
  EXPECT_NE(program, nullptr) << diagnostics.ToStatus();
  return program == nullptr ? std::vector<std::string>() : LintProgram(*program);
}

TEST(LintProgram, FindsWhatNothingUses) {
  EXPECT_THAT(Lint("import math, nn;\n"
                   "graph G {\n"
                   "    @attrib { n: int = 1; }\n"
                   "    @input { x: real[2]; }\n"
                   "    @output { y: real; }\n"
                   "    @compose { y = f{a=1,b=2,c=3}(x); z = math.neg(x); }\n"
                   "}\n"
                   "operator f {\n"
                   "    @attrib { a: int; b: int; c: int; }\n"
                   "    @input { x: real[s..(d)]; }\n"
                   "    @output { y: real[s..]; }\n"
                   "    @using { h = a; k = d; [l, m..] = s; }\n"
                   "    @assert { b > 0: 'b is {k}', m; }\n"
                   "    @lower { y[i..] = x[i..], i < s; }\n"
                   "}\n"),
              ElementsAre("main.sknd:1:14: module 'nn' is imported and not used",
                          "main.sknd:3:15: attribute 'n' is not used", "main.sknd:9:31: attribute 'c' is not used",
                          "main.sknd:12:14: helper 'h' is not used", "main.sknd:12:29: helper 'l' is not used"));
}

TEST(LintProgram, LeavesAttributesOfIntrinsicsAlone) {
  EXPECT_THAT(Lint("operator f { @attrib { a: int; } @input { x: real[2]; } @output { y: real[2]; } }\n"
                   "graph G { @input { x: real[2]; } @output { y: real; } @compose { y = f{a=1}(x); } }"),
              ElementsAre());
}

TEST(LintProgram, FindsLogicThatReadersMayTakeOtherwise) {
  const auto lint = [](const std::string& condition) {
    return Lint(
        "graph G { @attrib { a: bool; b: bool; c: bool; } @input { x: real[2]; } @output { y: real; }\n"
        "@assert { " +
        condition + "; } @compose { y = x; } }");
  };
  EXPECT_THAT(lint("a || b && c"),
              ElementsAre("main.sknd:2:18: && and || bind alike, from left to right; write parentheses"));
  EXPECT_THAT(lint("a || (b && c)"), ElementsAre());
  EXPECT_THAT(lint("a && b && c"), ElementsAre());
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
