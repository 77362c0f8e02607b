#include "passes/analyses/reachability.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/analyses/printed_analyses.h"
#include "passes/analyses/use_walk.h"

namespace xla {
namespace {

TEST(Reachability, ThroughOperandsAndControlEdges) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  a = f32[] parameter(0)
  b = f32[] negate(a)
  c = f32[] exponential(a)
  d = f32[] tanh(a), control-predecessors={c}
  ROOT r = tuple(b, d)
})");
  const Reachability reachability(*module->entry());
  EXPECT_TRUE(reachability.IsReachable(module.At("a"), module.At("r")));
  EXPECT_TRUE(reachability.IsReachable(module.At("c"), module.At("r")));
  EXPECT_TRUE(reachability.IsReachable(module.At("c"), module.At("c")));
  EXPECT_TRUE(reachability.AreIndependent(module.At("b"), module.At("c")));
  EXPECT_FALSE(reachability.IsReachable(module.At("r"), module.At("a")));
}

// A random graph of additions against the closure computed bit by bit.
TEST(Reachability, AgreesWithTheTransitiveClosure) {
  constexpr int kCount = 200;
  HloModule module("m");
  HloComputation* const entry = module.AddComputation(std::make_unique<HloComputation>("e"));
  std::vector<HloInstruction*> all;
  std::vector<std::vector<bool>> closure;
  uint64_t random = 7;
  for (int i = 0; i < kCount; ++i) {
    const auto opcode = i < 5 ? HloOpcode::kReplicaId : HloOpcode::kAdd;
    auto instruction = std::make_unique<HloInstruction>(opcode, "x" + std::to_string(i), Shape::Scalar(U32));
    closure.emplace_back(kCount, false);
    closure[i][i] = true;
    for (int k = 0; i >= 5 && k < 2; ++k) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const int operand = static_cast<int>((random >> 33) % i);
      instruction->AddOperand(all[operand]);
      for (int j = 0; j < kCount; ++j) closure[i][j] = closure[i][j] || closure[operand][j];
    }
    all.push_back(entry->AddInstruction(std::move(instruction)));
  }
  entry->set_root(all.back());
  const Reachability reachability(*entry);
  for (int i = 0; i < kCount; ++i) {
    for (int j = 0; j < kCount; ++j) {
      ASSERT_EQ(reachability.IsReachable(*all[j], *all[i]), closure[i][j]) << j << " to " << i;
    }
  }
}

TEST(UseWalk, VisitsOnceAndStopsWhereItIsTold) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  a = f32[] parameter(0)
  b = f32[] negate(a)
  c = f32[] add(a, b)
  d = f32[] tanh(c)
  ROOT r = f32[] add(d, b)
})");
  std::vector<std::string> seen;
  WalkUsers({&module.At("a")}, [&](HloInstruction* user) {
    seen.push_back(user->name());
    return user->name() != "c";
  });
  EXPECT_THAT(seen, ::testing::UnorderedElementsAre("b", "c", "r"));
  seen.clear();
  WalkOperands({&module.At("d")}, [&](HloInstruction* operand) {
    seen.push_back(operand->name());
    return true;
  });
  EXPECT_THAT(seen, ::testing::ElementsAre("c", "a", "b"));
  InstructionWorklist worklist;
  worklist.AddUsersOf(module.At("a"));
  worklist.Add(&module.At("b"));
  EXPECT_EQ(worklist.Take(), &module.At("c"));
  EXPECT_EQ(worklist.Take(), &module.At("b"));
  EXPECT_TRUE(worklist.empty());
}

TEST(UseWalk, PrintsUsesAndDepths) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  a = f32[] parameter(0)
  b = f32[] negate(a)
  c = f32[] add(a, a), control-predecessors={b}
  ROOT r = tuple(b, c)
})");
  EXPECT_EQ(*FindPrintedAnalysis("def-use")->Print(*module, nullptr), R"(e: 4 instructions
  a: 0 operands, 3 uses b#0, c#0, c#1
  b: 1 operands, 1 uses r#0
  c: 2 operands, 1 uses r#1
  r: 2 operands, 0 uses, root
)");
  EXPECT_EQ(*FindPrintedAnalysis("reachability")->Print(*module, nullptr), R"(e: 4 instructions in 4 steps
  0 a
  1 b after a
  2 c after a, a, [b]
  3 r after b, c
)");
}

}  // namespace
}  // namespace xla
