// hlo-run and hlo-opt on models of NNEF 1, as a user runs them.
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/testing/shell.h"
#include "xla_core/literal_io/npz.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Where the cases really are: Bazel links each file, and a model's files must not be links that lead out of it.
std::string Case(const std::string& file) {
  static const std::string folder =
      std::filesystem::canonical("tests/conformance/nnef1_cases/manifest.json").parent_path().string();
  return absl::StrCat(folder, "/", file);
}

TEST(Nnef1Tools, RunFoldersAndArchives) {
  for (const char* flags : {"", " --backend cpu", " --weights parameter", " --weights constant --threads 2"}) {
    const ShellOutcome folder =
        Shell(absl::StrCat("hlo-run ", Case("add-channel-bias "), Case("add-channel-bias/in.x.dat"), flags));
    EXPECT_EQ(folder.status, 0) << folder.err;
    EXPECT_EQ(folder.out, "y = f32[2,3] {\n  {11, 18, 33},\n  {6, 25, 24}\n}\n") << flags;
    const ShellOutcome archive = Shell(
        absl::StrCat("hlo-run ", Case("packed-model/model.tgz"), " --input x=", Case("packed-model/in.x.dat"), flags));
    EXPECT_EQ(archive.status, 0) << archive.err;
    EXPECT_EQ(archive.out, "y = f32[2] {6, 12}\n") << flags;
  }
  for (const char* flags : {"", " --frontend nnef"}) {
    const ShellOutcome piped =
        Shell(absl::StrCat("hlo-run - ", Case("packed-model/in.x.dat"), flags, " < ", Case("packed-model/model.tgz")));
    EXPECT_EQ(piped.out, "y = f32[2] {6, 12}\n") << piped.err;
  }
  const ShellOutcome description =
      Shell(absl::StrCat("hlo-opt - --to nnef < ", Case("sum-of-two/graph.nnef"), " | hlo-opt - --to text"));
  EXPECT_THAT(description.out, HasSubstr(" add(")) << description.err;
  const ShellOutcome program = Shell("echo 'ENTRY e { ROOT x = f32[] constant(3) }' | hlo-run -");
  EXPECT_EQ(program.status, 0) << program.err;
}

TEST(Nnef1Tools, KeepVariablesFromCycleToCycle) {
  const std::string counter = Case("count-cycles");
  const std::string inputs =
      absl::StrCat(" ", counter, "/in.x.0.dat ", counter, "/in.x.1.dat ", counter, "/in.x.2.dat");
  for (const char* backend : {"interpreter", "cpu"}) {
    const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", counter, inputs, " --backend ", backend));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "old.0 = f32[1] {100}\nold.1 = f32[1] {101}\nold.2 = f32[1] {106}\n");
  }
  const ShellOutcome repeated =
      Shell(absl::StrCat("hlo-run ", counter, " --cycles 4 --input x=", counter, "/in.x.1.dat"));
  EXPECT_THAT(repeated.out, HasSubstr("old.3 = f32[1] {115}"));
  const ShellOutcome uneven = Shell(absl::StrCat("hlo-run ", counter, inputs, " --cycles 2"));
  EXPECT_EQ(uneven.status, 3);
  EXPECT_THAT(uneven.err, HasSubstr("input 'x' is given 3 times, but there are 2 cycles"));
}

TEST(Nnef1Tools, ExchangeTensorFilesAndArrays) {
  const std::string model = Case("add-channel-bias"), input = Case("add-channel-bias/in.x.dat");
  const std::string file = Temporary("y.dat"), npz = Temporary("y.npz");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", model, " ", input, " --output ", file)).status, 0);
  EXPECT_EQ(Contents(file), Contents(Case("add-channel-bias/out.y.dat")));
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", model, " ", input, " --output ", npz)).status, 0);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", model, " ", input, " --compare-with ", npz)).status, 0);
  // An array goes in as well, and by its name. Four rows instead of two.
  const std::string array = Temporary("x.npz");
  auto writer = NpzWriter::Create(array);
  ASSERT_TRUE((*writer)->Add("x", Literal::FromValues<double>({4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, -99, 0, 1})).ok());
  ASSERT_TRUE((*writer)->Commit().ok());
  const ShellOutcome named = Shell(absl::StrCat("hlo-run ", model, " --input ", array));
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_THAT(named.out, AllOf(HasSubstr("y = f32[4,3]"), HasSubstr("{0, 20, 31}")));
  const ShellOutcome wrong = Shell(absl::StrCat("hlo-run ", model, " --input z=", input));
  EXPECT_EQ(wrong.status, 3);
  EXPECT_THAT(wrong.err, HasSubstr("the model has no input 'z'; it takes x"));
}

