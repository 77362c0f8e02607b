// The rules that the verifier itself has. What the rows of the op table demand is tested with the ops.
#include "xla_core/verifier/verifier.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

std::string Verify(const HloModule& module, const VerifierOptions& options = {}) {
  return std::string(VerifyModule(module, options).message());
}

std::string Verify(absl::string_view text) {
  const std::unique_ptr<HloModule> module = Parse(text);
  return module == nullptr ? "does not parse" : Verify(*module);
}

HloInstruction* Find(const HloModule& module, absl::string_view name) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->name() == name) return instruction.get();
    }
  }
  ADD_FAILURE() << "no instruction " << name;
  return nullptr;
}

constexpr char kAdder[] = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
)";

TEST(Verifier, AcceptsAModule) {
  EXPECT_EQ(Verify(absl::StrCat("HloModule m", kAdder, R"(
    ENTRY main {
      x = f32[2,3] parameter(0)
      zero = f32[] constant(0)
      ROOT r = f32[2] reduce(x, zero), dimensions={1}, to_apply=add
    })")),
            "");
}

TEST(Verifier, ReportsEveryViolationWithItsShapes) {
  EXPECT_EQ(Verify(R"(HloModule m
    ENTRY main {
      p = f32[2] parameter(0)
      q = f32[2] parameter(1)
      a = f32[3] add(p, q)
      n = s32[2] negate(p)
      ROOT t = (f32[3], s32[2]) tuple(a, n)
    })"),
            "computation main: a = f32[3] add(f32[2] p, f32[2] q): expected the result shape f32[2], got f32[3]\n"
            "computation main: n = s32[2] negate(f32[2] p): expected the result shape f32[2], got s32[2]");
}

TEST(Verifier, CountsWhatItDoesNotReport) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    ENTRY main {
      p = f32[2] parameter(0)
      a = f32[3] negate(p)
      b = f32[4] negate(p)
      ROOT c = f32[5] negate(p)
    })");
  VerifierOptions options;
  options.max_reported = 1;
  EXPECT_EQ(Verify(*module, options),
            "computation main: a = f32[3] negate(f32[2] p): expected the result shape f32[2], got f32[3]\n"
            "and 2 more violations");
}

TEST(Verifier, LayoutsAndDynamicFlagsMayDiffer) {
  EXPECT_EQ(Verify(R"(HloModule m
    ENTRY main {
      p = f32[2,<=3]{0,1} parameter(0)
      ROOT a = f32[2,3]{1,0} negate(p)
    })"),
            "");
}

TEST(Verifier, ParameterNumbersAreDenseAndUnique) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    ENTRY main { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = f32[] add(p, q) })");
  Find(*module, "q")->mutable_attributes<ParameterAttributes>().number = 0;
  EXPECT_EQ(Verify(*module),
            "computation main: q = f32[] parameter(): parameter number 0 appears more than once\n"
            "computation main: parameter number 1 is not present");
  Find(*module, "q")->mutable_attributes<ParameterAttributes>().number = int64_t{1} << 40;
  EXPECT_EQ(Verify(*module),
            "computation main: q = f32[] parameter(): parameter number 1099511627776 is out of range: the computation "
            "has 2 parameters, numbered from 0\n"
            "computation main: parameter number 1 is not present");
}

TEST(Verifier, NamesAndIdsAreUnique) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    f { x = f32[] parameter(0) }
    ENTRY main { p = f32[] parameter(0) ROOT r = f32[] call(p), to_apply=f })");
  Find(*module, "p")->set_id(3);
  Find(*module, "r")->set_id(3);
  Find(*module, "r")->set_name("p");
  module->entry()->set_name("f");
  EXPECT_EQ(Verify(*module),
            "computation f: another computation of the module has the same name\n"
            "computation f: p = f32[] call(f32[] p): another instruction of the computation has the same name\n"
            "computation f: p = f32[] call(f32[] p): another instruction of the computation has the same id 3");
}

