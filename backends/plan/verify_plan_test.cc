// For each kind of fault a plan that has it: a right plan, of which one thing is changed.
#include "backends/plan/verify_plan.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

using ::testing::HasSubstr;

// One that is planned, and never runs.
class PlannedThunk : public Thunk {
 public:
  using Thunk::Thunk;
  absl::Status Execute(ExecuteContext&) const override { return absl::UnimplementedError("it is not for running"); }
};

ThunkInfo InfoOf(const HloInstruction& instruction, PlanContext& context) {
  ThunkInfo info;
  info.instruction = &instruction;
  for (const HloInstruction* operand : instruction.operands()) {
    if (operand->shape().IsArray()) info.reads.push_back(context.SliceOf(*operand));
  }
  if (!HasTrait(instruction.opcode(), opcode_trait::kEnds)) info.writes.push_back(context.SliceOf(instruction));
  return info;
}

class Planned {
 public:
  explicit Planned(absl::string_view text, const PlanOptions& options = WithTrace(),
                   const SequenceMaker& make_sequence = nullptr) {
    std::shared_ptr<HloModule> module = *ParseHloModule(text);
    EXPECT_TRUE(VerifyModule(*module).ok());
    module_ = module;
    const std::vector<ThunkMaker> makers = {
        {"test", [](const HloInstruction& instruction,
                    PlanContext& context) -> absl::StatusOr<std::unique_ptr<Thunk>> {
           return std::make_unique<PlannedThunk>(InfoOf(instruction, context));
         }}};
    CompileReport report;
    absl::StatusOr<ProgramPlan> plan = PlanProgram(module, makers, make_sequence, options, &report);
    EXPECT_TRUE(plan.ok()) << plan.status();
    plan_ = *std::move(plan);
  }

  static PlanOptions WithTrace() {
    PlanOptions options;
    options.keeps_trace = true;
    return options;
  }

  ProgramPlan* operator->() { return &plan_; }
  absl::Status Verify() const { return VerifyPlan(plan_); }

  // The result of the instruction of this name.
  BufferSlice SliceOf(absl::string_view name) const {
    const AssignedBuffer* const buffer = plan_.trace->assignment.BufferAt(Find(name));
    return plan_.trace->slices[buffer->id];
  }
  void Place(absl::string_view name, BufferSlice slice) {
    plan_.trace->slices[plan_.trace->assignment.BufferAt(Find(name))->id] = slice;
  }

  // Changes what the thunk of that instruction says of itself.
  void Change(absl::string_view name, const std::function<void(ThunkInfo&)>& change) {
    for (ProgramStep& step : plan_.program.steps) {
      if (step.thunk == nullptr || step.thunk->info().instruction->name() != name) continue;
      ThunkInfo info = step.thunk->info();
      change(info);
      changed_.push_back(std::make_unique<PlannedThunk>(std::move(info)));
      step.thunk = changed_.back().get();
      return;
    }
    ADD_FAILURE() << "no thunk of " << name;
  }

 private:
  const HloInstruction& Find(absl::string_view name) const {
    for (const auto& computation : module_->computations()) {
      for (const auto& instruction : computation->instructions()) {
        if (instruction->name() == name) return *instruction;
      }
    }
    ADD_FAILURE() << "no instruction " << name;
    return *module_->entry()->root();
  }

  std::shared_ptr<const HloModule> module_;
  ProgramPlan plan_;
  std::vector<std::unique_ptr<Thunk>> changed_;
};

void ExpectFault(const Planned& plan, const std::string& message) {
  const absl::Status status = plan.Verify();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr(message));
}

constexpr char kChain[] = R"(HloModule m
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[8] negate(x)
  b = f32[8] reverse(x), dimensions={0}
  c = f32[8] add(a, b)
  d = f32[8] reverse(c), dimensions={0}
  ROOT r = f32[8] reverse(d), dimensions={0}
})";

constexpr char kLoop[] = R"(HloModule m
body {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[8] get-tuple-element(p), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[8] reverse(x), dimensions={0}
  z = f32[8] multiply(x, y)
  ROOT t = (s32[], f32[8]) tuple(j, z)
}
condition {
  q = (s32[], f32[8]) parameter(0)
  k = s32[] get-tuple-element(q), index=0
  most = s32[] constant(5)
  ROOT go = pred[] compare(k, most), direction=LT
}
ENTRY e {
  n = s32[] parameter(0)
  v = f32[8] parameter(1)
  i0 = s32[] negate(n)
  x0 = f32[8] negate(v)
  s = (s32[], f32[8]) tuple(i0, x0)
  w = (s32[], f32[8]) while(s), condition=condition, body=body
  i1 = s32[] get-tuple-element(w), index=0
  x1 = f32[8] get-tuple-element(w), index=1
  f = f32[] convert(i1)
  g = f32[8] broadcast(f), dimensions={}
  ROOT r = f32[8] add(x1, g)
})";

