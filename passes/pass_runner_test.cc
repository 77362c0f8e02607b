#include "passes/pass_runner.h"

#include <memory>
#include <utility>

#include "gmock/gmock.h"
#include "passes/pass_table.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- Passes that only this test has, in a table of its own.

absl::StatusOr<bool> Keep(HloModule&, PassContext&) { return false; }

// Appends a letter to the module's name as long as it is shorter than the option says.
absl::StatusOr<bool> Lengthen(HloModule& module, PassContext& context) {
  if (static_cast<int64_t>(module.name().size()) >= context.IntOption("length")) return false;
  module.set_name(module.name() + "a");
  context.CountRewrite("letters");
  return true;
}

// Undoes it: the two are a pair that never comes to an end.
absl::StatusOr<bool> Shorten(HloModule& module, PassContext&) {
  if (module.name().size() <= 1) return false;
  module.set_name(module.name().substr(1));
  return true;
}

absl::StatusOr<bool> SayTooMuch(HloModule&, PassContext&) { return true; }
absl::StatusOr<bool> SayTooLittle(HloModule& module, PassContext&) {
  module.set_name("other");
  return false;
}
absl::StatusOr<bool> Break(HloModule& module, PassContext&) {
  module.entry()->root()->mutable_shape() = Shape::Array(F32, {77});
  return true;
}
absl::StatusOr<bool> ChangeInterface(HloModule& module, PassContext&) {
  module.mutable_config().entry_computation_layout.reset();  // which the verifier compares
  module.entry()->set_root(
      module.entry()->AddInstruction(std::make_unique<HloInstruction>(HloOpcode::kAfterAll, "t", Shape::Token())));
  return true;
}
// Two that have the names of passes after which layouts are verified, and one that spoils them.
absl::StatusOr<bool> Rename(HloModule& module, PassContext&) {
  module.set_name(module.name() + "n");
  module.entry()->root()->mutable_shape();  // a name alone does not count as a change
  return true;
}
absl::StatusOr<bool> SpoilLayouts(HloModule& module, PassContext&) {
  Layout layout;
  layout.minor_to_major = {0, 1};
  HloInstruction& root = *module.entry()->root();
  root.mutable_shape().set_layout(layout);
  module.mutable_config().entry_computation_layout->result = root.shape();
  return true;
}
absl::StatusOr<bool> Fail(HloModule&, PassContext&) { return absl::ResourceExhaustedError("no memory"); }
absl::StatusOr<bool> NeedFastMath(HloModule& module, PassContext& context) {
  if (!context.FastMathAllows(kNoNans) || module.name() == "fast") return false;
  module.set_name("fast");
  return true;
}

}  // namespace

const std::vector<const Pass*>& AllPasses() {
  static const auto* const rows = new std::vector<Pass>{
      {"keep", "", Keep, {{"quietly", PassOption::Kind::kBool, "false", ""}}},
      {"lengthen", "", Lengthen, {{"length", PassOption::Kind::kInt, "3", ""}}},
      {"shorten", "", Shorten},
      {"say-too-much", "", SayTooMuch},
      {"say-too-little", "", SayTooLittle},
      {"break", "", Break},
      {"change-interface", "", ChangeInterface},
      {"assign-layouts", "", Rename},
      {"insert-copies", "", SpoilLayouts},
      {"rename", "", Rename},
      {"fail", "", Fail},
      {"need-fast-math", "", NeedFastMath},
  };
  static const auto* const passes = [] {
    auto* const all = new std::vector<const Pass*>;
    for (const Pass& pass : *rows) all->push_back(&pass);
    return all;
  }();
  return *passes;
}

const Pass* FindPass(absl::string_view name) {
  for (const Pass* pass : AllPasses()) {
    if (pass->name == name) return pass;
  }
  return nullptr;
}

namespace {

std::unique_ptr<HloModule> SmallModule() {
  return *ParseHloModule("HloModule m\nENTRY e {\n  p = f32[4,2] parameter(0)\n  ROOT r = f32[4,2] add(p, p)\n}\n");
}

struct Ran {
  absl::StatusOr<bool> changed = false;
  std::unique_ptr<HloModule> module = SmallModule();
  PassContext context;
  std::vector<PassRecord> records;
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const PassRecord& record : records) names.push_back(record.pass);
    return names;
  }
};

Ran RunSteps(const Pipeline& steps, const PassRunnerOptions& options = {}) {
  Ran ran;
  ran.changed = RunPasses(steps, options, ran.context, *ran.module, &ran.records);
  return ran;
}

Ran RunText(absl::string_view passes, const PassRunnerOptions& options = {}) {
  const auto steps = ParsePasses(passes);
  EXPECT_TRUE(steps.ok()) << steps.status();
  return RunSteps(steps.ok() ? *steps : Pipeline(), options);
}

