#include "passes/memory/buffer_assignment.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "passes/analyses/parsed_module.h"
#include "passes/base/pass_context.h"
#include "passes/memory/insert_copies.h"
#include "passes/memory/testing/aliasing_programs.h"
#include "passes/memory/testing/check_assignment.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// With copies inserted; the plan is checked by running the program on it.
absl::StatusOr<BufferAssignment> TryToAssign(HloModule& module) {
  PassContext context;
  context.StartPass("insert-copies", {});
  RETURN_IF_ERROR(InsertCopies(module, context).status());
  EXPECT_THAT(context.warnings(), IsEmpty());
  RETURN_IF_ERROR(VerifyModule(module));
  ASSIGN_OR_RETURN(BufferAssignment assignment, AssignBuffers(module));
  for (uint64_t seed = 0; seed < 6; ++seed) RETURN_IF_ERROR(CheckAssignment(module, assignment, seed));
  return assignment;
}

BufferAssignment AssignAndCheck(HloModule& module) {
  auto assignment = TryToAssign(module);
  EXPECT_TRUE(assignment.ok()) << assignment.status();
  return *std::move(assignment);
}

int CountCopies(const HloModule& module) {
  int count = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kCopy) ++count;
    }
  }
  return count;
}

TEST(AssignBuffers, ElementwiseChainsTakeOneBuffer) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  p = f32[100] parameter(0)
  a = f32[100] negate(p)
  b = f32[100] exponential(a)
  c = f32[100] tanh(b)
  ROOT r = f32[10] slice(c), slice={[0:10]}
})");
  const BufferAssignment plan = AssignAndCheck(*module);
  EXPECT_EQ(plan.BufferAt(module.At("a")), plan.BufferAt(module.At("c")));
  EXPECT_EQ(plan.arena_bytes(), 448) << "400 bytes, aligned";
  EXPECT_EQ(plan.BufferAt(module.At("p"))->kind, AssignedBuffer::Kind::kArgument);
  EXPECT_EQ(plan.BufferAt(module.At("r"))->kind, AssignedBuffer::Kind::kResult);
}

TEST(AssignBuffers, UpdatesInALoopAreInPlace) {
  const ParsedModule module(R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
condition {
  c = (s32[], f32[1000]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(5)  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  b = (s32[], f32[1000]) parameter(0)
  j = s32[] get-tuple-element(b), index=0  x = f32[1000] get-tuple-element(b), index=1
  s = f32[1] dynamic-slice(x, j), dynamic_slice_sizes={1}
  u = f32[1] negate(s)
  d = f32[1000] dynamic-update-slice(x, u, j)
  one = s32[] constant(1)  next = s32[] add(j, one)
  ROOT t = (s32[], f32[1000]) tuple(next, d)
}
ENTRY e {
  z = s32[] constant(0)  q = f32[1000] parameter(0)
  init = (s32[], f32[1000]) tuple(z, q)
  w = (s32[], f32[1000]) while(init), condition=condition, body=body
  ROOT y = f32[1000] get-tuple-element(w), index=1
})");
  const BufferAssignment plan = AssignAndCheck(*module);
  EXPECT_EQ(plan.BufferAt(module.At("q")), plan.BufferAt(module.At("y")));
  EXPECT_EQ(plan.BufferAt(module.At("d")), plan.BufferAt(module.At("x")));
  EXPECT_LT(plan.arena_bytes(), 400) << "no copy of the large array";
}

constexpr char kSum[] = R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
)";

