// Large and deep modules: the work of every pass of this folder, and of some that handle loops and conditionals, is
// proportional to the module.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/analyses/side_effects.h"
#include "passes/base/pass_context.h"
#include "passes/cleaning/may_copy.h"
#include "passes/cleaning/step_evaluator.h"
#include "passes/pass_runner.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::MatchesRegex;

// All of them together take a second or two; one that looked at pairs of 40,000 instructions and operands would not get
// by with this.
constexpr absl::Duration kLimit = absl::Seconds(60);

constexpr char kAllPasses[] =
    "remove-dead-code,merge-equal,fold-constants,simplify-tuples,inline-calls,flatten-call-graph,remove-barriers,"
    "remove-zero-sized,remove-dead-collectives,remove-no-ops,share-constants,dissolve-small-fusions,unfuse";

// Instructions that are left of the module, after the passes.
int64_t CountAfter(const std::string& text, const std::string& passes) {
  auto module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  const auto pipeline = ParsePasses(passes);
  EXPECT_TRUE(pipeline.ok()) << pipeline.status();
  if (!module.ok() || !pipeline.ok()) return -1;
  PassContext context;
  const absl::Time start = absl::Now();
  const auto changed = RunPasses(*pipeline, PassRunnerOptions(), context, **module);
  EXPECT_TRUE(changed.ok()) << changed.status();
  EXPECT_LT(absl::Now() - start, kLimit);
  return (*module)->instruction_count();
}

TEST(LargeModulesTest, LongChainsOfDeadAndEqualInstructions) {
  std::string text = "HloModule m\nENTRY e {\n  sum0 = f32[4] parameter(0)\n  dead0 = f32[4] negate(sum0)\n";
  constexpr int kLength = 10000;
  for (int i = 1; i <= kLength; ++i) {
    absl::StrAppend(&text, "  left", i, " = f32[4] negate(sum", i - 1, ")\n  right", i, " = f32[4] negate(sum", i - 1,
                    ")\n  dead", i, " = f32[4] exponential(dead", i - 1, ")\n  sum", i, " = f32[4] add(left", i,
                    ", right", i, ")\n");
  }
  absl::StrAppend(&text, "  ROOT r = f32[4] tanh(sum", kLength, ")\n}\n");
  EXPECT_EQ(CountAfter(text, "remove-dead-code"), 3 * kLength + 2);
  // The first dead instruction is equal to a live one.
  EXPECT_EQ(CountAfter(text, "merge-equal"), 3 * kLength + 2);
  EXPECT_EQ(CountAfter(text, kAllPasses), 2 * kLength + 2);
}

// A fusion that adds up its operands.
std::string SumInFusion(int operands) {
  std::string body;
  std::string parameters;
  std::vector<std::string> names;
  for (int i = 0; i < operands; ++i) {
    absl::StrAppend(&body, "  x.", i, " = f32[4] parameter(", i, ")\n");
    absl::StrAppend(&parameters, "  p.", i, " = f32[4] parameter(", i, ")\n");
    names.push_back(absl::StrCat("p.", i));
  }
  std::string sum = "x.0";
  for (int i = 1; i < operands; ++i) {
    absl::StrAppend(&body, i + 1 == operands ? "  ROOT " : "  ", "y.", i, " = f32[4] add(", sum, ", x.", i, ")\n");
    sum = absl::StrCat("y.", i);
  }
  return absl::StrCat("HloModule m\nf {\n", body, "}\nENTRY e {\n", parameters, "  ROOT r = f32[4] fusion(",
                      absl::StrJoin(names, ", "), "), kind=kLoop, calls=f\n}\n");
}

TEST(LargeModulesTest, FusionsOfHundredsOfArraysAreDissolved) {
  EXPECT_EQ(CountAfter(SumInFusion(200), "dissolve-small-fusions"), 3 * 200);
  EXPECT_EQ(CountAfter(SumInFusion(300), "dissolve-small-fusions"), 2 * 300 - 1);
}