TEST(Verifier, OperandsComeFirstAndFromTheSameComputation) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    f { x = f32[] parameter(0) }
    ENTRY main { p = f32[] parameter(0) a = f32[] negate(p) ROOT r = f32[] call(a), to_apply=f })");
  auto wrong = std::make_unique<HloInstruction>(HloOpcode::kAdd, "wrong", Shape::Scalar(F32));
  wrong->AddOperand(Find(*module, "x"));
  wrong->AddOperand(wrong.get());
  module->entry()->AddInstruction(std::move(wrong));
  EXPECT_EQ(Verify(*module),
            "computation main: wrong = f32[] add(f32[] x, f32[] wrong): operand x is no instruction of the same "
            "computation\n"
            "computation main: wrong = f32[] add(f32[] x, f32[] wrong): operand wrong must come before it");
}

TEST(Verifier, OperandCountsAttributesAndCalleesFitTheOpcode) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    f { x = f32[] parameter(0) }
    ENTRY main { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) })");
  HloComputation* main = module->entry();
  main->AddInstruction(std::make_unique<HloInstruction>(HloOpcode::kAdd, "a", Shape::Scalar(F32)));
  auto slice = std::make_unique<HloInstruction>(HloOpcode::kSlice, "s", Shape::Scalar(F32));
  slice->AddOperand(main->root());
  slice->AddCalledComputation(module->computations()[0].get());
  main->AddInstruction(std::move(slice));
  auto loop = std::make_unique<HloInstruction>(HloOpcode::kWhile, "w", Shape::Scalar(F32));
  loop->AddOperand(main->root());
  main->AddInstruction(std::move(loop));
  EXPECT_EQ(Verify(*module),
            "computation main: a = f32[] add(): expected 2 operands, got 0\n"
            "computation main: s = f32[] slice(f32[2] r): expected attributes SliceAttributes, got (none)\n"
            "computation main: s = f32[] slice(f32[2] r): a slice calls no computation, but this one calls 1\n"
            "computation main: w = f32[] while(f32[2] r): expected the computations condition, body, got 0");
}

TEST(Verifier, ShapesAreValidAndBounded) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    ENTRY main { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) })");
  Find(*module, "r")->mutable_shape().set_dimension(0, -5);
  Find(*module, "r")->mutable_shape().clear_layout();
  EXPECT_EQ(Verify(*module),
            "computation main: r = f32[-5] negate(f32[2] p): dimension 0 of an array has the negative size -5");
  EXPECT_EQ(Verify("HloModule m\nENTRY main { p = f32[?] parameter(0) }"),
            "computation main: p = f32[?] parameter(): a dimension has no bound; write `<=N` instead of `?`");
}

TEST(Verifier, ControlDependenciesHaveNoCycle) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    ENTRY main { p = f32[] parameter(0) a = f32[] negate(p) b = f32[] negate(a) ROOT r = f32[] negate(b) })");
  Find(*module, "p")->AddControlPredecessor(Find(*module, "b"));
  EXPECT_EQ(Verify(*module),
            "computation main: p = f32[] parameter(): waits for itself through its operands and control predecessors");
}

TEST(Verifier, ComputationsDoNotCallThemselves) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    f { x = f32[] parameter(0) ROOT y = f32[] negate(x) }
    g { x = f32[] parameter(0) ROOT y = f32[] call(x), to_apply=f }
    ENTRY main { p = f32[] parameter(0) ROOT r = f32[] call(p), to_apply=g })");
  HloComputation* f = module->computations()[0].get();
  auto call = std::make_unique<HloInstruction>(HloOpcode::kCall, "back", Shape::Scalar(F32));
  call->AddOperand(f->root());
  call->set_attributes(std::make_unique<CallAttributes>());
  call->AddCalledComputation(module->computations()[1].get());
  f->AddInstruction(std::move(call));
  EXPECT_EQ(Verify(*module), "computation g: calls f, which calls it: HLO has no recursion");
}