constexpr char kBranches[] = R"(HloModule m
yes { y = f32[8] parameter(0) ROOT yr = f32[8] negate(y) }
no { n = f32[8] parameter(0) nr1 = f32[8] reverse(n), dimensions={0} ROOT nr = f32[8] add(n, nr1) }
ENTRY e {
  p = pred[] parameter(0)
  x = f32[8] parameter(1)
  k = pred[] not(p)
  a = f32[8] negate(x)
  c = f32[8] conditional(k, a, x), true_computation=yes, false_computation=no
  ROOT r = f32[8] reverse(c), dimensions={0}
})";

TEST(VerifyPlan, FindsNothingInRightPlans) {
  for (const char* text : {kChain, kLoop, kBranches}) {
    for (const bool poisons : {false, true}) {
      PlanOptions options = Planned::WithTrace();
      options.poisons_memory = poisons;
      EXPECT_EQ(Planned(text, options).Verify(), absl::OkStatus());
    }
  }
}

TEST(VerifyPlan, FindsAPredicateThatIsNotStored) {
  Planned plan(kLoop);
  plan.Change("go", [](ThunkInfo& info) { info.writes.clear(); });
  ExpectFault(plan, "(w): the jump needs go at arena");
}

TEST(VerifyPlan, FindsAPredicateThatIsReadElsewhere) {
  Planned plan(kLoop);
  for (ProgramStep& step : plan->program.steps) {
    if (step.kind == ProgramStep::Kind::kJumpUnless) step.slice.offset += 64;
  }
  ExpectFault(plan, "which is not where go is");
}

TEST(VerifyPlan, FindsAStateThatIsNotThereInTheNextIteration) {
  Planned plan(kLoop);
  plan.Change("j", [](ThunkInfo& info) { info.writes.clear(); });
  ExpectFault(plan, "w {0} needs j at arena");
}

TEST(VerifyPlan, FindsAStateThatIsWrittenBeforeItsLastUse) {
  Planned plan(kLoop);
  plan.Change("y", [&](ThunkInfo& info) { info.writes.push_back(plan.SliceOf("x")); });
  ExpectFault(plan, "(z): z needs w {1} at base");
}

// What the loop does not change must outlive each of its iterations.
TEST(VerifyPlan, FollowsLoopsUntilNothingChanges) {
  Planned plan(R"(HloModule m
body {
  p = (f32[8], f32[8]) parameter(0)
  x = f32[8] get-tuple-element(p), index=0
  u = f32[8] get-tuple-element(p), index=1
  y = f32[8] add(x, u)
  z = f32[8] reverse(y), dimensions={0}
  ROOT t = (f32[8], f32[8]) tuple(z, u)
}
condition { q = (f32[8], f32[8]) parameter(0) ROOT go = pred[] custom-call(q), custom_call_target="Ask" }
ENTRY e {
  v = f32[8] parameter(0)
  x0 = f32[8] negate(v)
  u0 = f32[8] reverse(v), dimensions={0}
  s = (f32[8], f32[8]) tuple(x0, u0)
  w = (f32[8], f32[8]) while(s), condition=condition, body=body
  x1 = f32[8] get-tuple-element(w), index=0
  ROOT r = f32[8] reverse(x1), dimensions={0}
})");
  EXPECT_EQ(plan.Verify(), absl::OkStatus());
  plan.Change("z", [&](ThunkInfo& info) { info.writes.push_back(plan.SliceOf("u0")); });
  ExpectFault(plan, "(go): go needs u0 at arena");
}

TEST(VerifyPlan, FindsABranchThatLeavesNoResult) {
  Planned plan(kBranches);
  plan.Change("yr", [](ThunkInfo& info) { info.writes.clear(); });
  ExpectFault(plan, "c needs yr at");
}

TEST(VerifyPlan, FindsASelectorThatWasWrittenOver) {
  Planned plan(kBranches);
  plan.Change("a", [&](ThunkInfo& info) { info.writes.push_back(plan.SliceOf("k")); });
  ExpectFault(plan, "the jump needs k at arena");
}