TEST(LargeModulesTest, ManyUsersOfOneValueAndWideTuples) {
  constexpr int kWidth = 10000;
  std::string text = "HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n";
  std::string names;
  std::string shape;
  for (int i = 0; i < kWidth; ++i) {
    absl::StrAppend(&text, "  factor", i, " = f32[] constant(", i, ")\n  product", i, " = f32[] multiply(p, factor", i,
                    ")\n");
    absl::StrAppend(&names, i == 0 ? "" : ", ", "product", i);
    absl::StrAppend(&shape, i == 0 ? "" : ", ", "f32[]");
  }
  absl::StrAppend(&text, "  t = (", shape, ") tuple(", names, ")\n  b = (", shape, ") opt-barrier(t)\n");
  std::string sum = "p";
  for (int i = 0; i < kWidth; i += 2) {
    absl::StrAppend(&text, "  element", i, " = f32[] get-tuple-element(b), index=", i, "\n  sum", i, " = f32[] add(",
                    sum, ", element", i, ")\n");
    sum = absl::StrCat("sum", i);
  }
  absl::StrAppend(&text, "  ROOT r = f32[] negate(", sum, ")\n}\n");
  // Of each second element: the constant, the product, the element after the barrier, the sum; and p, t, b, r.
  EXPECT_EQ(CountAfter(text, "remove-dead-code"), 2 * kWidth + 4);
  // The barrier goes, and with it elements of tuples.
  EXPECT_EQ(CountAfter(text, absl::StrCat(kAllPasses, ",simplify-tuples")), 3 * kWidth / 2 + 2);
}

TEST(LargeModulesTest, ManyElementsOfTheStateOfALoop) {
  constexpr int kWidth = 2000;
  std::string shape = "(s32[]";
  for (int i = 0; i < kWidth; ++i) absl::StrAppend(&shape, ", f32[]");
  absl::StrAppend(&shape, ")");
  std::string text =
      absl::StrCat("HloModule m\ncondition {\n  s = ", shape,
                   " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(3)\n"
                   "  ROOT go = pred[] compare(i, n), direction=LT\n}\nbody {\n  s = ",
                   shape,
                   " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  one = s32[] constant(1)\n"
                   "  next = s32[] add(i, one)\n");
  std::string results = "next";
  std::string initial = "zero";
  for (int i = 1; i <= kWidth; ++i) {
    // Each element needs the one after it, except for the last.
    absl::StrAppend(&text, "  e", i, " = f32[] get-tuple-element(s), index=", i, "\n");
  }
  for (int i = 1; i <= kWidth; ++i) {
    absl::StrAppend(&text, "  n", i, " = f32[] add(e", i, ", e", i == kWidth ? i : i + 1, ")\n");
    absl::StrAppend(&results, ", n", i);
    absl::StrAppend(&initial, ", p");
  }
  absl::StrAppend(&text, "  ROOT t = ", shape, " tuple(", results, ")\n}\nENTRY e {\n  p = f32[] parameter(0)\n",
                  "  zero = s32[] constant(0)\n  init = ", shape, " tuple(", initial, ")\n  w = ", shape,
                  " while(init), condition=condition, body=body\n");
  const std::string first = absl::StrCat(text, "  ROOT r = f32[] get-tuple-element(w), index=1\n}\n");
  const std::string last = absl::StrCat(text, "  ROOT r = f32[] get-tuple-element(w), index=", kWidth, "\n}\n");
  EXPECT_EQ(CountAfter(first, "remove-dead-code"), 2 * kWidth + 14);
  EXPECT_EQ(CountAfter(last, "remove-dead-code"), 2 + 14);
}