std::string ErrorOf(absl::string_view passes) { return std::string(ParsePasses(passes).status().message()); }

TEST(ParsePasses, TakesOptionsBehindColons) {
  const auto steps = ParsePasses("keep:quietly, lengthen:length=7:fast-math=no-nans+approximate");
  ASSERT_TRUE(steps.ok()) << steps.status();
  ASSERT_EQ(steps->size(), 2);
  EXPECT_EQ((*steps)[0].options.at("quietly"), "true");
  EXPECT_EQ((*steps)[1].pass, "lengthen");
  EXPECT_EQ((*steps)[1].options.at("length"), "7");
  EXPECT_TRUE(ParsePasses("").ok());
}

TEST(ParsePasses, SaysWhatIsUnknown) {
  EXPECT_EQ(ErrorOf("keeep"), "unknown pass 'keeep'; did you mean 'keep'?; --list-passes lists them");
  EXPECT_EQ(ErrorOf("lengthen:lenght=2"),
            "pass lengthen has no option 'lenght'; did you mean 'length'?; it has fast-math, length");
  EXPECT_EQ(ErrorOf("lengthen:length=x"), "option length of pass lengthen is a whole number, got 'x'");
  EXPECT_EQ(ErrorOf("keep:quietly=yes"), "option quietly of pass keep is true or false, got 'yes'");
  EXPECT_THAT(ErrorOf("keep:fast-math=all+some"), HasSubstr("unknown group of fast math 'some'"));
}

TEST(RunPasses, RecordsWhatEachPassDid) {
  const Ran ran = RunText("keep,lengthen");
  EXPECT_TRUE(*ran.changed);
  EXPECT_THAT(ran.names(), ElementsAre("keep", "lengthen"));
  EXPECT_FALSE(ran.records[0].changed);
  EXPECT_TRUE(ran.records[1].changed);
  EXPECT_EQ(ran.records[1].instructions_before, 2);
  EXPECT_EQ(ran.records[1].rewrites.at("letters"), 1);
  EXPECT_FALSE(*RunText("keep").changed);
}

TEST(RunPasses, SkipsDisabledPassesAndStops) {
  PassRunnerOptions options;
  options.disabled_passes = {"keep"};
  EXPECT_THAT(RunText("keep,lengthen", options).names(), ElementsAre("lengthen"));
  options.disabled_passes = {"kepe"};
  EXPECT_THAT(RunText("keep", options).changed.status().message(), HasSubstr("did you mean 'keep'?"));
  options.disabled_passes.clear();
  options.stop_after = 1;
  EXPECT_THAT(RunText("keep,lengthen", options).names(), ElementsAre("keep"));
  options.stop_after = 0;
  EXPECT_THAT(RunText("keep,lengthen", options).names(), ElementsAre());
}

PipelineStep Group(Pipeline steps, int max_rounds) {
  PipelineStep group;
  group.pass = "group";
  group.group = std::move(steps);
  group.max_rounds = max_rounds;
  return group;
}

TEST(RunPasses, RepeatsGroupsUntilNothingChanges) {
  const Pipeline steps = {Group(*ParsePasses("shorten,keep,lengthen:length=1"), 10)};
  const Ran ran = RunSteps(steps);
  EXPECT_TRUE(ran.context.warnings().empty());
  const Ran longer = RunSteps({*ParsePasses("lengthen")->begin(), steps[0]});
  // "ma" -> "a" in the first round; in the second, no pass has anything new to look at.
  EXPECT_THAT(longer.names(), ElementsAre("lengthen", "shorten", "keep", "lengthen"));
  EXPECT_EQ(longer.records[1].group, "group");
  EXPECT_EQ(longer.module->name(), "a");
}

TEST(RunPasses, WarnsOfGroupsWithoutEnd) {
  const Ran ran = RunSteps({Group(*ParsePasses("lengthen:length=2,shorten"), 3)});
  EXPECT_EQ(ran.records.size(), 6);
  EXPECT_EQ(ran.records.back().round, 2);
  EXPECT_THAT(ran.context.warnings(),
              ElementsAre("pass group: group group still changed the module in the last of its 3 rounds"));
}

TEST(RunPasses, CatchesPassesThatReportWrongly) {
  PassRunnerOptions options;
  EXPECT_TRUE(RunText("say-too-much,say-too-little").changed.ok());
  options.strict = true;
  EXPECT_EQ(RunText("say-too-much", options).changed.status().message(),
            "pass say-too-much (run 1): reported a change, but the module is the same as before");
  EXPECT_EQ(RunText("keep,say-too-little", options).changed.status().message(),
            "pass say-too-little (run 2): reported no change, but the module differs from the one before");
  EXPECT_EQ(RunText("lengthen", options).changed.status().message(),
            "pass lengthen (run 1): changed the module, whose version did not count it; analyses may be out of date");
}