TEST(Verifier, FusedComputationsBelongToOneFusion) {
  EXPECT_EQ(Verify(R"(HloModule m
    f { x = f32[] parameter(0) ROOT y = f32[] negate(x) }
    ENTRY main {
      p = f32[] parameter(0)
      a = f32[] fusion(p), kind=kLoop, calls=f
      ROOT r = f32[] call(a), to_apply=f
    })"),
            "computation main: a = f32[] fusion(f32[] p): the fused computation f is also called by r; a fusion needs "
            "one of its own");
}

TEST(Verifier, CountsCallersThatItDoesNotReport) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    f { x = f32[] parameter(0) ROOT y = f32[] negate(x) }
    ENTRY main {
      p = f32[] parameter(0)
      a = f32[] fusion(p), kind=kLoop, calls=f
      b = f32[] fusion(a), kind=kLoop, calls=f
      ROOT r = f32[] fusion(b), kind=kLoop, calls=f
    })");
  VerifierOptions options;
  options.max_reported = 3;
  EXPECT_EQ(Verify(*module, options),
            "computation main: a = f32[] fusion(f32[] p): the fused computation f is also called by b; a fusion needs "
            "one of its own\n"
            "computation main: a = f32[] fusion(f32[] p): the fused computation f is also called by r; a fusion needs "
            "one of its own\n"
            "computation main: b = f32[] fusion(f32[] a): the fused computation f is also called by a; a fusion needs "
            "one of its own\n"
            "and 3 more violations");
}

TEST(Verifier, FusionsWriteOverOperandsThatTheyHave) {
  EXPECT_EQ(Verify(R"(HloModule m
    f { x = f32[] parameter(0) y = f32[2] parameter(1) a = f32[2] broadcast(x), dimensions={}
      b = f32[2] add(a, y) ROOT t = (f32[2], f32[2]) tuple(a, b) }
    ENTRY main {
      p = f32[] parameter(0)
      q = f32[2] parameter(1)
      ROOT r = (f32[2], f32[2]) fusion(p, q), kind=kLoop, calls=f,
        output_to_operand_aliasing={{0}: (1, {}), {1}: (0, {}), {1}: (2, {}), {2}: (1, {}), {0}: (1, {3})}
    })"),
            "computation main: r = (f32[2], f32[2]) fusion(f32[] p, f32[2] q): output_to_operand_aliasing {1}: (0, {}) "
            "pairs different shapes: f32[2] and f32[]\n"
            "computation main: r = (f32[2], f32[2]) fusion(f32[] p, f32[2] q): output_to_operand_aliasing {1}: (2, {}) "
            "names an output or an operand that does not exist\n"
            "computation main: r = (f32[2], f32[2]) fusion(f32[] p, f32[2] q): output_to_operand_aliasing {2}: (1, {}) "
            "names an output or an operand that does not exist\n"
            "computation main: r = (f32[2], f32[2]) fusion(f32[] p, f32[2] q): output_to_operand_aliasing {0}: (1, "
            "{3}) names an output or an operand that does not exist");
}

// What is odd: of a row of the op table, of a fusion and of threads.
constexpr char kOdd[] = R"(HloModule m
    f { x = f32[] parameter(0) ROOT y = f32[] negate(x) unused = f32[] negate(y) }
    g { x = f32[] parameter(0) ROOT y = f32[] negate(x) }, execution_thread="io"
    ENTRY main {
      p = f32[] parameter(0)
      a = f32[] fusion(p), kind=kLoop, calls=f
      b = f32[] call(a), to_apply=g
      ROOT r = pred[] compare(a, b), direction=LT, type=SIGNED
    })";