TEST(LargeModulesTest, ManyConstantsInTheStateOfALoop) {
  constexpr int kWidth = 20000;
  std::string shape = "(s32[], f32[]";
  for (int i = 0; i < kWidth; ++i) absl::StrAppend(&shape, ", f32[]");
  absl::StrAppend(&shape, ")");
  std::string text =
      absl::StrCat("HloModule m\ncondition {\n  s = ", shape,
                   " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  n = s32[] constant(3)\n"
                   "  ROOT go = pred[] compare(i, n), direction=LT\n}\nbody {\n  s = ",
                   shape,
                   " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n  one = s32[] constant(1)\n"
                   "  next = s32[] add(i, one)\n  sum0 = f32[] get-tuple-element(s), index=1\n");
  std::string handed_on;
  std::string constants;
  std::string initial;
  for (int i = 1; i <= kWidth; ++i) {
    absl::StrAppend(&text, "  e", i, " = f32[] get-tuple-element(s), index=", i + 1, "\n  sum", i, " = f32[] add(sum",
                    i - 1, ", e", i, ")\n");
    absl::StrAppend(&handed_on, ", e", i);
    absl::StrAppend(&constants, "  k", i, " = f32[] constant(", i, ")\n");
    absl::StrAppend(&initial, ", k", i);
  }
  absl::StrAppend(&text, "  ROOT t = ", shape, " tuple(next, sum", kWidth, handed_on,
                  ")\n}\nENTRY e {\n  p = f32[] parameter(0)\n  zero = s32[] constant(0)\n", constants,
                  "  init = ", shape, " tuple(zero, p", initial, ")\n  ROOT w = ", shape,
                  " while(init), condition=condition, body=body\n}\n");
  // In the body an element that is passed on, its constant and a sum; outside another constant.
  EXPECT_EQ(CountAfter(text, "simplify-loops"), 4 * kWidth + 14);
}

TEST(LargeModulesTest, ManyResultsOfAConditional) {
  // Both branches do the same last, twice: on each result.
  constexpr int kWidth = 20000;
  const auto branch = [&](const std::string& name, const std::string& shape, const std::string& first) {
    std::string text = absl::StrCat(name, " {\n  p = f32[4] parameter(0)\n");
    std::string results;
    for (int i = 0; i < kWidth; ++i) {
      absl::StrAppend(&text, "  constant", i, " = f32[4] constant({", i, ", 1, 2, 3})\n  own", i, " = f32[4] ", first,
                      "(p, constant", i, ")\n  sine", i, " = f32[4] sine(own", i, ")\n  result", i,
                      " = f32[4] exponential(sine", i, ")\n");
      absl::StrAppend(&results, i == 0 ? "" : ", ", "result", i);
    }
    return absl::StrCat(text, "  ROOT t = ", shape, " tuple(", results, ")\n}\n");
  };
  std::string shape = "(f32[4]";
  for (int i = 1; i < kWidth; ++i) absl::StrAppend(&shape, ", f32[4]");
  absl::StrAppend(&shape, ")");
  const std::string text =
      absl::StrCat("HloModule m\n", branch("on_true", shape, "add"), branch("on_false", shape, "multiply"),
                   "ENTRY e {\n  s = pred[] parameter(0)\n  p = f32[4] parameter(1)\n  ROOT c = ", shape,
                   " conditional(s, p, p), true_computation=on_true, false_computation=on_false\n}\n");
  // Of each result: a constant and an operation in both branches, then the element, its sine and exponential.
  // Parameters and roots of three computations, and the conditional.
  EXPECT_EQ(CountAfter(text, "hoist-common-code"), 7 * kWidth + 8);
}

TEST(LargeModulesTest, DeepCallsOfWhatIsCalledTwice) {
  // Inlined to the end this would have 2^1000 instructions.
  constexpr int kDepth = 1000;
  std::string text = "HloModule m\nfn0 {\n  x = f32[] parameter(0)\n  ROOT n = f32[] negate(x)\n}\n";
  for (int i = 1; i <= kDepth; ++i) {
    absl::StrAppend(&text, "fn", i, " {\n  x = f32[] parameter(0)\n  y = f32[] call(x), to_apply=fn", i - 1,
                    "\n  ROOT z = f32[] call(y), to_apply=fn", i - 1, "\n}\n");
  }
  absl::StrAppend(&text, "ENTRY e {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=fn", kDepth, "\n}\n");
  EXPECT_EQ(CountAfter(text, "remove-dead-code,merge-equal,simplify-tuples,fold-constants"), 3 * kDepth + 4);
  EXPECT_LT(CountAfter(text, "inline-calls:max-instructions=100"), 100 * kDepth);
}