TEST(Nnef1Tools, TakeFilesForModelsThatAreNamedLikeThem) {
  const auto error = [](const std::string& name, const std::string& contents) {
    return Shell(absl::StrCat("hlo-run ", File(name, contents))).err;
  };
  EXPECT_THAT(error("empty.tgz", ""), HasSubstr("E0: "));
  EXPECT_THAT(error("packed.tar.xz",
                    "\xFD"
                    "7zXZ"),
              HasSubstr("got compressed with xz"));
  EXPECT_THAT(error("second.nnef", "version 2.0;\n"), HasSubstr("second.nnef:1:9: E1: "));
}

TEST(Nnef1Tools, EndAtALimitOfMemoryWhileReading) {
  const std::string folder = Temporary("bomb"), archive = Temporary("bomb.tgz");
  ASSERT_EQ(Shell(absl::StrCat("mkdir ", folder, " && head -c 64M /dev/zero >", folder, "/w.dat && tar -C ", folder,
                               " -czf ", archive, " w.dat"))
                .status,
            0);
  for (const std::string& command : {absl::StrCat("hlo-run ", archive), absl::StrCat("hlo-opt ", archive),
                                     absl::StrCat("hlo-opt ", archive, " --to nnef")}) {
    const ShellOutcome outcome = Shell(absl::StrCat(command, " --max-memory 8M"));
    EXPECT_EQ(outcome.status, 4) << command;
    EXPECT_THAT(outcome.err, HasSubstr("the memory limit leaves 8388608 bytes (while reading the program)")) << command;
    // Without a limit, there is only a wrong model.
    EXPECT_EQ(Shell(command).status, 3) << command;
  }
}

TEST(Nnef1Tools, SayWhatIsWrongWithWhatIsFed) {
  const std::string indexed = Case("bad-fed-index"), vector = absl::StrCat(indexed, "/in.x.dat");
  const auto error = [](const std::string& command) {
    const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", command));
    EXPECT_EQ(outcome.status, 3) << command;
    return outcome.err;
  };
  EXPECT_THAT(error(absl::StrCat(indexed, " --input x=", vector)),
              HasSubstr("E6: input 'i' is not given, but others are; write --input i=FILE"));
  EXPECT_THAT(error(absl::StrCat(indexed, " --input i=", vector)), HasSubstr("E6: input 'i': "));
  EXPECT_THAT(error(absl::StrCat(indexed, " --input x=")), HasSubstr("--input: expected NAME=FILE, got 'x='"));
  EXPECT_THAT(error(absl::StrCat(indexed, " --image x=")), HasSubstr("--image: expected NAME=FILE, got 'x='"));
  EXPECT_THAT(error(absl::StrCat(indexed, " --shape 4,5")), HasSubstr("--shape: expected NAME=EXTENTS"));
  const ShellOutcome unused = Shell(absl::StrCat("hlo-run ", indexed, " --mean 1"));
  EXPECT_EQ(unused.status, 2);
  EXPECT_THAT(unused.err, HasSubstr("are for images; give one with --image"));
}

TEST(Nnef1Tools, TellOfTheTensorsInBetween) {
  const std::string folder = Temporary("activations"), statistics = Temporary("statistics.json");
  const ShellOutcome outcome =
      Shell(absl::StrCat("hlo-run ", Case("add-channel-bias "), Case("add-channel-bias/in.x.dat"), " --dump-all ",
                         folder, " --statistics ", statistics));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "y = f32[2,3] {\n  {11, 18, 33},\n  {6, 25, 24}\n}\n");
  EXPECT_EQ(Contents(folder + "/y.dat"), Contents(Case("add-channel-bias/out.y.dat")));
  EXPECT_EQ(Contents(folder + "/z.dat"), Contents(folder + "/y.dat"));
  const auto json = ParseJson(Contents(statistics), "statistics");
  ASSERT_TRUE(json.ok()) << json.status();
  const JsonValue* const y = json->Find("y");
  ASSERT_NE(y, nullptr);
  EXPECT_EQ(y->Find("count")->AsInt64(), 6);
  EXPECT_EQ(y->Find("min")->AsDouble(), 6);
  EXPECT_EQ(y->Find("max")->AsDouble(), 33);
  EXPECT_EQ(y->Find("mean")->AsDouble(), 19.5);
  EXPECT_NEAR(*y->Find("std")->AsDouble(), 9.032349, 1e-5);
  EXPECT_EQ(y->Find("nan")->AsInt64(), 0);
  EXPECT_NE(json->Find("z"), nullptr);
}

