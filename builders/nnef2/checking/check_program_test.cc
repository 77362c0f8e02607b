#include "builders/nnef2/checking/check_program.h"

#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace xla {
namespace nnef2 {
namespace {

// The modules of a small library: "m" and "loop", which imports itself.
std::shared_ptr<const Source> ReadModule(absl::string_view name) {
  static const auto* const texts = new std::map<std::string, std::string>{
      {"m",
       "operator neg { @dtype { T: num; } @input { x: T[s..]; } @output { y: T[s..]; }\n"
       "@lower { y[i..] = -x[i..], i < s; } }\n"
       "operator _hidden { }\n"},
      {"loop", "import loop;"}};
  const auto found = texts->find(std::string(name));
  if (found == texts->end()) return nullptr;
  return std::make_shared<const Source>(Source{absl::StrCat(name, ".sknd"), found->second, std::string(name)});
}

// "class line:column message", one line for each error.
std::string ErrorsOf(absl::string_view text) {
  Diagnostics diagnostics;
  const auto main = std::make_shared<const Source>(Source{"main.sknd", std::string(text), "main"});
  const std::shared_ptr<const Program> program = Program::Load(main, ReadModule, &diagnostics);
  if (program != nullptr) CheckProgram(*program, &diagnostics);
  std::string errors;
  for (const Diagnostic& error : diagnostics.errors()) {
    absl::StrAppend(&errors, errors.empty() ? "" : "\n", error.error_class.code(), " ", error.position.line, ":",
                    error.position.column, " ", error.message);
  }
  return errors;
}

constexpr absl::string_view kGraph = "graph G { @input { x: real[2]; } @output { y: real[2]; } @compose { y = x; } }";

std::string OperatorErrors(absl::string_view blocks) {
  return ErrorsOf(absl::StrCat("operator op {\n", blocks, "\n}\n", kGraph));
}

std::string GraphErrors(absl::string_view components) {
  return ErrorsOf(absl::StrCat("import m;\ngraph G { @input { x: real[2]; c: bool[]; xs: real[2]..(3); n: int[]; }\n",
                               "@output { y: real; }\n@compose {\n", components, "\n} }"));
}

TEST(CheckProgramTest, AcceptsWhatIsRight) {
  EXPECT_EQ(OperatorErrors("@dtype { T: num; } @attrib { a: int..(d) = 1; f: optional T; }\n"
                           "@input { x: T^(r)[n, 2 * h, s..(d)]; b: optional T[n]; }\n"
                           "@using { t = s * a; [u, v..] = [n, t..]; }\n"
                           "@output { y: T[n, h, v..]; } @assert { a > 0: \"a is {a}\", r; }\n"
                           "@lower { y[i, j, k..] = b[i,] ?? T(0), i < n, j < h, k < v;\n"
                           "y[i, j, k..] += x[i, |2 * j|, k..], i < n, j < h, k < s; }"),
            "");
  EXPECT_EQ(GraphErrors("a = m.neg(x); b = if c then a else { t = m.neg(a); yield t; };\n"
                        "z, zs..(3) = with s = b for t : xs do { u = m.neg(t); yield u, s; };\n"
                        "y = with s = z do..(n) m.neg(s);"),
            "");
}

TEST(CheckProgramTest, LoadsModulesOnceAndWithoutCycles) {
  EXPECT_EQ(ErrorsOf(absl::StrCat("import m, m;\n", kGraph)), "");
  EXPECT_EQ(ErrorsOf(absl::StrCat("import maths;\n", kGraph)), "import 1:8 there is no module 'maths'");
  EXPECT_EQ(ErrorsOf(absl::StrCat("import loop;\n", kGraph)), "import 1:8 module 'loop' imports itself");
  EXPECT_EQ(ErrorsOf("operator op { }"), "graph 0:0 the main module defines no graph");
}

TEST(CheckProgramTest, FindsOperators) {
  EXPECT_EQ(GraphErrors("y = m.negate(x);"), "name 5:5 module 'm' has no operator 'negate'");
  EXPECT_EQ(GraphErrors("y = m._hidden();"), "import 5:5 operator 'm._hidden' is private to its module");
  EXPECT_EQ(GraphErrors("y = math.neg(x);"), "import 5:5 module 'math' is not imported here");
  EXPECT_EQ(ErrorsOf(absl::StrCat("import rand;\n", kGraph)), "import 1:8 there is no module 'rand'");
  EXPECT_EQ(
      ErrorsOf("operator a { @compose { ~ = b(); } } operator b { @compose { ~ = a(); } }\ngraph G { @compose { } }"),
      "name 1:66 'main.a' invokes itself");
}

TEST(CheckProgramTest, ChecksTypesOfInvocations) {
  EXPECT_EQ(GraphErrors("y = m.neg(c);"), "type 5:5 type 'T' of operator 'm.neg' must be a type of kind num, got bool");
  EXPECT_EQ(GraphErrors("y = m.neg<int>(x);"), "type 5:5 type 'T' of operator 'm.neg' is deduced as int and as real");
  EXPECT_EQ(GraphErrors("y = m.neg();"), "arity 5:5 input 'x' of operator 'm.neg' is missing: it has 1 inputs, got 0");
  EXPECT_EQ(GraphErrors("y = m.neg{axis=1}(x);"), "attrib 5:11 operator 'm.neg' has no attribute 'axis'");
  EXPECT_EQ(GraphErrors("y = m.neg(xs);"), "type 5:5 input 'x' of operator 'm.neg' must not be a pack, got real[]..");
  EXPECT_EQ(GraphErrors("y, z = m.neg(x);"), "arity 5:1 expected 2 results, got 1");
}

TEST(CheckProgramTest, ChecksNamesOfComponents) {
  EXPECT_EQ(GraphErrors("z = m.neg(x);"), "name 3:11 output 'y' is not assigned");
  EXPECT_EQ(GraphErrors("y = m.neg(x); y = m.neg(x);"), "name 5:15 'y' is assigned twice");
  EXPECT_EQ(GraphErrors("x = m.neg(x); y = x;"), "name 5:1 'x' is declared and cannot be assigned");
  EXPECT_EQ(GraphErrors("z = l: m.neg(x); y = l: m.neg(z);"), "name 5:22 label 'l' is used twice in a block");
}

TEST(CheckProgramTest, ChecksControlFlow) {
  EXPECT_EQ(GraphErrors("y = if n then x else x;"), "type 5:8 a condition must be a bool, got int[]");
  EXPECT_EQ(GraphErrors("y = with s = x do m.neg(s);"),
            "control 5:1 the loop does not end: it has no 'for', no count and no 'while'");
  EXPECT_EQ(GraphErrors("y = with s = x unroll..(n) m.neg(s);"),
            "control 5:1 a loop with a count that is a tensor cannot be unrolled");
  EXPECT_EQ(GraphErrors("y = with s = x, t = x do..(2) m.neg(s);"),
            "control 5:31 the body of the loop must have a result for each of 2 loop variables, got 1");
  EXPECT_EQ(GraphErrors("y = for t : x do m.neg(t);"), "type 5:13 'for' takes a pack of tensors, got real[]");
}

TEST(CheckProgramTest, FindsTheBindingOrder) {
  EXPECT_EQ(OperatorErrors("@input { x: real[s..(d), t..]; y: real[s..(d)]; } @output { z: real[t..]; }"), "");
  EXPECT_EQ(OperatorErrors("@input { x: real[s.., t..]; } @output { z: real[s..]; }"),
            "binding 2:10 the extents of input 'x' cannot be bound: more than one of its packs has an unknown length");
  EXPECT_EQ(OperatorErrors("@attrib { d: optional int; } @input { x: real[s..(d), t..]; } @output { z: real[s..]; }"),
            "binding 2:39 the extents of input 'x' cannot be bound: more than one of its packs has an unknown length");
}

TEST(CheckProgramTest, ChecksDeclarations) {
  EXPECT_EQ(OperatorErrors("@attrib { a: int = 1; a: int = 2; }"), "name 2:23 'a' is declared twice");
  EXPECT_EQ(OperatorErrors("@attrib { a: optional int = 3; }"),
            "attrib 2:11 optional attribute 'a' must not have a default");
  EXPECT_EQ(OperatorErrors("@attrib { a: real = 'x'; }"), "type 2:21 the default of 'a' must be real, got str");
  EXPECT_EQ(OperatorErrors("@dtype { T: int; }"),
            "type 2:13 the bound of type 'T' must be type, arith or num, got int");
  EXPECT_EQ(OperatorErrors("@input { x: real[s..]; } @output { y: real[s]; }"),
            "pack 2:44 an extent must be an int, got int..");
  EXPECT_EQ(OperatorErrors("@input { x: real[s..]; } @using { a = [1, 2]; b = a + [1, 2, 3]; }"),
            "pack 2:53 packs of different length on the sides of +: 2 and 3");
}

TEST(CheckProgramTest, ChecksWhatIsNotNeeded) {
  EXPECT_EQ(OperatorErrors("@using { a = true ? 2 : 3.0; }"),
            "type 2:19 expected two values of the same type, got int and real");
  EXPECT_EQ(OperatorErrors("@using { a = false && 1; }"), "type 2:20 operator && takes bool, got int");
  EXPECT_EQ(OperatorErrors("@using { a = true || b; }"), "name 2:22 'b' is not declared");
  EXPECT_EQ(OperatorErrors("@using { a = false ? 1 / 0 : 2; b = true || 1 / 0 == 1; }"), "");
}

// Which of its sides a condition takes is not known at the definition. That one of them has no value is then not wrong.
TEST(CheckProgramTest, LetsInvocationsDecideWhatHasNoValue) {
  EXPECT_EQ(OperatorErrors("@attrib { f: bool; o: optional int; }\n"
                           "@using { a = f ? 1 / 0 : 2; b = f && 1 % 0 > 1; c = o ?? [1, 2][2]; d = ?o ? o / 0 : 1;\n"
                           "e = f => 1 / 0 > a + c + d; g = f ? [1, 2][5] : b ? 3 : 4; h = f ? 1 / 0; }\n"
                           "@assert { a > 0: \"{1 / 0}\", 1 / 0; }"),
            "");
  EXPECT_EQ(OperatorErrors("@attrib { f: bool; i: int = 1 / 0; }"), "");
  EXPECT_EQ(OperatorErrors("@attrib { f: bool; } @using { a = f ? 1 / 0 : 1 % 0; }"),
            "value 2:41 division by zero\nvalue 2:49 division by zero");
  EXPECT_EQ(OperatorErrors("@attrib { f: bool; } @using { a = f ? 1 / 0 : 2.0 + 1; }"),
            "type 2:51 both sides of + must have the same type, got real and int");
  EXPECT_EQ(OperatorErrors("@attrib { f: bool; } @using { a = f && 1 / 0; b = f ? [1 / 0] : [2]; c = b + [1, 2]; }"),
            "pack 2:76 packs of different length on the sides of +: 1 and 2");
  EXPECT_EQ(OperatorErrors("@attrib { f: bool; } @input { x: real[n]; } @output { y: real[n]; }\n"
                           "@lower { k = 1 / 0, y[i,] = x[i % 0,], i < n | f; }"),
            "");
  EXPECT_EQ(OperatorErrors("@attrib { f: bool; } @input { x: real[n]; } @output { y: real[n]; }\n"
                           "@lower { y[i,] = real(1 / 0), i < n; }"),
            "value 3:25 division by zero");
}

TEST(CheckProgramTest, LetsInvocationsDecideAboutBranches) {
  const auto errors = [](absl::string_view branch) {
    return OperatorErrors(absl::StrCat("@attrib { f: bool; } @input { x: real[n]; } @output { y: real[n]; }\n",
                                       "@compose { y = ", branch, "; }"));
  };
  EXPECT_EQ(errors("if f then { z = 1 / 0; yield x; } elif 1 / 0 > 1 then x else { yield [x][2]; }"), "");
  EXPECT_EQ(errors("if true then { z = 1 / 0; yield x; } else x"), "value 3:37 division by zero");
  EXPECT_EQ(errors("if false then x else { z = 1 / 0; yield x; }"), "value 3:45 division by zero");
  EXPECT_EQ(errors("if 1 / 0 > 1 then x else x"), "value 3:21 division by zero");
  EXPECT_EQ(errors("if f then { z = 1 / 0; yield x; } else w"), "name 3:55 'w' is not declared");
}

TEST(CheckProgramTest, TypesAndNamesAreInOneSpace) {
  EXPECT_EQ(OperatorErrors("@dtype { T: num; } @attrib { T: int = 1; }"), "name 2:30 'T' is declared twice");
}

TEST(CheckProgramTest, TensorsDoNotHoldStrings) {
  EXPECT_EQ(OperatorErrors("@input { x: str[2]; }"), "type 2:13 a tensor cannot hold strings");
}

TEST(CheckProgramTest, InvocationsDoNotNest) {
  EXPECT_EQ(GraphErrors("y = m.neg(neg(x));"), "syntax 5:11 'neg' is invoked in an expression");
  EXPECT_EQ(OperatorErrors("@using { a = neg(2); }"), "name 2:14 'neg' is not a type");
}

TEST(CheckProgramTest, ChecksLowerings) {
  constexpr absl::string_view kTensors = "@input { x: real[m, n]; b: optional real[n]; } @output { y: real[m, n]; }\n";
  const auto errors = [&](absl::string_view statements) {
    return OperatorErrors(absl::StrCat(kTensors, "@lower { ", statements, " }"));
  };
  EXPECT_EQ(errors("y[i, j] = x[i, j, i], i < m, j < n;"), "rank 3:21 a tensor of rank 2 is accessed by 3 indices");
  EXPECT_EQ(errors("y[i, j] = x[i, j] + b[j,], i < m, j < n;"), "type 3:28 the assigned value may be null");
  EXPECT_EQ(errors("y[i, j] = i, i < m, j < n;"),
            "type 3:20 a value of type int is assigned to an output of type real");
  EXPECT_EQ(errors("y[i, j] := 0.0, i < m, j < n;"), "lower 3:11 'y' is updated by := without an initialization");
  EXPECT_EQ(errors("x[i, j] = 0.0, i < m, j < n;"),
            "lower 3:11 'x' is not an output\nname 2:58 output 'y' is not assigned");
  EXPECT_EQ(errors("y[i, j] = x[k, j], i < m, j < n;"), "name 3:22 'k' is not declared");
  EXPECT_EQ(errors("y[i, j] = b[j] ?? 0.0, i < m, j < n;"),
            "type 3:21 the access of a tensor of one dimension has a comma after its index");
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