// 60 computations, each of which runs the next one twice: written out to the end they have 2^60 instructions. `run` is
// the instruction that does it.
std::string TwiceAtEachLevel(const std::function<std::string(const char* argument, const std::string& callee)>& run) {
  constexpr int kDepth = 60;
  std::string text =
      "HloModule m\nnever {\n x = f32[] parameter(0)\n ROOT n = f32[] cosine(x)\n}\nfn0 {\n x = f32[] parameter(0)\n"
      " ROOT n = f32[] sine(x)\n}\n";
  for (int i = 1; i <= kDepth; ++i) {
    const std::string callee = absl::StrCat("fn", i - 1);
    absl::StrAppend(&text, "fn", i, " {\n x = f32[] parameter(0)\n y = f32[] ", run("x", callee), "\n ROOT z = f32[] ",
                    run("y", callee), "\n}\n");
  }
  return absl::StrCat(text, "ENTRY e {\n p = f32[] parameter(0)\n ROOT r = f32[] call(p), to_apply=fn", kDepth,
                      "\n}\n");
}

std::string Call(const char* argument, const std::string& callee) {
  return absl::StrCat("call(", argument, "), to_apply=", callee);
}

TEST(LargeModulesTest, CopiesOfWhatIsCalledTwiceHaveABudget) {
  const std::string text = TwiceAtEachLevel(Call);
  EXPECT_LE(CountAfter(text, "inline-calls:max-instructions=1000000"), 50000);
}

TEST(LargeModulesTest, CopiesOfBranchesHaveABudget) {
  const std::string text = TwiceAtEachLevel([](const char* argument, const std::string& callee) {
    return absl::StrCat("conditional(pred[] constant(true), ", argument, ", ", argument, "), true_computation=", callee,
                        ", false_computation=never");
  });
  EXPECT_LE(CountAfter(text, "simplify-conditionals"), 50000);
  // The limit is that of all passes together: the second one does not multiply what the first one left.
  EXPECT_LE(CountAfter(text, "simplify-conditionals,inline-calls,simplify-conditionals:max-bytes=1"), 50000);
}

// A copy holds what its original computes, not the selectors of conditionals that have gone from it.
TEST(LargeModulesTest, CopiesOfEqualBranchesStaySmall) {
  constexpr int kDepth = 2000;
  std::string text =
      "HloModule m\nfn0 {\n p = (pred[], f32[]) parameter(0)\n x = f32[] get-tuple-element(p), index=1\n"
      " ROOT r = f32[] sine(x)\n}\n";
  for (int i = 1; i <= kDepth; ++i) {
    absl::StrAppend(
        &text, "fn", i, " {\n p = (pred[], f32[]) parameter(0)\n c = pred[] get-tuple-element(p), index=0\n",
        " ROOT r = f32[] conditional(c, p, p), true_computation=fn", i - 1, ", false_computation=fn", i - 1, "\n}\n");
  }
  absl::StrAppend(&text, "ENTRY e {\n p = (pred[], f32[]) parameter(0)\n ROOT r = f32[] call(p), to_apply=fn", kDepth,
                  "\n}\n");
  EXPECT_EQ(CountAfter(text, "simplify-conditionals"), 2 + 3);
}