TEST(AssignBuffers, AStartedAllReduceIsOverWhatNothingElseReadsMeanwhile) {
  const ParsedModule module(absl::StrCat(kSum, R"(
ENTRY e {
  p = f32[100] parameter(0)
  x = f32[100] negate(p)
  y = f32[100] tanh(x)
  u = f32[100] exponential(p)
  s = (f32[100], f32[100]) all-reduce-start(x, u), replica_groups={{0,1}}, to_apply=sum
  z = f32[100] multiply(y, y)
  d = (f32[100], f32[100]) all-reduce-done(s)
  a = f32[100] get-tuple-element(d), index=0
  b = f32[100] get-tuple-element(d), index=1
  e = f32[100] add(a, b)
  f = f32[100] add(e, z)
  ROOT r = f32[10] slice(f), slice={[0:10]}
})"));
  const BufferAssignment plan = AssignAndCheck(*module);
  EXPECT_EQ(plan.BufferAt(module.At("x")), plan.BufferAt(module.At("s"), {0}));
  EXPECT_EQ(plan.BufferAt(module.At("u")), plan.BufferAt(module.At("s"), {1}));
  EXPECT_EQ(plan.arena_bytes(), 3 * 448);
}

TEST(AssignBuffers, AStartedAllReduceOfALoopNeedsNoCopy) {
  const ParsedModule module(absl::StrCat(kSum, R"(
condition {
  c = (s32[], f32[1000]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(5)  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  b = (s32[], f32[1000]) parameter(0)
  j = s32[] get-tuple-element(b), index=0  x = f32[1000] get-tuple-element(b), index=1
  s = f32[1000] all-reduce-start(x), replica_groups={{0,1}}, to_apply=sum
  one = s32[] constant(1)  next = s32[] add(j, one)
  d = f32[1000] all-reduce-done(s)
  ROOT t = (s32[], f32[1000]) tuple(next, d)
}
ENTRY e {
  z = s32[] constant(0)  q = f32[1000] parameter(0)  u = f32[1000] negate(q)
  init = (s32[], f32[1000]) tuple(z, u)
  w = (s32[], f32[1000]) while(init), condition=condition, body=body
  ROOT y = f32[1000] get-tuple-element(w), index=1
})"));
  const BufferAssignment plan = AssignAndCheck(*module);
  EXPECT_EQ(CountCopies(*module), 1) << "of the counter";
  EXPECT_EQ(plan.BufferAt(module.At("x")), plan.BufferAt(module.At("s")));
  EXPECT_EQ(plan.BufferAt(module.At("u")), plan.BufferAt(module.At("y")));
}

TEST(AssignBuffers, AStartedAllReduceLeavesWhatIsReadBeforeItIsDone) {
  for (const char* const meanwhile :
       {"m = f32[100] tanh(x)", "m = f32[100] all-reduce(x), replica_groups={{0,1}}, to_apply=sum",
        "t = (f32[100], f32[100]) tuple(x, x) m = f32[100] fusion(t), kind=kLoop, calls=first",
        "g = (f32[100], f32[200]) all-gather-start(x), replica_groups={{0,1}}, dimensions={0} "
        "h = f32[200] all-gather-done(g) m = f32[100] slice(h), slice={[50:150]}",
        "m = f32[100] call(x), to_apply=of_array"}) {
    const ParsedModule module(absl::StrCat(kSum, R"(
first { t = (f32[100], f32[100]) parameter(0) ROOT a = f32[100] get-tuple-element(t), index=0 }
of_array { a = f32[100] parameter(0) ROOT n = f32[100] negate(a) }
ENTRY e {
  p = f32[100] parameter(0)
  x = f32[100] negate(p)
  s = f32[100] all-reduce-start(x), replica_groups={{0,1}}, to_apply=sum
  )",
                                           meanwhile, R"(
  d = f32[100] all-reduce-done(s)
  f = f32[100] add(d, m)
  ROOT r = f32[10] slice(f), slice={[0:10]}
})"));
    const BufferAssignment plan = AssignAndCheck(*module);
    EXPECT_NE(plan.BufferAt(module.At("x")), plan.BufferAt(module.At("s"))) << meanwhile;
  }
}

TEST(AssignBuffers, AStartedAllReduceLeavesWhatIsReadLaterOrGiven) {
  for (const char* const operand : {"x", "p"}) {
    const ParsedModule module(absl::StrCat(kSum, R"(
ENTRY e {
  p = f32[100] parameter(0)
  x = f32[100] negate(p)
  s = f32[100] all-reduce-start()",
                                           operand, R"(), replica_groups={{0,1}}, to_apply=sum
  m = f32[100] tanh(p)
  d = f32[100] all-reduce-done(s)
  n = f32[100] negate(x)
  f = f32[100] add(d, m)
  q = f32[100] add(f, n)
  ROOT r = f32[10] slice(q), slice={[0:10]}
})"));
    const BufferAssignment plan = AssignAndCheck(*module);
    EXPECT_NE(plan.BufferAt(module.At(operand)), plan.BufferAt(module.At("s"))) << operand;
  }
}

TEST(AssignBuffers, SwapsAndRotationsInLoops) {
  const ParsedModule module(R"(HloModule m
condition {
  c = (s32[], f32[8], f32[8], f32[8]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  n = s32[] constant(5)  ROOT r = pred[] compare(i, n), direction=LT
}
body {
  b = (s32[], f32[8], f32[8], f32[8]) parameter(0)
  j = s32[] get-tuple-element(b), index=0  x = f32[8] get-tuple-element(b), index=1
  y = f32[8] get-tuple-element(b), index=2  v = f32[8] get-tuple-element(b), index=3
  one = s32[] constant(1)  next = s32[] add(j, one)
  ROOT t = (s32[], f32[8], f32[8], f32[8]) tuple(next, y, v, x)
}
ENTRY e {
  z = s32[] constant(0)  q = f32[8] parameter(0)
  init = (s32[], f32[8], f32[8], f32[8]) tuple(z, q, q, q)
  ROOT w = (s32[], f32[8], f32[8], f32[8]) while(init), condition=condition, body=body
})");
  AssignAndCheck(*module);
}

TEST(AssignBuffers, BranchesLoopsWithinLoopsAndSharedResults) {
  const ParsedModule module(R"(HloModule m
left { x = (f32[8], f32[8]) parameter(0) a = f32[8] get-tuple-element(x), index=0
  n = f32[8] negate(a) ROOT l = (f32[8], f32[8]) tuple(n, n) }
right { y = (f32[8], f32[8]) parameter(0) b = f32[8] get-tuple-element(y), index=1
  c = f32[8] get-tuple-element(y), index=0 ROOT r = (f32[8], f32[8]) tuple(b, c) }
inner_condition { k = (f32[8], pred[], f32[8]) parameter(0) ROOT g = pred[] get-tuple-element(k), index=1 }
inner { k2 = (f32[8], pred[], f32[8]) parameter(0)
  h = f32[8] get-tuple-element(k2), index=0  o = f32[8] get-tuple-element(k2), index=2
  go = pred[] get-tuple-element(k2), index=1  f = f32[8] add(h, o)  n2 = pred[] not(go)
  ROOT t2 = (f32[8], pred[], f32[8]) tuple(f, n2, o) }
condition { c0 = (f32[8], f32[8], pred[]) parameter(0) ROOT r0 = pred[] get-tuple-element(c0), index=2 }
body {
  b0 = (f32[8], f32[8], pred[]) parameter(0)
  x0 = f32[8] get-tuple-element(b0), index=0  y0 = f32[8] get-tuple-element(b0), index=1
  p0 = pred[] get-tuple-element(b0), index=2
  arg = (f32[8], f32[8]) tuple(x0, y0)
  either = (f32[8], f32[8]) conditional(p0, arg, arg), true_computation=left, false_computation=right
  e0 = f32[8] get-tuple-element(either), index=0  e1 = f32[8] get-tuple-element(either), index=1
  init1 = (f32[8], pred[], f32[8]) tuple(e0, p0, e1)
  w1 = (f32[8], pred[], f32[8]) while(init1), condition=inner_condition, body=inner
  f0 = f32[8] get-tuple-element(w1), index=0
  sum = f32[8] add(f0, x0)
  q0 = pred[] not(p0)
  ROOT t0 = (f32[8], f32[8], pred[]) tuple(sum, f0, q0)
}
ENTRY e {
  p = f32[8] parameter(0)  q = pred[] parameter(1)  k3 = f32[8] constant({1,2,3,4,5,6,7,8})
  init = (f32[8], f32[8], pred[]) tuple(p, k3, q)
  w = (f32[8], f32[8], pred[]) while(init), condition=condition, body=body
  u = f32[8] get-tuple-element(w), index=0  v = f32[8] get-tuple-element(w), index=1
  ROOT all = (f32[8], f32[8], f32[8], f32[8], f32[8]) tuple(u, v, u, p, k3)
})");
  AssignAndCheck(*module);
}

TEST(AssignBuffers, AnOperandThatIsNeededLaterIsCopiedBeforeItsUpdate) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  p = f32[8] parameter(0)  i = s32[] parameter(1)  u = f32[1] parameter(2)
  a = f32[8] negate(p)
  d = f32[8] dynamic-update-slice(a, u, i)
  ROOT r = f32[8] add(a, d)
})");
  const BufferAssignment plan = AssignAndCheck(*module);
  EXPECT_EQ(module.At("d").operand(0)->opcode(), HloOpcode::kCopy);
  EXPECT_EQ(plan.BufferAt(module.At("d")), plan.BufferAt(*module.At("d").operand(0)));
}

// The buffer of the argument holds what is updated in it, and at the end another result.
TEST(AssignBuffers, AnArgumentThatIsUpdatedBelongsToAnotherResult) {
  constexpr char kProgram[] = R"(HloModule m, input_output_alias={ {0}: (0, {}, must-alias) }
ENTRY e {
  p = f32[40] parameter(0)  u = f32[11] parameter(1)  i = s32[] parameter(2)
  d = f32[40] dynamic-update-slice(p, u, i)
  n = f32[40] negate(d)
  ROOT o = (f32[40], f32[40]) tuple(n, d)
})";
  const ParsedModule module(kProgram);
  const BufferAssignment plan = AssignAndCheck(*module);
  EXPECT_EQ(plan.BufferAt(module.At("p")), plan.BufferAt(module.At("n")));
  EXPECT_EQ(CountCopies(*module), 1);
}

// In the first branch its argument is dead when the result is there, though the second one reads it later in the order
// of instructions.
TEST(AssignBuffers, BranchesDoNotKeepWhatOnlyOthersNeed) {
  const ParsedModule module(R"(HloModule m
left { x = f32[8] parameter(0) ROOT n = f32[8] negate(x) }
right { y = f32[8] parameter(0) r = f32[8] reverse(y), dimensions={0} ROOT s = f32[8] add(r, y) }
condition {
  c = (s32[], f32[8]) parameter(0)  i = s32[] get-tuple-element(c), index=0
  limit = s32[] constant(5)  ROOT less = pred[] compare(i, limit), direction=LT
}
body {
  b = (s32[], f32[8]) parameter(0)
  j = s32[] get-tuple-element(b), index=0  v = f32[8] get-tuple-element(b), index=1
  either = f32[8] conditional(j, v, v), branch_computations={left, right}
  one = s32[] constant(1)  next = s32[] add(j, one)
  ROOT t = (s32[], f32[8]) tuple(next, either)
}
ENTRY e {
  p = f32[8] parameter(0)  q = s32[] parameter(1)
  e0 = f32[8] exponential(p)  q0 = s32[] negate(q)
  init = (s32[], f32[8]) tuple(q0, e0)
  ROOT w = (s32[], f32[8]) while(init), condition=condition, body=body
})");
  const BufferAssignment plan = AssignAndCheck(*module);
  EXPECT_EQ(CountCopies(*module), 0);
  EXPECT_EQ(plan.BufferAt(module.At("e0")), plan.BufferAt(module.At("s")));
}

// Whose values are those of their computations, which must run.
TEST(AssignBuffers, TakesNoCallForIdle) {
  const ParsedModule module(R"(HloModule m
halve { p = f32[4] parameter(0) h = f32[4] constant({0.5, 0.5, 0.5, 0.5}) ROOT r = f32[4] multiply(p, h) }
double { p.2 = f32[4] parameter(0) ROOT r.2 = f32[4] add(p.2, p.2) }
ENTRY e {
  x = f32[4] parameter(0)
  s = ((f32[4]), f32[4]) async-start(x), calls=halve
  d = f32[4] async-done(s)
  c = f32[4] call(d), to_apply=double
  b = f32[4] bitcast(c)
  ROOT t = (f32[4]) tuple(b)
})");
  const absl::StatusOr<BufferAssignment> plan = AssignBuffers(*module);
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (const char* const name : {"s", "c"}) EXPECT_FALSE(plan->IsIdle(module.At(name))) << name;
  for (const char* const name : {"x", "d", "b", "t"}) EXPECT_TRUE(plan->IsIdle(module.At(name))) << name;
}

// The last one has no position at all, the first one that of what follows.
TEST(AssignBuffers, GivesEmptyTuplesNoBuffer) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  n = () tuple()
  x = f32[4] parameter(0)
  y = f32[4] negate(x)
  t = (f32[4]) custom-call(y), custom_call_target="f", custom_call_has_side_effect=true
  ROOT r = () tuple()
})");
  const absl::StatusOr<BufferAssignment> plan = AssignBuffers(*module);
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (const char* const name : {"n", "r"}) {
    EXPECT_EQ(plan->BufferAt(module.At(name)), nullptr) << name;
    EXPECT_EQ(plan->BufferAt(module.At(name), {0}), nullptr) << name;
  }
  EXPECT_NE(plan->BufferAt(module.At("t"), {0}), nullptr);
}

