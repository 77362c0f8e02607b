#include "passes/pipelines.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "gmock/gmock.h"
#include "passes/pass_table.h"
#include "passes/xla_pass_names.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/compare_modules.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A bit of everything that pipelines work on.
constexpr char kProgram[] = R"(HloModule program
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
body { t = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(t), index=0  one = s32[] constant(1)
  n = s32[] add(i, one)  x = f32[4] get-tuple-element(t), index=1  y = f32[4] negate(x)
  ROOT r = (s32[], f32[4]) tuple(n, y) }
condition { t = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(t), index=0  five = s32[] constant(5)
  ROOT c = pred[] compare(i, five), direction=LT }
ENTRY e {
  p = f32[4,8] parameter(0)
  zero = f32[] constant(0)
  rows = f32[4] reduce(p, zero), dimensions={1}, to_apply=add
  start = s32[] constant(0)
  state = (s32[], f32[4]) tuple(start, rows)
  loop = (s32[], f32[4]) while(state), condition=condition, body=body
  last = f32[4] get-tuple-element(loop), index=1
  wide = f32[4,8] broadcast(last), dimensions={0}
  sum = f32[4,8] add(p, wide)
  ROOT result = f32[4,8] exponential(sum)
})";

// ... on several devices: sums of parts and of a loop, and what may go on while they meet.
constexpr char kOnFourDevices[] = R"(HloModule devices, replica_count=2, num_partitions=2
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
plus { a = s32[] parameter(0)  b = s32[] parameter(1)  ROOT s = s32[] add(a, b) }
body { t = (s32[], s32[4], f32[4]) parameter(0)  i = s32[] get-tuple-element(t), index=0  one = s32[] constant(1)
  n = s32[] add(i, one)  k = s32[4] get-tuple-element(t), index=1  x = f32[4] get-tuple-element(t), index=2
  ks = s32[4] broadcast(i), dimensions={}  m = s32[4] multiply(ks, ks)
  all = s32[4] all-reduce(m), replica_groups={}, to_apply=plus  total = s32[4] add(k, all)
  y = f32[4] all-reduce(x), replica_groups={{0,1}}, to_apply=add
  ROOT r = (s32[], s32[4], f32[4]) tuple(n, total, y) }
condition { t = (s32[], s32[4], f32[4]) parameter(0)  i = s32[] get-tuple-element(t), index=0  five = s32[] constant(5)
  ROOT c = pred[] compare(i, five), direction=LT }
ENTRY e {
  p = f32[4,8] parameter(0)
  q = f32[4] parameter(1)
  start = s32[] constant(0)
  k = s32[4] constant({1, 2, 3, 4})
  state = (s32[], s32[4], f32[4]) tuple(start, k, q)
  loop = (s32[], s32[4], f32[4]) while(state), condition=condition, body=body
  last = f32[4] get-tuple-element(loop), index=2
  counts = s32[4] get-tuple-element(loop), index=1
  a = f32[4] all-reduce(q), replica_groups={{0,1}}, to_apply=add
  rows = f32[4,8] sine(p)
  b = f32[4,8] all-reduce(rows), replica_groups={{0,1}}, to_apply=add
  whole = f32[4,8] all-reduce(p), replica_groups={{0,1}}, to_apply=add
  id = u32[] replica-id()
  two = u32[] constant(2)
  at = u32[] multiply(id, two)
  zero = u32[] constant(0)
  part = f32[2,8] dynamic-slice(whole, at, zero), dynamic_slice_sizes={2,8}
  turned = f32[8,4] transpose(p), dimensions={1,0}
  product = f32[4,4] dot(p, turned), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT result = (f32[4], s32[4], f32[4], f32[4,8], f32[2,8], f32[4,4]) tuple(last, counts, a, b, part, product)
})";

TEST(Pipelines, NamePassesThatThereAre) {
  for (const NamedPipeline& pipeline : AllPipelines()) {
    EXPECT_TRUE(CheckSteps(pipeline.steps).ok()) << pipeline.name << ": " << CheckSteps(pipeline.steps);
  }
}

TEST(XlaPassNames, MeanPassesThatThereAre) {
  absl::string_view last;
  for (const XlaPassName& row : XlaPassNames()) {
    EXPECT_NE(FindPass(row.pass), nullptr) << row.xla;
    EXPECT_EQ(FindPass(row.xla), nullptr) << row.xla << " needs no row";
    EXPECT_LT(last, row.xla) << "the rows are sorted";
    last = row.xla;
  }
  EXPECT_EQ(PassOfXlaName("while_loop-unroller"), "unroll-loops");
  EXPECT_EQ(PassOfXlaName("unroller"), "");
  EXPECT_EQ(PassOfXlaName("spmd_partitioner"), "partition");
  EXPECT_THAT(XlaNamesOfPass("simplify-loops"), ElementsAre("simplify-while-loops", "while-loop-simplifier"));
}