TEST(LargeModulesTest, CopiesOfBodiesOfLoopsHaveABudget) {
  constexpr int kDepth = 60;
  std::string text =
      "HloModule m\nonce {\n s = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
      " ROOT go = pred[] compare(i, s32[] constant(1)), direction=LT\n}\nfn0 {\n s = (s32[], f32[]) parameter(0)\n"
      " i = s32[] get-tuple-element(s), index=0\n v = f32[] get-tuple-element(s), index=1\n"
      " n = s32[] add(i, s32[] constant(1))\n w = f32[] sine(v)\n ROOT t = (s32[], f32[]) tuple(n, w)\n}\n";
  for (int i = 1; i <= kDepth; ++i) {
    const std::string loop = absl::StrCat("), condition=once, body=fn", i - 1, "\n");
    absl::StrAppend(&text, "fn", i,
                    " {\n s = (s32[], f32[]) parameter(0)\n i = s32[] get-tuple-element(s), index=0\n"
                    " v = f32[] get-tuple-element(s), index=1\n zero = s32[] constant(0)\n"
                    " first = (s32[], f32[]) tuple(zero, v)\n w1 = (s32[], f32[]) while(first",
                    loop,
                    " v1 = f32[] get-tuple-element(w1), index=1\n second = (s32[], f32[]) tuple(zero, v1)\n"
                    " w2 = (s32[], f32[]) while(second",
                    loop,
                    " v2 = f32[] get-tuple-element(w2), index=1\n n = s32[] add(i, s32[] constant(1))\n"
                    " ROOT t = (s32[], f32[]) tuple(n, v2)\n}\n");
  }
  absl::StrAppend(&text, "ENTRY e {\n p = (s32[], f32[]) parameter(0)\n ROOT r = (s32[], f32[]) call(p), to_apply=fn",
                  kDepth, "\n}\n");
  EXPECT_LE(CountAfter(text, "simplify-loops"), 50000);
  EXPECT_LE(CountAfter(text, "unroll-loops:max-instructions=1000000"), 50000);
}

TEST(LargeModulesTest, LargeProgramsMayGrowByAFactor) {
  // 20,000 calls of 9,000 instructions.
  std::string text = "HloModule m\nf {\n x0 = f32[] parameter(0)\n";
  for (int i = 1; i <= 9000; ++i) absl::StrAppend(&text, " x", i, " = f32[] sine(x", i - 1, ")\n");
  absl::StrAppend(&text, " ROOT r = f32[] negate(x9000)\n}\nENTRY e {\n y0 = f32[] parameter(0)\n");
  for (int i = 1; i <= 20000; ++i) absl::StrAppend(&text, " y", i, " = f32[] call(y", i - 1, "), to_apply=f\n");
  absl::StrAppend(&text, " ROOT r = f32[] negate(y20000)\n}\n");
  const int64_t inlined = CountAfter(text, "inline-calls");
  EXPECT_GT(inlined, 3 * 29000);
  EXPECT_LE(inlined, 4 * 29004);
}

// What the passes say of a program, instead of or after changing it. `small_program`: the limit that it may grow to.
std::string MessageOf(const std::string& text, const std::string& passes, int64_t small_program = 50'000) {
  auto module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return "does not parse";
  ResourceLimits limits;
  limits.small_program = small_program;
  limits.max_growth = 1;
  const ResourceContext resources(limits, "testing");
  PassContext context;
  context.resources = &resources;
  const auto changed = RunPasses(*ParsePasses(passes), PassRunnerOptions(), context, **module);
  return changed.ok() ? absl::StrJoin(context.warnings(), "\n") : changed.status().ToString();
}

TEST(LargeModulesTest, WarnsOfTheBudget) {
  EXPECT_EQ(MessageOf(TwiceAtEachLevel(Call), "inline-calls:max-instructions=1000000"),
            "pass inline-calls: left calls of fn14 and others as they are: with copies of what they call, the program "
            "would have more than 50000 instructions");
}