TEST(VerifyPlan, FindsWhatIsWrittenOverWhileItIsNeeded) {
  Planned plan(kChain);
  plan.Change("b", [&](ThunkInfo& info) { info.writes = {plan.SliceOf("a")}; });
  ExpectFault(plan, "(c): c needs a at arena");
}

TEST(VerifyPlan, FindsWhatIsWrittenOverWhileACollectiveGoesOn) {
  constexpr char kPairs[] = R"(HloModule m, replica_count=2
sum { l = f32[] parameter(0) m = f32[] parameter(1) ROOT n = f32[] add(l, m) }
scatter { q = f32[8] parameter(0)
  ROOT part = f32[4] reduce-scatter(q), replica_groups={{0,1}}, dimensions={0}, to_apply=sum }
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[8] negate(x)
  b = f32[8] reverse(x), dimensions={0}
  s = f32[8] all-reduce-start(a), replica_groups={{0,1}}, to_apply=sum
  t = ((f32[8]), f32[4], u32[]) async-start(b), calls=scatter
  u = f32[8] add(a, b)
  d = f32[8] all-reduce-done(s)
  f = f32[4] async-done(t)
  ROOT r = (f32[8], f32[8], f32[4]) tuple(u, d, f)
})";
  PlanOptions options = Planned::WithTrace();
  options.device_counts = {2, 1};
  EXPECT_EQ(Planned(kPairs, options).Verify(), absl::OkStatus());
  const std::pair<const char*, const char*> faults[] = {
      {"a", "(d): d needs a at arena"}, {"b", "(f): f needs b at arena"}, {"part", "(f): f needs part at base"}};
  for (const auto& [overwritten, message] : faults) {
    Planned plan(kPairs, options);
    plan.Change("u", [&](ThunkInfo& info) { info.writes.push_back(plan.SliceOf(overwritten)); });
    ExpectFault(plan, message);
  }
}

TEST(VerifyPlan, FindsAResultThatNobodyWrites) {
  Planned plan(kChain);
  plan.Change("r", [](ThunkInfo& info) { info.writes.clear(); });
  ExpectFault(plan, "result 0 needs r at base");
}

TEST(VerifyPlan, FindsAResultThatIsElsewhere) {
  Planned plan(kChain);
  plan->results[0].base = BufferSlice::kArena;
  ExpectFault(plan, "result 0 is not where r is");
}

TEST(VerifyPlan, FindsReadsOfWhatIsNoOperand) {
  Planned plan(kChain);
  plan.Change("d", [&](ThunkInfo& info) { info.reads.push_back(plan.SliceOf("x")); });
  ExpectFault(plan, "where no operand is");
}

TEST(VerifyPlan, FindsSlicesOutOfTheirMemory) {
  Planned plan(kChain);
  plan.Change("d", [&](ThunkInfo& info) { info.writes.push_back({BufferSlice::kArena, plan->arena_bytes, 4}); });
  ExpectFault(plan, "reaches out of its memory");
  Planned other(kChain);
  other.Change("d", [&](ThunkInfo& info) { info.reads.push_back({other->base_count, 0, 4}); });
  ExpectFault(other, "reaches out of its memory");
  Planned constant(kLoop);
  constant.Change("j", [&](ThunkInfo& info) { info.reads.push_back(BufferSlice::OfConstant(0, 5)); });
  ExpectFault(constant, "the slice constant 0 [0, 5) reaches out of its memory");
  Planned missing(kLoop);
  missing.Change("j", [](ThunkInfo& info) { info.reads.push_back(BufferSlice::OfConstant(2, 4)); });
  ExpectFault(missing, "the slice constant 2 [0, 4) reaches out of its memory");
}

TEST(VerifyPlan, FindsResultsThatOverlap) {
  Planned plan(kChain);
  plan.Change("b", [](ThunkInfo& info) {
    BufferSlice part = info.writes[0];
    part.offset += 4;
    part.bytes -= 4;
    info.writes.push_back(part);
  });
  ExpectFault(plan, "it writes arena");
}

TEST(VerifyPlan, FindsResultsOverAPartOfAnOperand) {
  Planned plan(kChain);
  plan.Change("d", [&](ThunkInfo& info) {
    BufferSlice part = plan.SliceOf("c");
    part.offset += 4;
    part.bytes -= 4;
    info.writes.push_back(part);
  });
  ExpectFault(plan, "which has a part of the operand");
}