constexpr char kOddLines[] =
    "computation main: r = pred[] compare(f32[] a, f32[] b): comparison type of f32 operands must be FLOAT or "
    "TOTALORDER, got SIGNED; they are compared as FLOAT\n"
    "computation f: y = f32[] negate(f32[] x): is the root of a fused computation and used within it; what uses it is "
    "not run\n"
    "computation f: unused = f32[] negate(f32[] y): has no user in its fused computation; it is not run\n"
    "computation main: b = f32[] call(f32[] a): runs on execution_thread \"main\", but calls g of execution_thread "
    "\"io\"; only asynchronous operations change the thread, so it runs on the caller's";

TEST(Verifier, WarnsOfWhatIsOdd) {
  const std::unique_ptr<HloModule> module = Parse(kOdd);
  VerifierOptions options;
  std::vector<std::string> warnings;
  options.warnings = &warnings;
  EXPECT_EQ(Verify(*module, options), "");
  EXPECT_EQ(absl::StrJoin(warnings, "\n"), kOddLines);
  warnings.clear();
  options.max_reported = 1;
  EXPECT_EQ(Verify(*module, options), "");
  EXPECT_THAT(warnings, ::testing::ElementsAre(::testing::StartsWith("computation main: r"), "and 3 more warnings"));
  EXPECT_EQ(Verify(*module), "");
}

TEST(Verifier, RefusesWhatIsOddIfItIsStrict) {
  VerifierOptions options;
  std::vector<std::string> warnings;
  options.strict = true;
  options.warnings = &warnings;
  EXPECT_EQ(Verify(*Parse(kOdd), options), kOddLines);
  EXPECT_THAT(warnings, ::testing::IsEmpty());
}

TEST(Verifier, DimensionsWithoutBoundsAreOddIfTheyAreAllowed) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    ENTRY main {
      p = f32[?,2] parameter(0)
      q = f32[3,2] parameter(1)
      s = f32[?,2] add(p, q)
      t = f32[?] reshape(s)
      ROOT b = f32[2] broadcast(t), dimensions={0}
    })");
  VerifierOptions options;
  std::vector<std::string> warnings;
  options.allow_unbounded_dimensions = true;
  options.warnings = &warnings;
  EXPECT_EQ(Verify(*module, options), "");
  EXPECT_EQ(warnings.size(), 3);
}

TEST(Verifier, TransfersMayBeFinishedElsewhere) {
  const auto text = [](absl::string_view channel) {
    return absl::StrCat(R"(HloModule m
      ENTRY main {
        t = token[] after-all()
        r = (f32[2], u32[], token[]) recv(t), channel_id=1
        b = (f32[2], u32[], token[]) opt-barrier(r)
        d = (f32[2], token[]) recv-done(b), channel_id=)",
                        channel, R"(
        ROOT data = f32[2] get-tuple-element(d), index=0
      })");
  };
  EXPECT_EQ(Verify(text("1")), "");
  EXPECT_EQ(
      Verify(text("2")),
      "computation main: d = (f32[2], token[]) recv-done((f32[2], u32[], token[]) b): the module has no recv with "
      "channel_id 2 that it could finish");
}

TEST(Verifier, WhatIsStartedIsFinishedOnce) {
  EXPECT_EQ(Verify(R"(HloModule m
    ENTRY main {
      p = f32[] parameter(0)
      s = (f32[], f32[], u32[]) copy-start(p)
      a = f32[] copy-done(s)
      b = f32[] copy-done(s)
      ROOT r = f32[] add(a, b)
    })"),
            "computation main: s = (f32[], f32[], u32[]) copy-start(f32[] p): expected one user, a copy-done, got 2");
}