TEST(LargeModulesTest, FlatteningRefusesToMakeAProgramTooLarge) {
  EXPECT_EQ(
      MessageOf(TwiceAtEachLevel(Call), "flatten-call-graph"),
      "RESOURCE_EXHAUSTED: pass flatten-call-graph (run 1): with copies for all calls the program would have more "
      "than 200000 instructions: fn0, of 2 instructions, would be in it at least 1e+18 times; make fewer calls lead "
      "to it");
  // 12 calls of 12 instructions.
  std::string text = "HloModule m\nf {\n x0 = f32[] parameter(0)\n";
  for (int i = 1; i <= 10; ++i) absl::StrAppend(&text, " x", i, " = f32[] sine(x", i - 1, ")\n");
  absl::StrAppend(&text, " ROOT r = f32[] negate(x10)\n}\nENTRY e {\n y0 = f32[] parameter(0)\n");
  for (int i = 1; i <= 11; ++i) absl::StrAppend(&text, " y", i, " = f32[] call(y", i - 1, "), to_apply=f\n");
  absl::StrAppend(&text, " ROOT r = f32[] call(y11), to_apply=f\n}\n");
  EXPECT_EQ(MessageOf(text, "flatten-call-graph", /*small_program=*/40), "");
  EXPECT_EQ(MessageOf(text, "flatten-call-graph", /*small_program=*/39),
            "RESOURCE_EXHAUSTED: pass flatten-call-graph (run 1): with copies for all calls the program would have "
            "more than 156 instructions: f, of 12 instructions, would be in it at least 12 times; make fewer calls "
            "lead to it");
}

TEST(LargeModulesTest, RulesCopyNoMoreThanTheBudget) {
  const std::string text = TwiceAtEachLevel([](const char* argument, const std::string& callee) {
    return absl::StrCat("map(", argument, "), dimensions={}, to_apply=", callee);
  });
  // Copies of a few instructions need no room.
  EXPECT_LE(CountAfter(text, "expand-map"), 50000 + 60 * 64);
  EXPECT_THAT(MessageOf(text, "expand-map"),
              MatchesRegex("pass expand-map: left [^ ]+ and others as they are: with copies of what they call, the "
                           "program would have more than 50000 instructions"));
}

TEST(LargeModulesTest, ExchangesAmongManyDevicesAreTakenApartWithinTheBudget) {
  const auto text = [](int devices) {
    return absl::StrCat("HloModule m, replica_count=", devices, "\nENTRY e {\n p = s8[", devices,
                        "] parameter(0)\n ROOT r = s8[", devices, "] all-to-all(p), dimensions={0}, replica_groups=[1,",
                        devices, "]<=[", devices, "]\n}\n");
  };
  EXPECT_EQ(CountAfter(text(1000), "decompose-collectives:ops=all-to-all"), 1 + 1000 + 1 + 1000 + 1);
  EXPECT_EQ(CountAfter(text(1000000), "decompose-collectives:ops=all-to-all"), 2);
  EXPECT_EQ(MessageOf(text(1000000), "decompose-collectives:ops=all-to-all"),
            "pass decompose-collectives: left r and others as they are: taken apart, the program would have more than "
            "50000 instructions");
}

// Each level of loops of three iterations in one another that is written out calls the level below three times.
TEST(LargeModulesTest, NestedLoopsStaySmallEnoughToBeFlattened) {
  std::string text = "HloModule m\n";
  constexpr int kLevels = 20;
  for (int i = 0; i < kLevels; ++i) {
    absl::StrAppend(&text, "c", i,
                    " {\n  s = (s32[], f32[4]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n",
                    "  n = s32[] constant(3)\n  ROOT go = pred[] compare(i, n), direction=LT\n}\nb", i,
                    " {\n  s = (s32[], f32[4]) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n",
                    "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n  x = f32[4] get-tuple-element(s), index=1\n");
    if (i == 0) {
      absl::StrAppend(&text, "  y = f32[4] sine(x)\n");
    } else {
      absl::StrAppend(&text, "  z = s32[] constant(0)\n  t = (s32[], f32[4]) tuple(z, x)\n",
                      "  w = (s32[], f32[4]) while(t), condition=c", i - 1, ", body=b", i - 1,
                      "\n  y = f32[4] get-tuple-element(w), index=1\n");
    }
    absl::StrAppend(&text, "  ROOT r = (s32[], f32[4]) tuple(j, y)\n}\n");
  }
  absl::StrAppend(&text, "ENTRY e {\n  p = (s32[], f32[4]) parameter(0)\n",
                  "  ROOT w = (s32[], f32[4]) while(p), condition=c", kLevels - 1, ", body=b", kLevels - 1, "\n}\n");
  const int64_t instructions = CountAfter(text, "unroll-loops,flatten-call-graph");
  EXPECT_GT(instructions, 3 * 3 * 3 * 3);
  EXPECT_LT(instructions, 50000);
}