TEST(Nnef1Tools, SayWhatIsWrongWithAModel) {
  for (const char* tool : {"hlo-run ", "hlo-opt "}) {
    const ShellOutcome outcome = Shell(absl::StrCat(tool, Case("bad-integer-for-scalar")));
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("graph.nnef:6:"), HasSubstr("E2.3"))) << outcome.err;
  }
  const std::string bad = Case("bad-fed-index");
  const ShellOutcome index = Shell(absl::StrCat("hlo-run ", bad, " ", bad, "/in.x.dat ", bad, "/in.i.dat"));
  EXPECT_EQ(index.status, 4);
  EXPECT_THAT(index.err, HasSubstr("gather")) << index.err;
  EXPECT_EQ(Shell(absl::StrCat("hlo-run ", ::testing::TempDir())).status, 3);
  const std::string program = File("id.hlo", "ENTRY e { ROOT x = f32[] parameter(0) }");
  EXPECT_EQ(Shell(absl::StrCat("hlo-run --cycles 2 ", program)).status, 2);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run --weights parameter ", program)).status, 2);
  const ShellOutcome refused = Shell(absl::StrCat("hlo-opt --shape x=2 --simulate-quantization ", program));
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "hlo-opt: --shape and --simulate-quantization are for an NNEF model or an NNEF 2 model, not for "
            "a program in HLO\n");
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt --weights constant ", program)).status, 2);
  const std::string model = Case("add-channel-bias");
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt --weights constant --shape x=2,3 --diff ", model, " ", program)).status, 1);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run --shape x=a ", Case("add-channel-bias"))).status, 3);
  EXPECT_EQ(Shell(absl::StrCat("hlo-run --shape q=1,2 ", Case("add-channel-bias"))).status, 3);
}

TEST(Nnef1Tools, PrintTheHloOfAModel) {
  const ShellOutcome text = Shell(absl::StrCat("hlo-opt --shape x=5,3 ", Case("add-channel-bias"), " --to text"));
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("f32[5,3]{1,0} parameter(0)"), HasSubstr(" add("), HasSubstr("constant(")));
  const ShellOutcome parameters = Shell(absl::StrCat("hlo-opt --weights parameter ", Case("add-channel-bias")));
  EXPECT_THAT(parameters.out, HasSubstr("f32[1,3]{1,0} parameter(1)"));
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", Case("count-cycles"), " --pipeline cpu --verify-only")).status, 0);
}

TEST(Nnef1Tools, WriteModels) {
  const std::string folder = Temporary("written"), again = Temporary("written_again");
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", Case("packed-model/model.tgz"), " --to nnef -o ", folder)).status, 0);
  const ShellOutcome outcome = Shell(absl::StrCat("hlo-run ", folder, " ", Case("packed-model/in.x.dat")));
  EXPECT_EQ(outcome.out, "y = f32[2] {6, 12}\n") << outcome.err;
  EXPECT_EQ(Shell(absl::StrCat("hlo-opt ", folder, " --to nnef -o ", again)).status, 0);
  EXPECT_EQ(Contents(folder + "/graph.nnef"), Contents(again + "/graph.nnef"));
  EXPECT_EQ(Contents(folder + "/weights/w.dat"), Contents(again + "/weights/w.dat"));
  const ShellOutcome flat = Shell(absl::StrCat("hlo-opt ", Case("sum-of-two"), " --to nnef"));
  EXPECT_EQ(flat.status, 0) << flat.err;
  EXPECT_THAT(flat.out, AllOf(HasSubstr("version 1.0;"), HasSubstr("add("), ::testing::Not(HasSubstr("fragment"))));
}

TEST(Nnef1Tools, ShowModelsWithOperationsThatAreNotKnown) {
  const std::string model = File("custom.nnef", R"(version 1.0;
extension KHR_enable_fragment_definitions;
fragment mine( x: tensor<scalar>, k: integer = 1 ) -> ( y: tensor<scalar> );
fragment twice( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { z = mine(x); y = mine(z, k = 2); }
graph G(x) -> (y) { x = external(shape = [2]); y = twice(x); }
)");
  const ShellOutcome shown = Shell(absl::StrCat("hlo-opt ", model, " --to nnef"));
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("fragment mine("), HasSubstr("y = mine("), HasSubstr("k = 2);")));
  const ShellOutcome again = Shell(absl::StrCat("hlo-opt - --to nnef < ", File("shown.nnef", shown.out)));
  EXPECT_EQ(again.out, shown.out) << again.err;
  const ShellOutcome run = Shell(absl::StrCat("hlo-run ", model));
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.err, HasSubstr("E3: operation 'mine' is declared without a body"));
}

TEST(Nnef1Tools, WriteProgramsAsModels) {
  const std::string program = File("double.hlo", R"(HloModule m
ENTRY e {
  x = f32[3] parameter(0)
  ROOT y = f32[3] add(x, x)
})");
  const std::string folder = Temporary("doubled");
  const ShellOutcome written = Shell(absl::StrCat("hlo-opt ", program, " --to nnef -o ", folder));
  EXPECT_EQ(written.status, 0) << written.err;
  const std::string random = Shell(absl::StrCat("hlo-run ", program, " --seed 3")).out;
  std::string modelled = Shell(absl::StrCat("hlo-run ", folder, " --seed 3")).out;
  modelled.replace(0, 1, "out0");
  EXPECT_EQ(modelled, random);
  const ShellOutcome refused = Shell(absl::StrCat(
      "hlo-opt --to nnef ", File("cbrt.hlo", "ENTRY e { x = f32[] parameter(0) ROOT y = f32[] cbrt(x) }")));
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("NNEF cannot say this"));
}

}  // namespace
}  // namespace xla