TEST(RunPasses, NamesThePassThatFails) {
  const absl::Status broken = RunText("break").changed.status();
  EXPECT_EQ(broken.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(broken.message(), HasSubstr("pass break (run 1): the module is not valid afterwards"));
  EXPECT_THAT(broken.message(), HasSubstr("f32[77]"));
  EXPECT_THAT(RunText("change-interface").changed.status().message(), HasSubstr("other shapes than before"));
  const absl::Status failed = RunText("keep,fail").changed.status();
  EXPECT_EQ(failed.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(failed.message(), "pass fail (run 2): no memory");
}

TEST(RunPasses, VerifiesLayoutsOnceTheyAreAssigned) {
  const auto error = [](absl::string_view passes, bool verify_layouts, bool strict) {
    PassRunnerOptions options;
    options.verify_layouts = verify_layouts;
    options.strict = strict;
    return std::string(RunText(passes, options).changed.status().message());
  };
  constexpr char kMessage[] =
      "pass insert-copies (run 2): the module is not valid afterwards; please report this with the module\n"
      "computation e: r = f32[4,2] add(f32[4,2] p, f32[4,2] p): expected operand 0 in the layout of the result, "
      "f32[4,2]{0,1}, got f32[4,2]{1,0}\n"
      "computation e: r = f32[4,2] add(f32[4,2] p, f32[4,2] p): expected operand 1 in the layout of the result, "
      "f32[4,2]{0,1}, got f32[4,2]{1,0}";
  EXPECT_EQ(error("assign-layouts,insert-copies", true, false), kMessage);
  EXPECT_EQ(error("assign-layouts,insert-copies", false, true), kMessage);
  EXPECT_EQ(error("assign-layouts,insert-copies", false, false), "");
  EXPECT_EQ(error("insert-copies", true, false), "");
  EXPECT_EQ(error("assign-layouts,rename,insert-copies", true, false), "");
  EXPECT_THAT(error("assign-layouts,keep,insert-copies", true, false), HasSubstr("in the layout of the result"));
}

TEST(RunPasses, CallsHooksAroundPasses) {
  PassRunnerOptions options;
  std::vector<std::string> calls;
  options.before_pass = [&](const HloModule&, const std::string& pass, int64_t number) {
    calls.push_back(pass + " begins " + std::to_string(number));
    return absl::OkStatus();
  };
  options.after_pass = [&](const HloModule&, const std::string& pass, int64_t, bool changed) {
    calls.push_back(changed ? "changed" : "same");
    return pass == "lengthen" ? absl::CancelledError("enough") : absl::OkStatus();
  };
  EXPECT_EQ(RunText("keep,lengthen,keep", options).changed.status().message(), "pass lengthen (run 2): enough");
  EXPECT_THAT(calls, ElementsAre("keep begins 1", "same", "lengthen begins 2", "changed"));
}

TEST(RunPasses, SwitchesFastMathOnForOneStep) {
  Ran ran = RunText("need-fast-math:fast-math=no-nans");
  EXPECT_TRUE(*ran.changed);
  EXPECT_EQ(ran.context.fast_math, kExact);
  EXPECT_FALSE(*RunText("need-fast-math:fast-math=approximate").changed);
}

TEST(RunPasses, EndsAtTheDeadline) {
  ResourceLimits limits;
  limits.deadline = absl::InfinitePast();
  const ResourceContext resources(limits, "optimizing the program");
  PassContext context;
  context.resources = &resources;
  const auto module = SmallModule();
  const auto changed = RunPasses(*ParsePasses("keep"), {}, context, *module);
  EXPECT_EQ(changed.status(),
            absl::DeadlineExceededError("pass keep (run 1): the deadline passed while optimizing the program"));
}

TEST(RunPasses, EndsWhenCancelledAlsoByAPassThatEndedEarly) {
  const auto cancellation = std::make_shared<Cancellation>();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext resources(limits, "working");
  PassContext context;
  context.resources = &resources;
  PassRunnerOptions options;
  options.before_pass = [&](const HloModule&, const std::string&, int64_t) {
    cancellation->Cancel();
    return absl::OkStatus();
  };
  const auto module = SmallModule();
  EXPECT_EQ(RunPasses(*ParsePasses("keep"), options, context, *module).status(),
            absl::CancelledError("pass keep (run 1): cancelled while optimizing the program"));
  EXPECT_EQ(context.resources, &resources);
}

}  // namespace
}  // namespace xla
