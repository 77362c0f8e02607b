// What an autopsy finds on the CPU backend, with faults that are planted in its steps.
#include "backends/autopsy/autopsy.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "gmock/gmock.h"
#include "tests/autopsy/faulty_client.h"
#include "xla_core/support/files.h"
#include "xla_core/support/folders.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Verdict = AutopsyResult::Verdict;

// x, multiplied with w `count` times. No pass knows the count, and so none unrolls the loop.
constexpr char kLoop[] = R"(HloModule loop
body {
  s = (s32[], f32[64,64], f32[64,64], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[64,64] get-tuple-element(s), index=1
  w = f32[64,64] get-tuple-element(s), index=2
  count = s32[] get-tuple-element(s), index=3
  y = f32[64,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  one = s32[] constant(1)
  n = s32[] add(i, one)
  ROOT r = (s32[], f32[64,64], f32[64,64], s32[]) tuple(n, y, w, count)
}
condition {
  s = (s32[], f32[64,64], f32[64,64], s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  count = s32[] get-tuple-element(s), index=3
  ROOT p = pred[] compare(i, count), direction=LT
}
ENTRY e {
  x = f32[64,64] parameter(0)
  w = f32[64,64] parameter(1)
  count = s32[] parameter(2)
  zero = s32[] constant(0)
  start = (s32[], f32[64,64], f32[64,64], s32[]) tuple(zero, x, w, count)
  loop = (s32[], f32[64,64], f32[64,64], s32[]) while(start), condition=condition, body=body
  ROOT result = f32[64,64] get-tuple-element(loop), index=1
}
)";

// One product among other things.
constexpr char kProduct[] = R"(HloModule product
ENTRY e {
  a = f32[64,64] parameter(0)
  b = f32[64,64] parameter(1)
  t = f32[64,64] tanh(a)
  y = f32[64,64] dot(t, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT s = f32[64,64] sort(y), dimensions={1}, to_apply={ p = f32[] parameter(0) q = f32[] parameter(1) ROOT lt = pred[] compare(p, q), direction=LT }
}
)";

// 64 * 0.1 * 0.1 - 0.64: only roundings are left.
constexpr char kCancelling[] = R"(HloModule cancelling
ENTRY e {
  a = f32[64,64] parameter(0)
  b = f32[64,64] parameter(1)
  y = f32[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[] constant(0.64)
  all = f32[64,64] broadcast(c), dimensions={}
  ROOT left = f32[64,64] subtract(y, all)
}
)";

constexpr char kReciprocal[] = R"(HloModule reciprocal
ENTRY e {
  x = f32[4] parameter(0)
  zero = f32[] constant(0)
  zeros = f32[4] broadcast(zero), dimensions={}
  sum = f32[4] add(x, zeros)
  one = f32[] constant(1)
  ones = f32[4] broadcast(one), dimensions={}
  ROOT r = f32[4] divide(ones, sum)
}
)";

Literal Matrix(float value) { return Literal::FromValues<float>({64, 64}, std::vector<float>(64 * 64, value)); }

std::vector<Literal> LoopArguments() { return {Matrix(1), Matrix(0.03125F), Literal::Scalar<int32_t>(3)}; }

std::shared_ptr<Client> Cpu() {
  ClientOptions options;
  options.threads = 2;
  const auto client = GetClient("cpu", options);
  EXPECT_TRUE(client.ok()) << client.status();
  return *client;
}

std::string Folder(const std::string& name) { return ::testing::TempDir() + "/autopsy_" + name; }

AutopsyResult Autopsy(const char* text, std::vector<Literal> arguments, AutopsyOptions options) {
  const auto module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE(VerifyModule(**module).ok()) << VerifyModule(**module);
  options.flags = "--backend cpu";
  const absl::StatusOr<AutopsyResult> result = RunAutopsy(**module, {std::move(arguments)}, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : AutopsyResult();
}

std::string FileText(const std::string& path) {
  const absl::StatusOr<FileContents> contents = ReadFile(path);
  EXPECT_TRUE(contents.ok()) << contents.status();
  return contents.ok() ? std::string(contents->data()) : "";
}

// Adds to the first element of products, in iteration `wanted`, or in all if that is negative.
Fault InProducts(float error, int64_t wanted) {
  return [=](const FaultyMoment& moment, Literal& result) {
    const bool is_product = moment.instruction.opcode() == HloOpcode::kDot;
    const bool is_meant = is_product && (wanted < 0 || moment.iteration == wanted);
    if (is_meant) result.mutable_data<float>()[0] += error;
  };
}

TEST(Autopsy, FindsNoDifferenceAndLeavesNoFolder) {
  AutopsyOptions options;
  options.client = Cpu();
  options.folder = Folder("same");
  const AutopsyResult result = Autopsy(kLoop, LoopArguments(), options);
  EXPECT_EQ(result.verdict, Verdict::kNoDifference);
  EXPECT_EQ(result.text, "verdict: no difference\n\nbackend cpu and the interpreter agree\n");
  EXPECT_FALSE(ReadFile(options.folder + "/verdict.txt").ok());
}

TEST(Autopsy, RemovesWhatAnEarlierOneHasLeftAndNothingElse) {
  AutopsyOptions options;
  options.folder = Folder("earlier");
  options.client = MakeFaultyClient(Cpu(), InProducts(1, /*wanted=*/-1));
  EXPECT_EQ(Autopsy(kProduct, {Matrix(1), Matrix(0.5)}, options).verdict, Verdict::kStep);
  EXPECT_TRUE(WriteFile(options.folder + "/mine.txt", "mine").ok());
  options.client = Cpu();
  EXPECT_EQ(Autopsy(kProduct, {Matrix(1), Matrix(0.5)}, options).verdict, Verdict::kNoDifference);
  EXPECT_FALSE(ReadFile(options.folder + "/module.hlo").ok());
  EXPECT_EQ(FileText(options.folder + "/mine.txt"), "mine");
}

TEST(Autopsy, LeavesAnEmptyFolderThatItHasNotMade) {
  AutopsyOptions options;
  options.client = Cpu();
  options.folder = Folder("empty");
  ASSERT_TRUE(MakeFolder(options.folder).ok());
  EXPECT_EQ(Autopsy(kProduct, {Matrix(1), Matrix(0.5)}, options).verdict, Verdict::kNoDifference);
  EXPECT_TRUE(WriteFile(options.folder + "/mine.txt", "mine").ok());
}

TEST(Autopsy, SaysThatResultsChangeBetweenRuns) {
  AutopsyOptions options;
  // Wrong in the first run only.
  auto runs = std::make_shared<int>(0);
  options.client = MakeFaultyClient(Cpu(), [runs](const FaultyMoment& moment, Literal& result) {
    const bool is_product = moment.instruction.opcode() == HloOpcode::kDot && moment.how == FaultyMoment::How::kRun;
    if (is_product && (*runs)++ == 0) result.mutable_data<float>()[0] += 1;
  });
  const AutopsyResult result = Autopsy(kProduct, {Matrix(1), Matrix(0.5)}, options);
  EXPECT_EQ(result.verdict, Verdict::kChangesBetweenRuns) << result.text;
  EXPECT_THAT(result.text, HasSubstr("changed between runs: 4 of 4 more have other results"));
}

TEST(Autopsy, WritesWhatIsKnownWhenItsTimeIsOver) {
  ResourceLimits limits;
  limits.timeout = absl::ZeroDuration();
  const ResourceContext resources(limits, "looking");
  AutopsyOptions options;
  options.client = Cpu();
  options.folder = Folder("late");
  options.resources = &resources;
  const auto module = ParseHloModule(kProduct);
  ASSERT_TRUE(VerifyModule(**module).ok());
  const absl::Status status = RunAutopsy(**module, {{Matrix(1), Matrix(0.5)}}, options).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_THAT(FileText(options.folder + "/verdict.txt"),
              StartsWith("verdict: not finished, stopped while beginning: "));
}

TEST(Autopsy, NamesTheStepAndItsIteration) {
  AutopsyOptions options;
  options.client = MakeFaultyClient(Cpu(), InProducts(1, /*wanted=*/1));
  options.folder = Folder("iteration");
  const AutopsyResult result = Autopsy(kLoop, LoopArguments(), options);
  EXPECT_EQ(result.verdict, Verdict::kStep);
  EXPECT_EQ(result.instruction, "y");
  EXPECT_THAT(result.text, AllOf(StartsWith("verdict: a step of the compiled program computes something else"),
                                 HasSubstr("iteration 1 of loop"), HasSubstr("at {0,0}: got 5, expected 4"),
                                 HasSubstr("module.hlo alone does not show the fault")));
  EXPECT_EQ(FileText(options.folder + "/verdict.txt"), result.text);
}

TEST(Autopsy, CutsDownTheProgramThatShowsIt) {
  AutopsyOptions options;
  options.client = MakeFaultyClient(Cpu(), InProducts(1, /*wanted=*/-1));
  options.folder = Folder("cut");
  const AutopsyResult result = Autopsy(kProduct, {Matrix(1), Matrix(0.5)}, options);
  EXPECT_EQ(result.verdict, Verdict::kStep);
  EXPECT_EQ(result.instruction, "y");
  const std::string module = FileText(options.folder + "/module.hlo");
  EXPECT_THAT(module, AllOf(HasSubstr(" dot("), Not(HasSubstr("sort")), Not(HasSubstr("tanh"))));
  EXPECT_THAT(result.text, HasSubstr("--compare-with " + options.folder + "/expected.npz"));
  EXPECT_NE(FileText(options.folder + "/inputs.npz"), "");
  EXPECT_NE(FileText(options.folder + "/expected.npz"), "");
}

TEST(Autopsy, ExplainsRounding) {
  AutopsyOptions options;
  options.client = MakeFaultyClient(Cpu(), [](const FaultyMoment&, Literal& result) {
    if (result.shape().rank() == 2) result.mutable_data<float>()[0] += 6e-8F;
  });
  options.folder = Folder("rounding");
  const AutopsyResult result = Autopsy(kCancelling, {Matrix(0.1F), Matrix(0.1F)}, options);
  EXPECT_EQ(result.verdict, Verdict::kRounding) << result.text;
  EXPECT_THAT(result.text, StartsWith("verdict: rounding explains the difference"));
}

TEST(Autopsy, NamesThePassAndItsRule) {
  AutopsyOptions options;
  options.client = Cpu();
  options.compile.settings["fast-math"] = "no-signed-zeros";
  options.folder = Folder("pass");
  const AutopsyResult result = Autopsy(kReciprocal, {Literal::FromValues<float>({4}, {1, 2, -0.0F, 4})}, options);
  EXPECT_EQ(result.verdict, Verdict::kPass) << result.text;
  EXPECT_EQ(result.pass, "simplify-algebra");
  EXPECT_THAT(result.rewrite, HasSubstr("add-any-zero"));
  EXPECT_THAT(result.text, HasSubstr("hlo-opt " + options.folder + "/module.hlo"));
}

}  // namespace
}  // namespace xla
