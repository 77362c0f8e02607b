// Fusions of attention: against the evaluator, on any number of threads, and that they are taken by rows.
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "backends/testing/test_programs.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/check/check_inputs.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/literal_io/compare_literals.h"

namespace xla {
namespace {

using ::testing::Contains;

struct AttentionProgramText {
  const char* name;
  const char* operands;  // shapes
  const char* result;
  const char* body;
};

// WEIGHTS: the softmax of %masked. All have scores of 2 x 37 x 75.
constexpr char kSoftmax[] = R"(
  least = f32[] constant(-inf) zero = f32[] constant(0)
  max = f32[2,37] reduce(masked, least), dimensions={2}, to_apply=larger
  maxes = f32[2,37,75] broadcast(max), dimensions={0,1}
  shifted = f32[2,37,75] subtract(masked, maxes)
  exp = f32[2,37,75] exponential(shifted)
  sum = f32[2,37] reduce(exp, zero), dimensions={2}, to_apply=add
  sums = f32[2,37,75] broadcast(sum), dimensions={0,1}
  weights = f32[2,37,75] divide(exp, sums))";

constexpr AttentionProgramText kPrograms[] = {
    {"scaled, causal, of odd sizes", "f32[2,37,5];f32[2,75,5];f32[2,75,3]", "f32[2,37,3]", R"(
  q = f32[2,37,5] parameter(0) k = f32[2,75,5] parameter(1) v = f32[2,75,3] parameter(2)
  s = f32[2,37,75] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  c = f32[] constant(0.5) cs = f32[2,37,75] broadcast(c), dimensions={}
  scaled = f32[2,37,75] multiply(s, cs)
  i = s32[37,75] iota(), iota_dimension=0 j = s32[37,75] iota(), iota_dimension=1
  before = pred[37,75] compare(i, j), direction=GE
  befores = pred[2,37,75] broadcast(before), dimensions={1,2}
  n = f32[] constant(-inf) ns = f32[2,37,75] broadcast(n), dimensions={}
  masked = f32[2,37,75] select(befores, scaled, ns)
  WEIGHTS
  ROOT r = f32[2,37,3] dot(weights, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1})"},

    {"a bias for each key, heads in the middle, and a transposed result",
     "f32[37,2,8];f32[75,2,8];f32[75,2,8];f32[75]", "f32[37,2,8]", R"(
  q = f32[37,2,8] parameter(0) k = f32[75,2,8] parameter(1) v = f32[75,2,8] parameter(2)
  b = f32[75] parameter(3)
  s = f32[2,37,75] dot(q, k), lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  bs = f32[2,37,75] broadcast(b), dimensions={2}
  masked = f32[2,37,75] add(s, bs)
  WEIGHTS
  o = f32[2,37,8] dot(weights, v), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ROOT r = f32[37,2,8] transpose(o), dimensions={1,0,2})"},

    {"bf16 with scores of f32, and a bias for each query", "bf16[2,37,4];bf16[2,75,4];bf16[2,75,4];f32[2,37]",
     "bf16[2,37,4]", R"(
  q = bf16[2,37,4] parameter(0) k = bf16[2,75,4] parameter(1) v = bf16[2,75,4] parameter(2)
  b = f32[2,37] parameter(3)
  s = f32[2,37,75] dot(q, k), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={2}
  bs = f32[2,37,75] broadcast(b), dimensions={0,1}
  masked = f32[2,37,75] add(s, bs)
  WEIGHTS
  narrow = bf16[2,37,75] convert(weights)
  ROOT r = bf16[2,37,4] dot(narrow, v), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1})"},
};

// A custom fusion, which passes leave as it is.
std::string TextOf(const AttentionProgramText& program) {
  const std::string body = absl::StrReplaceAll(program.body, {{"WEIGHTS", kSoftmax}});
  std::string entry;
  std::vector<std::string> names;
  for (const auto shape : absl::StrSplit(program.operands, ';')) {
    names.push_back(absl::StrCat("p", names.size()));
    absl::StrAppend(&entry, "  ", names.back(), " = ", shape, " parameter(", names.size() - 1, ")\n");
  }
  absl::StrAppend(&entry, "  ROOT f = ", program.result, " fusion(", absl::StrJoin(names, ", "),
                  "), kind=kCustom, calls=attention\n");
  return absl::StrCat("HloModule m\n",
                      "larger { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n",
                      "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n",
                      "attention {", body, "\n}\nENTRY e {\n", entry, "}\n");
}

TEST(Attention, AgreesWithTheEvaluatorOnAnyNumberOfThreads) {
  for (const AttentionProgramText& program : kPrograms) {
    SCOPED_TRACE(program.name);
    const std::string text = TextOf(program);
    const auto module = OrDie(ParseHloModule(text));
    MemoryBudget budget;
    const std::vector<Literal> arguments = OrDie(MakeCheckInputs(*module, CheckInputOptions(), &budget))[0];
    const Literal want = OrDie(OrDie(Evaluator::Create(*module))->RunOne(arguments));
    Literal first;
    for (const int threads : {1, 2, 3, 8}) {
      ClientOptions options;
      options.threads = threads;
      const auto client = OrDie(GetClient(kBackend, options));
      const auto compiled = CompileText(*client, text);
      Literal got = OrDie(ExecuteOnLiterals(*compiled, arguments));
      const Comparison comparison = CompareArrays(got, want, DefaultTolerance(want.shape().element_type()));
      EXPECT_TRUE(comparison.matches()) << DescribeComparison("result", comparison, got, want);
      if (threads == 1) {
        first = std::move(got);
      } else {
        EXPECT_EQ(std::memcmp(got.untyped_data(), first.untyped_data(), first.size_bytes()), 0) << threads;
      }
    }
  }
}

TEST(Attention, GoesByRows) {
  const auto client = MakeClient();
  for (const AttentionProgramText& program : kPrograms) {
    const auto compiled = CompileText(*client, TextOf(program));
    std::vector<std::string> kinds;
    for (const PlannedStep& step : compiled->planned_steps()) kinds.push_back(step.kind);
    EXPECT_THAT(kinds, Contains("attention")) << program.name;
  }
}

}  // namespace
}  // namespace xla