TEST(LargeModulesTest, DeepCallsOfWhatIsCalledOnce) {
  // Each of them prints before and after it calls the next one; were bodies copied at each level, there would be
  // kDepth^2 copies.
  constexpr int kDepth = 10000;
  constexpr char kSend[] = " = token[] outfeed(x, t), outfeed_shape=f32[]\n";
  std::string text = "HloModule m\nfn0 {\n  x = f32[] parameter(0)\n  ROOT n = f32[] negate(x)\n}\n";
  for (int i = 1; i <= kDepth; ++i) {
    absl::StrAppend(&text, "fn", i, " {\n  x = f32[] parameter(0)\n  t = token[] after-all()\n  a", kSend,
                    "  y = f32[] call(x), to_apply=fn", i - 1, "\n  b", kSend, "  ROOT z = f32[] tanh(y)\n}\n");
  }
  absl::StrAppend(&text, "ENTRY e {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=fn", kDepth, "\n}\n");
  EXPECT_EQ(CountAfter(text, "inline-calls"), 4 * kDepth + 2);
}

TEST(LargeModulesTest, ManyCallsOfOneComputation) {
  std::string text =
      "HloModule m\nf {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT n = f32[] negate(x)\n}\n";
  constexpr int kCalls = 20000;
  absl::StrAppend(&text, "ENTRY e {\n  p = f32[] parameter(0)\n  a0 = f32[] negate(p)\n");
  for (int i = 1; i <= kCalls; ++i) {
    absl::StrAppend(&text, "  a", i, " = f32[] call(a", i - 1, ", p), to_apply=f\n");
  }
  absl::StrAppend(&text, "  ROOT r = f32[] tanh(a", kCalls, ")\n}\n");
  EXPECT_EQ(CountAfter(text, "remove-dead-code"), kCalls + 5);
  EXPECT_EQ(CountAfter(text, kAllPasses), kCalls + 3);
}

// Each of them looks once at a computation, however many instructions call it.
TEST(LargeModulesTest, FactsAboutComputationsThatAreCalledOften) {
  std::string text = "HloModule m\nk0 {\n  ROOT x = f32[] parameter(0)\n}\n";
  for (int k = 1; k <= 2; ++k) {
    absl::StrAppend(&text, "k", k, " {\n  x0 = f32[] parameter(0)\n");
    for (int i = 1; i <= 40'000; ++i) {
      absl::StrAppend(&text, "  x", i, " = f32[] call(x", i - 1, "), to_apply=k", k - 1, "\n");
    }
    absl::StrAppend(&text, "}\n");
  }
  absl::StrAppend(&text, "ENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] call(x), to_apply=k2\n}\n");
  const auto module = ParseHloModule(text);
  ASSERT_TRUE(module.ok()) << module.status();
  const HloInstruction& call = *(*module)->entry()->root();
  const absl::Time start = absl::Now();
  EXPECT_TRUE(MayCopy()(*call.called_computation(0)));
  EXPECT_FALSE(SideEffects().Has(call));
  EXPECT_TRUE(StepEvaluator(StepEvaluator::Limits()).IsPure(call));
  EXPECT_LT(absl::Now() - start, kLimit);
}

}  // namespace
}  // namespace xla