TEST(VerifyPlan, FindsResultsOverOperandsThatAreReadInAnotherOrder) {
  Planned plan(kChain);
  plan.Place("d", plan.SliceOf("c"));
  plan.Change("d", [&](ThunkInfo& info) { info.writes = {plan.SliceOf("c")}; });
  ExpectFault(plan, "it writes its result over operand 0");
}

TEST(VerifyPlan, FindsWritesToConstants) {
  Planned plan(kLoop);
  plan.Change("j", [&](ThunkInfo& info) { info.writes.push_back(plan.SliceOf("one")); });
  ExpectFault(plan, "it writes to a constant");
}

TEST(VerifyPlan, FindsWritesOfWhatHasNoPlace) {
  Planned plan(kChain);
  plan.Change("d", [](ThunkInfo& info) { info.writes.push_back({BufferSlice::kNowhere, 0, 4}); });
  ExpectFault(plan, "it writes what has no place");
}

TEST(VerifyPlan, FindsConstantsWithoutAPlace) {
  Planned plan(kLoop);
  plan.Place("one", BufferSlice());
  ExpectFault(plan, "needs one, which has no place");
}

TEST(VerifyPlan, FindsThunksThatRunTogetherAndShareMemory) {
  Planned plan(kChain);
  for (ProgramStep& step : plan->program.steps) {
    if (step.thunk == nullptr || step.thunk->info().instruction->name() != "b") continue;
    step.kind = ProgramStep::Kind::kRunTogether;  // b and c, which reads it
    step.first_target = 1;
    step.target_count = 2;
  }
  ExpectFault(plan, "b and c run together, and both need arena");
}

TEST(VerifyPlan, FindsJumpsThatGoElsewhere) {
  Planned loop(kLoop);
  for (ProgramStep& step : loop->program.steps) {
    if (step.kind == ProgramStep::Kind::kJump) ++step.target;
  }
  ExpectFault(loop, "should jump to step");
  Planned out(kLoop);
  for (ProgramStep& step : out->program.steps) {
    if (step.kind == ProgramStep::Kind::kJumpUnless) --step.target;
  }
  ExpectFault(out, "should jump to step");
  Planned branches(kBranches);
  std::swap(branches->program.targets[0], branches->program.targets[1]);
  ExpectFault(branches, "is not what is jumped to");
}

TEST(VerifyPlan, FindsPoisonOfWhatIsNeeded) {
  PlanOptions options = Planned::WithTrace();
  options.poisons_memory = true;
  Planned plan(kLoop, options);
  plan.Change("w", [&](ThunkInfo& info) { info.writes.push_back(plan.SliceOf("j")); });
  ExpectFault(plan, "on some path");
}

// A thunk of several instructions keeps what nothing else needs to itself, and stores the rest.
TEST(VerifyPlan, FollowsThunksOfSeveralInstructions) {
  const auto all_at_once = [](bool stores_result) -> SequenceMaker {
    return [stores_result](absl::Span<const HloInstruction* const> instructions,
                           PlanContext& context) -> absl::StatusOr<SequenceThunk> {
      if (instructions[0]->name() != "a") return SequenceThunk();
      ThunkInfo info;
      info.instruction = instructions[3];
      info.reads = {context.SliceOf(*instructions[0]->operand(0))};
      if (stores_result) info.writes = {context.SliceOf(*instructions[3])};
      return SequenceThunk{4, std::make_unique<PlannedThunk>(std::move(info))};  // a to d
    };
  };
  EXPECT_EQ(Planned(kChain, Planned::WithTrace(), all_at_once(true)).Verify(), absl::OkStatus());
  // One of them does nothing: c passes on an argument, which is the result.
  const char* const kIdleCopy = R"(HloModule m, input_output_alias={ {0}: (0, {}, must-alias) }
ENTRY e {
  x = f32[8] parameter(0)
  a = f32[8] reverse(x), dimensions={0}
  b = f32[8] negate(a)
  c = f32[8] copy(x)
  d = f32[8] reverse(b), dimensions={0}
  ROOT r = (f32[8], f32[8]) tuple(c, d)
})";
  EXPECT_EQ(Planned(kIdleCopy, Planned::WithTrace(), all_at_once(true)).Verify(), absl::OkStatus());
  ExpectFault(Planned(kChain, Planned::WithTrace(), all_at_once(false)), "r needs d at");
}

}  // namespace
}  // namespace xla
