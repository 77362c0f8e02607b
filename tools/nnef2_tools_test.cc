// hlo-run and hlo-opt on models of NNEF 2, as a user runs them.
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/testing/shell.h"
#include "xla_core/literal_io/npz.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Where the cases really are: Bazel links each file, and a model's files must not be links that lead out of it.
std::string Case(const std::string& file) {
  static const std::string folder =
      std::filesystem::canonical("tests/conformance/nnef2_cases/manifest.json").parent_path().string();
  return absl::StrCat(folder, "/", file);
}

std::string Arrays(const std::string& name, const std::vector<std::pair<std::string, Literal>>& arrays) {
  const std::string path = Temporary(name);
  auto writer = NpzWriter::Create(path);
  EXPECT_TRUE(writer.ok()) << writer.status();
  for (const auto& array : arrays) EXPECT_TRUE((*writer)->Add(array.first, array.second).ok());
  EXPECT_TRUE((*writer)->Commit().ok());
  return path;
}

// Of rows_that_vary.sknd.
std::string Rows(const std::string& name, int64_t rows, int64_t others) {
  return Arrays(name, {{"x", *Literal::Zeros(Shape::Array(F32, {rows, 2}))},
                       {"z", Literal::FromValues<float>({others}, std::vector<float>(others, 7))}});
}

TEST(Nnef2Tools, RunFilesFoldersAndArchives) {
  const std::string counter = Case("models/count_cycles");
  const std::string five = Arrays("five.npz", {{"x", Literal::FromValues<int32_t>({1}, {5})}});
  const std::string archive = Temporary("counter.tgz"), stored = Temporary("counter.tar");
  ASSERT_EQ(Shell(absl::StrCat("cd ", counter, " && tar -czf ", archive, " . && tar -cf ", stored,
                               " main.CountCycles.count.dat main.sknd steps"))
                .status,
            0);
  for (const std::string& command :
       {absl::StrCat("hlo-run ", counter, " --input ", five), absl::StrCat("hlo-run ", archive, " --input ", five),
        absl::StrCat("hlo-run ", stored, " --input ", five, " --backend cpu"),
        absl::StrCat("hlo-run - --input ", five, " < ", archive),
        absl::StrCat("hlo-run - --input ", five, " --frontend nnef2 --weights parameter < ", stored)}) {
    const ShellOutcome outcome = Shell(command);
    EXPECT_EQ(outcome.status, 0) << command << outcome.err;
    EXPECT_EQ(outcome.out, "old = s32[1] {100}\n") << command;
  }
  const ShellOutcome cycles = Shell(absl::StrCat("hlo-run ", counter, " --cycles 3 --input ", five));
  EXPECT_EQ(cycles.out, "old.0 = s32[1] {100}\nold.1 = s32[1] {105}\nold.2 = s32[1] {110}\n") << cycles.err;
}

TEST(Nnef2Tools, FeedExtentsThatVary) {
  const std::string model = absl::StrCat("hlo-run ", Case("cases/own/rows_that_vary.sknd"));
  const ShellOutcome three = Shell(absl::StrCat(model, " --input ", Rows("three.npz", 3, 3)));
  EXPECT_EQ(three.status, 0) << three.err;
  EXPECT_THAT(three.out, HasSubstr("{7, 7, 7}"));
  const ShellOutcome five = Shell(absl::StrCat(model, " --input ", Rows("five.npz", 5, 5)));
  EXPECT_EQ(five.status, 3);
  EXPECT_THAT(five.err, HasSubstr("runtime-bound: input 'x': expected f32[<=4,2], got f32[5,2]"));
  const ShellOutcome uneven = Shell(absl::StrCat(model, " --input ", Rows("uneven.npz", 3, 2)));
  EXPECT_EQ(uneven.status, 3);
  EXPECT_THAT(uneven.err, HasSubstr("runtime-shape: input 'z': expected extent 3 in dimension 0"));
  const ShellOutcome fixed = Shell(absl::StrCat(model, " --shape x=2,2 --backend cpu --input ", Rows("two.npz", 2, 2)));
  EXPECT_EQ(fixed.out, "y = f32[2] {7, 7}\n") << fixed.err;
  const ShellOutcome unknown = Shell(absl::StrCat(model, " --shape v=2"));
  EXPECT_THAT(unknown.err, HasSubstr("graph: graph 'RowsThatVary' has no input 'v'"));
}