void ExpectReasons(const Pipeline& steps) {
  for (const PipelineStep& step : steps) {
    EXPECT_FALSE(step.why.empty()) << step.pass;
    ExpectReasons(step.group);
  }
}

TEST(Pipelines, SayWhyEachStepStandsWhereItDoes) {
  for (const NamedPipeline& pipeline : AllPipelines()) ExpectReasons(pipeline.steps);
}

TEST(Pipelines, AreFoundByName) {
  EXPECT_TRUE(PipelineByName("simplify").ok());
  EXPECT_EQ(PipelineByName("simplyfy").status().message(),
            "unknown pipeline 'simplyfy'; did you mean 'simplify'?; --list-pipelines lists them");
}

class PipelinesOfPrograms : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Pipelines, PipelinesOfPrograms, ::testing::Values(kProgram, kOnFourDevices));

TEST_P(PipelinesOfPrograms, RunAndAreStable) {
  for (const NamedPipeline& pipeline : AllPipelines()) {
    auto module = ParseHloModule(GetParam());
    ASSERT_TRUE(module.ok()) << module.status();
    PassRunnerOptions options;
    options.strict = true;
    PassContext context;
    const auto changed = RunPasses(pipeline.steps, options, context, **module);
    ASSERT_TRUE(changed.ok()) << pipeline.name << ": " << changed.status();
    EXPECT_THAT(context.warnings(), testing::IsEmpty()) << pipeline.name;
    const auto once = CloneModule(**module);
    const auto again = RunPasses(pipeline.steps, options, context, **module);
    ASSERT_TRUE(again.ok()) << pipeline.name << ": " << again.status();
    std::string difference;
    EXPECT_TRUE(ModulesStructurallyEqual(*once, **module, &difference)) << pipeline.name << ": " << difference;
  }
}

// Three layers; gradients of which two are too large to be summed in one meeting.
constexpr char kTrainingStep[] = R"(HloModule step, replica_count=2
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[2048,1100] parameter(0)
  w1 = f32[1100,1100] parameter(1)
  w2 = f32[1100,1100] parameter(2)
  w3 = f32[1100,1100] parameter(3)
  h1 = f32[2048,1100] dot(x, w1), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  h2 = f32[2048,1100] dot(h1, w2), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  error = f32[2048,1100] dot(h2, w3), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e2 = f32[2048,1100] dot(error, w3), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  e1 = f32[2048,1100] dot(e2, w2), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  g1 = f32[1100,1100] dot(x, e1), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  g2 = f32[1100,1100] dot(h1, e2), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  g3 = f32[1100,1100] dot(h2, error), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  sum1 = f32[1100,1100] all-reduce(g1), replica_groups={{0,1}}, to_apply=add
  new1 = f32[1100,1100] subtract(w1, sum1)
  sum2 = f32[1100,1100] all-reduce(g2), replica_groups={{0,1}}, to_apply=add
  new2 = f32[1100,1100] subtract(w2, sum2)
  sum3 = f32[1100,1100] all-reduce(g3), replica_groups={{0,1}}, to_apply=add
  new3 = f32[1100,1100] subtract(w3, sum3)
  ROOT all = (f32[1100,1100], f32[1100,1100], f32[1100,1100]) tuple(new1, new2, new3)
})";

TEST(Pipelines, SumGradientsDuringTheRestOfTheBackwardPass) {
  auto module = ParseHloModule(kTrainingStep);
  ASSERT_TRUE(module.ok()) << module.status();
  PassContext context;
  const auto changed = RunPasses(*PipelineByName("cpu"), PassRunnerOptions(), context, **module);
  ASSERT_TRUE(changed.ok()) << changed.status();
  // The products that run beside each sum.
  std::vector<int> beside;
  absl::flat_hash_map<const HloInstruction*, int> before_start;
  int products = 0;
  for (const auto& instruction : (*module)->entry()->instructions()) {
    if (instruction->opcode() == HloOpcode::kDot) ++products;
    if (instruction->opcode() == HloOpcode::kAllReduceStart) before_start[instruction.get()] = products;
    if (instruction->opcode() == HloOpcode::kAllReduceDone) {
      beside.push_back(products - before_start.at(instruction->operand(0)));
    }
  }
  EXPECT_EQ(products, 8);
  EXPECT_GE(before_start.size(), 2u);
  EXPECT_THAT(beside, testing::Contains(testing::Ge(2)));
}

TEST(Pipelines, AreDescribed) { EXPECT_THAT(DescribePipeline(*PipelineByName("fuse")), HasSubstr("simplify-algebra")); }

}  // namespace
}  // namespace xla