TEST(AssignBuffers, OfRandomPrograms) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const std::string text = AliasingProgram(seed);
    SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", text));
    const ParsedModule module(text);
    const auto assignment = TryToAssign(*module);
    ASSERT_TRUE(assignment.ok()) << assignment.status();
  }
}

TEST(AssignBuffers, SaysWhatIsMissing) {
  const ParsedModule shared(R"(HloModule m
f { x = f32[] parameter(0) ROOT r = f32[] negate(x) }
ENTRY e { a = f32[] parameter(0) b = f32[] call(a), to_apply=f ROOT c = f32[] call(b), to_apply=f })");
  EXPECT_THAT(std::string(AssignBuffers(*shared).status().message()), HasSubstr("run flatten-call-graph first"));
  const ParsedModule identity(R"(HloModule m
ENTRY e { ROOT a = f32[] parameter(0) })");
  EXPECT_EQ(AssignBuffers(*identity).status().message(),
            "the result a is a constant, an argument or another result too, and needs a buffer of its own; run "
            "insert-copies first");
  EXPECT_THAT(PrintBuffers(*shared), HasSubstr("arena: "));
}

TEST(AssignBuffers, DescribesThePeakWithItsSources) {
  const ParsedModule module(R"(HloModule m
ENTRY e {
  p = f32[16] parameter(0)
  a = f32[16] negate(p), metadata={op_name="layer/neg" source_file="net.py" source_line=7}
  b = f32[16] reverse(a), dimensions={0}
  ROOT r = f32[16] add(a, b)
})");
  EXPECT_EQ(PrintBuffers(*module), R"(module m
arguments: 64 bytes in 1 buffers
results: 64 bytes in 1 buffers
constants: 0 bytes in 0 buffers
temporaries: 64 bytes in 1 buffers
arena: 64 bytes; at least 64 are needed; lost between buffers: 0.0 %

peak: 64 bytes of temporaries live at e/b
100 %  64 bytes, offset 0: e/b f32[16]

all buffers, the largest first:
  64 bytes, argument 0 {}: e/p f32[16]
  64 bytes, result 0: e/a f32[16], e/r f32[16]  layer/neg (net.py:7)
  64 bytes, offset 0: e/b f32[16]
)");
}

TEST(AssignBuffers, EndsAtALimit) {
  const ParsedModule module("ENTRY e { p = f32[16] parameter(0) ROOT a = f32[16] negate(p) }");
  ResourceLimits limits;
  limits.deadline = absl::InfinitePast();
  const ResourceContext late(limits, "compiling the program");
  EXPECT_EQ(AssignBuffers(*module, &late).status(),
            absl::DeadlineExceededError("the deadline passed while compiling the program"));
}

}  // namespace
}  // namespace xla