TEST(Nnef2Tools, WriteNoMoreThanWhatVaries) {
  const std::string folder = Temporary("varies"), file = Temporary("varies.dat");
  const std::string run =
      absl::StrCat("hlo-run ", Case("cases/own/rows_that_vary.sknd"), " --input ", Rows("three.npz", 3, 3));
  const ShellOutcome statistics = Shell(absl::StrCat(run, " --dump-all ", folder, " --statistics -"));
  EXPECT_EQ(statistics.status, 0) << statistics.err;
  EXPECT_THAT(statistics.out, AllOf(HasSubstr("\"count\": 3"), HasSubstr("\"min\": 7"))) << statistics.out;
  EXPECT_THAT(statistics.out, Not(HasSubstr("\"count\": 4"))) << statistics.out;
  const ShellOutcome written = Shell(absl::StrCat(run, " --output ", file, " && cmp ", file, " ", folder, "/y.dat"));
  EXPECT_EQ(written.status, 0) << written.err;
  // A header, and three numbers.
  EXPECT_EQ(std::filesystem::file_size(file), 128u + 3 * 4);
}

TEST(Nnef2Tools, ChooseGraphsAndAttributes) {
  const std::string file =
      File("two.sknd",
           "import layout;\n"
           "graph A { @output { y: int[1]; } @compose { y = layout.constant{shape=[1], value=[1]}(); } }\n"
           "graph B { @attrib { n: int; } @output { y: int[2]; }\n"
           "@compose { y = layout.constant{shape=[2], value=n}(); } }\n");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", file)).out, "y = s32[1] {1}\n");
  const ShellOutcome second = Shell(absl::StrCat("hlo-run ", file, " --graph B --attribute n=3*2"));
  EXPECT_EQ(second.out, "y = s32[2] {6, 6}\n") << second.err;
  const auto error = [&](const std::string& flags) { return Shell(absl::StrCat("hlo-run ", file, flags)).err; };
  EXPECT_THAT(error(" --graph B"), HasSubstr("attrib: attribute 'n' of the graph must be given"));
  EXPECT_THAT(error(" --graph C"), HasSubstr("there is no graph 'C'"));
  EXPECT_THAT(error(" --graph B --attribute n"), HasSubstr("--attribute: expected NAME=VALUE"));
  EXPECT_THAT(error(" --graph B --attribute n=k"), HasSubstr("--attribute n: value:1:1: name: "));
}

TEST(Nnef2Tools, CheckAndWarn) {
  const std::string file = File("odd.sknd",
                                "import math, nn;\n"
                                "graph G { @input { x: real[2]; } @output { y: real[2]; } @variable { w: real[2]; }\n"
                                "@compose { y = math.mul(x, w); } }\n");
  const ShellOutcome checked = Shell(absl::StrCat("hlo-opt ", file, " --verify-only"));
  EXPECT_EQ(checked.status, 0) << checked.err;
  EXPECT_EQ(checked.out + checked.err, "");
  const ShellOutcome verbose = Shell(absl::StrCat("hlo-opt ", file, " --verify-only --verbose"));
  EXPECT_EQ(verbose.status, 0);
  EXPECT_THAT(verbose.err, HasSubstr("odd.sknd:1:14: module 'nn' is imported and not used\n"));
  const ShellOutcome converted = Shell(absl::StrCat("hlo-opt ", file));
  EXPECT_EQ(converted.status, 3);
  EXPECT_THAT(converted.err, HasSubstr("variable 'main.G.w' has no data"));
  const ShellOutcome wrong = Shell(absl::StrCat("hlo-opt ", Case("cases/own/integer_for_real.sknd"), " --verify-only"));
  EXPECT_EQ(wrong.status, 3);
  EXPECT_THAT(wrong.err, HasSubstr("integer_for_real.sknd:7:"));
  EXPECT_THAT(wrong.err, HasSubstr(": type: "));
}