TEST(Verifier, TransfersAgreeOnTheirChannel) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    ENTRY main {
      t = token[] after-all()
      r = (f32[2], u32[], token[]) recv(t), channel_id=1
      d = (f32[2], token[]) recv-done(r), channel_id=1
      ROOT data = f32[2] get-tuple-element(d), index=0
    })");
  EXPECT_EQ(Verify(*module), "");
  Find(*module, "d")->mutable_attributes<SendRecvAttributes>().channel_id = absl::nullopt;
  Find(*module, "d")->mutable_attributes<SendRecvAttributes>().is_host_transfer = true;
  EXPECT_EQ(Verify(*module),
            "computation main: d = (f32[2], token[]) recv-done((f32[2], u32[], token[]) r): r has channel_id 1, this "
            "one no channel_id; they must be the same\n"
            "computation main: d = (f32[2], token[]) recv-done((f32[2], u32[], token[]) r): is_host_transfer must be "
            "the same as that of r");
}

TEST(Verifier, AllReducesAgreeOnLayouts) {
  EXPECT_EQ(Verify(absl::StrCat("HloModule m", kAdder, R"(
    ENTRY main {
      p = f32[2] parameter(0)
      x = f32[2] all-reduce(p), replica_groups={}, to_apply=add
      ROOT y = f32[2] all-reduce(x), replica_groups={}, constrain_layout=true, to_apply=add
    })")),
            "computation main: y = f32[2] all-reduce(f32[2] x): constrain_layout must be the same for all all-reduces "
            "of a module; that of x differs");
}

TEST(Verifier, ShardingsFitTheirShapes) {
  const auto sharded = [](absl::string_view sharding) {
    return Verify(absl::StrCat("HloModule m\nENTRY main { p = f32[4,4] parameter(0), sharding=", sharding, " }"));
  };
  EXPECT_EQ(sharded("{devices=[2,2]0,1,2,3}"), "");
  EXPECT_EQ(sharded("{devices=[1,2,2]<=[4] last_tile_dim_replicate}"), "");
  EXPECT_EQ(sharded("{devices=[4]<=[4]}"),
            "computation main: p = f32[4,4] parameter(): the sharding has 1 dimensions, expected 2 for f32[4,4]");
  EXPECT_EQ(sharded("{devices=[2,2]0,1,2,2}"),
            "computation main: p = f32[4,4] parameter(): the sharding lists device 2 twice");
  EXPECT_EQ(Verify("HloModule m\nENTRY main { p = (f32[], f32[]) parameter(0), sharding={{replicated}} }"),
            "computation main: p = (f32[], f32[]) parameter(): the sharding of a tuple has 1 elements, expected 2, one "
            "for each leaf");
}

TEST(Verifier, EntryLayoutFitsTheEntry) {
  EXPECT_EQ(Verify("HloModule m, entry_computation_layout={(f32[2])->f32[3]}\n"
                   "ENTRY main { p = f32[4] parameter(0) }"),
            "entry_computation_layout says that parameter 0 is f32[2], but p has shape f32[4]\n"
            "entry_computation_layout says that the result is f32[3], but the root p has shape f32[4]");
  EXPECT_EQ(Verify("HloModule m, entry_computation_layout={()->f32[4]}\nENTRY main { p = f32[4] parameter(0) }"),
            "entry_computation_layout has 0 parameters, but the entry computation main has 1");
}

TEST(Verifier, AliasesAndDonorsNameWhatIsThere) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    ENTRY main {
      p = f32[4] parameter(0)
      q = f32[2] parameter(1)
      ROOT t = (f32[4], f32[2]) tuple(p, q)
    })");
  HloModuleConfig& config = module->mutable_config();
  config.input_output_alias = {{{0}, 0, {}, false}};
  config.buffer_donors = {{1, {}}};
  EXPECT_EQ(Verify(*module), "");
  config.input_output_alias = {{{0}, 7, {}, false}, {{2}, 0, {}, false}, {{1}, 0, {}, false}};
  config.buffer_donors = {{0, {}}, {1, {3}}};
  EXPECT_EQ(
      Verify(*module),
      "input_output_alias names parameter 7, but the entry computation main has 2 parameters\n"
      "input_output_alias names output {2}, which (f32[4], f32[2]) does not have\n"
      "input_output_alias lets output {1} of shape f32[2]{0} share memory with parameter 0 {} of shape f32[4]{0}; "
      "they must have the same size and memory space\n"
      "input_output_alias names element {} of parameter 0 twice\n"
      "buffer_donor names element {} of parameter 0, which input_output_alias gives to an output already\n"
      "buffer_donor names element {3} of parameter 1, which f32[2] does not have");
}