TEST(Nnef2Tools, PrintDocumentsAndGraphs) {
  const std::string file = File("messy.sknd",
                                "import math;graph G{@input{x:real[2];}@output{y:real[2];}# done\n"
                                "@compose{t=math.neg(x);y=math.neg(t);}}");
  const ShellOutcome formatted = Shell(absl::StrCat("hlo-opt ", file, " --to sknd"));
  EXPECT_EQ(formatted.status, 0) << formatted.err;
  EXPECT_THAT(formatted.out, AllOf(HasSubstr("    @compose {\n        t = math.neg(x);\n"), HasSubstr("# done")));
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", File("formatted.sknd", formatted.out), " --to sknd")).out, formatted.out);
  const ShellOutcome flat = Shell(absl::StrCat("hlo-opt - --to sknd-flat < ", file));
  EXPECT_EQ(flat.out,
            "graph G\n  input main.G.x: real[2]\n  main.G.t: real[2] = math.neg(main.G.x)\n"
            "  main.G.y: real[2] = math.neg(main.G.t)\n  output main.G.y\n")
      << flat.err;
  const ShellOutcome text = Shell(absl::StrCat("hlo-opt ", file, " --to text"));
  EXPECT_THAT(text.out, AllOf(HasSubstr("negate("), HasSubstr("messy.sknd"))) << text.err;
}

TEST(Nnef2Tools, WriteTensorFiles) {
  const std::string file = File("rows.sknd",
                                "import math;\n"
                                "graph G { @input { x: int[n|3]; } @output { y: int[n]; }\n"
                                "@compose { y = math.neg(x); } }\n");
  const std::string written = Temporary("written.dat");
  const std::string none = Arrays("none.npz", {{"x", *Literal::Zeros(Shape::Array(S32, {0}))}});
  // A result may be empty, and what is written can be fed.
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", file, " --input ", none, " --output ", written));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const ShellOutcome fed = Shell(absl::StrCat("hlo-run ", file, " --input x=", written));
  EXPECT_EQ(fed.status, 0) << fed.err;
  EXPECT_THAT(fed.out, HasSubstr("y = s32[<=3]"));
}

TEST(Nnef2Tools, AskWhichDocumentOfAFolderToRead) {
  const std::string folder = Temporary("both");
  ASSERT_EQ(Shell(absl::StrCat("mkdir ", folder, " && cp ", Case("cases/own/add_channel_bias.sknd "), folder,
                               "/main.sknd && echo 'version 1.0; graph g(x) -> (y) { x = external(shape = [1]); y = "
                               "neg(x); }' > ",
                               folder, "/graph.nnef"))
                .status,
            0);
  const ShellOutcome both = Shell(absl::StrCat("hlo-opt ", folder));
  EXPECT_EQ(both.status, 3);
  EXPECT_THAT(both.err, HasSubstr("say which one to read with --frontend nnef or --frontend nnef2"));
  EXPECT_THAT(Shell(absl::StrCat("hlo-opt ", folder, " --frontend nnef")).out, HasSubstr("negate("));
  EXPECT_THAT(Shell(absl::StrCat("hlo-opt ", folder, " --frontend nnef2")).out,
              AllOf(HasSubstr("add("), Not(HasSubstr("negate("))));
  const ShellOutcome refused = Shell(absl::StrCat("hlo-opt ", folder, " --frontend nnef --graph G"));
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--graph is for an NNEF 2 model, not for an NNEF model"));
}

}  // namespace
}  // namespace xla