TEST(Verifier, CountsOfDevicesAreSane) {
  const std::unique_ptr<HloModule> module = Parse("HloModule m\nENTRY main { p = f32[4] parameter(0) }");
  module->mutable_config().replica_count = int64_t{1} << 40;
  EXPECT_EQ(Verify(*module),
            "replica_count and num_partitions must be at least 1 and their product at most 1000000, got 1099511627776 "
            "and 1");
}

TEST(Verifier, BuffersFlowThroughFewOperations) {
  const std::unique_ptr<HloModule> module = Parse(R"(HloModule m
    ENTRY main { p = b(f32[2]) parameter(0) ROOT c = b(f32[2]) copy(p) })");
  EXPECT_NE(Verify(*module).find("computation main: c = b(f32[2]) copy(b(f32[2]) p): a copy cannot give a buffer"),
            std::string::npos);
}

TEST(Verifier, ABufferHasOneWriter) {
  const char kStart[] = R"(HloModule m
    ENTRY main { p = f32[2] parameter(0) b = b(f32[2]) custom-call(p), custom_call_target="Pin", output_to_operand_aliasing={{}: (0, {})}
      w = b(f32[2]) custom-call(b), custom_call_target="w", output_to_operand_aliasing={{}: (0, {})}
)";
  EXPECT_EQ(Verify(*Parse(absl::StrCat(
                kStart, R"(r = f32[2] custom-call(b), custom_call_target="Unpin" ROOT t = tuple(w, r) })"))),
            "");
  EXPECT_THAT(
      Verify(*Parse(absl::StrCat(
          kStart, R"(v = b(f32[2]) custom-call(b), custom_call_target="v", output_to_operand_aliasing={{}: (0, {})}
      ROOT t = tuple(w, v) })"))),
      ::testing::HasSubstr("both w and v may write into this buffer; expected one writer"));
}

TEST(Verifier, TransfersFormNoRings) {
  const auto with = [](absl::string_view pairs) {
    return Verify(*Parse(absl::StrCat(
        "HloModule m, replica_count=4\nENTRY main { x = s32[] parameter(0) t = token[] after-all()\n",
        "s = (s32[], u32[], token[]) send(x, t), channel_id=1, frontend_attributes={",
        "_xla_send_recv_source_target_pairs=", pairs, "}\n", "ROOT d = token[] send-done(s), channel_id=1 }")));
  };
  EXPECT_EQ(with("{{0,1},{1,2},{3,3}}"), "");
  EXPECT_THAT(with("{{0,1},{1,2},{2,0}}"), ::testing::HasSubstr("has a ring"));
  EXPECT_THAT(with("{{0,1},{0,2}}"), ::testing::HasSubstr("names device 0 twice as a source"));
  EXPECT_THAT(with("{{0,2},{1,2}}"), ::testing::HasSubstr("names device 2 twice as a target"));
}

TEST(Verifier, EndsAtALimitWhateverElseIsWrong) {
  ResourceLimits limits;
  limits.deadline = absl::InfinitePast();
  const ResourceContext late(limits, "working");
  VerifierOptions options;
  options.resources = &late;
  for (const char* text : {"HloModule m\nENTRY main { ROOT p = f32[2] parameter(0) }",
                           "HloModule m\nENTRY main { p = f32[2] parameter(0) ROOT a = f32[3] add(p, p) }"}) {
    EXPECT_EQ(VerifyModule(*Parse(text), options),
              absl::DeadlineExceededError("the deadline passed while verifying the program"));
  }
}

}  // namespace
}  // namespace xla
