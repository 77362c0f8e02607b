#include "passes/pass_runner.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "passes/pass_table.h"
#include "passes/xla_pass_names.h"
#include "xla_core/ir/structure_hash.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/literal_printer.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"
#include "xla_core/verifier/verify_layouts.h"

namespace xla {
namespace {

// The option that every pass has.
constexpr char kFastMath[] = "fast-math";

// Layouts hold from the first of them on, as long as only these passes change the module.
constexpr absl::string_view kAssignsLayouts = "assign-layouts";
constexpr absl::string_view kKeepLayouts[] = {kAssignsLayouts, "flatten-call-graph",  "insert-copies",
                                              "rematerialize", "schedule-for-memory", "share-constants"};
// After it, what the program takes and gives is what each device does.
constexpr absl::string_view kCutsInterface = "partition";

absl::Status UnknownPass(absl::string_view name) {
  std::vector<absl::string_view> known;
  for (const Pass* pass : AllPasses()) known.push_back(pass->name);
  for (const XlaPassName& row : XlaPassNames()) known.push_back(row.xla);
  return absl::InvalidArgumentError(
      absl::StrCat("unknown pass '", name, "'", DidYouMean(name, known), "; --list-passes lists them"));
}

const PassOption* FindOption(const Pass& pass, absl::string_view name) {
  const auto found = std::find_if(pass.options.begin(), pass.options.end(),
                                  [name](const PassOption& option) { return name == option.name; });
  return found == pass.options.end() ? nullptr : &*found;
}

absl::Status UnknownOption(const Pass& pass, absl::string_view name) {
  std::vector<absl::string_view> known = {kFastMath};
  for (const PassOption& option : pass.options) known.push_back(option.name);
  return absl::InvalidArgumentError(absl::StrCat("pass ", pass.name, " has no option '", name, "'",
                                                 DidYouMean(name, known), "; it has ", absl::StrJoin(known, ", ")));
}

absl::StatusOr<unsigned> ParseFastMathGroups(absl::string_view text) {
  unsigned groups = kExact;
  for (const absl::string_view name : absl::StrSplit(text, '+', absl::SkipEmpty())) {
    ASSIGN_OR_RETURN(const unsigned group, ParseFastMath(name));
    groups |= group;
  }
  return groups;
}

absl::Status CheckValue(const Pass& pass, const PassOption& option, absl::string_view value) {
  const auto wrong = [&](absl::string_view expected) {
    return absl::InvalidArgumentError(
        absl::StrCat("option ", option.name, " of pass ", pass.name, " is ", expected, ", got '", value, "'"));
  };
  int64_t number = 0;
  if (option.kind == PassOption::Kind::kBool && value != "true" && value != "false") return wrong("true or false");
  if (option.kind == PassOption::Kind::kInt && !absl::SimpleAtoi(value, &number)) return wrong("a whole number");
  return absl::OkStatus();
}

absl::Status CheckOption(const Pass& pass, absl::string_view name, absl::string_view value) {
  const PassOption* const option = FindOption(pass, name);
  if (option != nullptr) return CheckValue(pass, *option, value);
  if (name != kFastMath) return UnknownOption(pass, name);
  return ParseFastMathGroups(value).status();
}

absl::Status CheckStep(const PipelineStep& step) {
  const Pass* const pass = FindPass(step.pass);
  if (pass == nullptr) return UnknownPass(step.pass);
  for (const auto& [name, value] : step.options) RETURN_IF_ERROR(CheckOption(*pass, name, value));
  return absl::OkStatus();
}

// Those that are given, and the defaults of the others.
PassOptionValues AllOptions(const Pass& pass, const PassOptionValues& given) {
  PassOptionValues options = given;
  for (const PassOption& option : pass.options) options.emplace(option.name, option.default_value);
  return options;
}

// Reads `pass:option=value:option=value`, one step of a pipeline as users write it. An option of kind bool may stand
// without a value and is then true. CheckStep rejects options that the pass lacks.
absl::StatusOr<PipelineStep> ParseStep(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  PipelineStep step;
  ASSIGN_OR_RETURN(const Pass* const pass, PassByName(absl::StripAsciiWhitespace(parts[0])));
  step.pass = pass->name;
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::pair<absl::string_view, absl::string_view> option = absl::StrSplit(parts[i], absl::MaxSplits('=', 1));
    const PassOption* const known = FindOption(*pass, option.first);
    const bool is_bare_switch =
        known != nullptr && known->kind == PassOption::Kind::kBool && !absl::StrContains(parts[i], '=');
    step.options[std::string(option.first)] = is_bare_switch ? "true" : std::string(option.second);
  }
  RETURN_IF_ERROR(CheckStep(step));
  return step;
}

// What strict runs compare: all of a module that a pass may change. Printing the elements of large constants would take
// most of the time, so these are a hash.
struct Fingerprint {
  std::string text;
  uint64_t constants = 0;

  bool operator==(const Fingerprint& other) const { return text == other.text && constants == other.constants; }
};

// What must stay equal when a pass reports no change: the text of the module without metadata. Large constants are
// elided there, so their elements enter as a hash instead; those with dynamic sizes, and literals that are not
// arrays, are written in full.
Fingerprint FingerprintOf(const HloModule& module) {
  PrintOptions options;
  options.metadata = false;
  options.elide_large_constants = true;
  Fingerprint fingerprint = {ModuleToString(module, options)};
  for (const auto& computation : module.computations()) {
    for (const HloInstruction* instruction : computation->LiveInstructions()) {
      if (instruction->opcode() != HloOpcode::kConstant) continue;
      const Literal* const literal = instruction->attributes<ConstantAttributes>().literal.get();
      if (literal == nullptr) continue;
      if (literal->shape().IsArray() && !literal->has_dynamic_sizes()) {
        fingerprint.constants = MixHash(fingerprint.constants, HashOfElements(*literal));
      } else {
        AppendLiteral(*literal, LiteralPrintOptions(), &fingerprint.text);
      }
    }
  }
  return fingerprint;
}

absl::Status Prefixed(absl::string_view prefix, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(prefix, ": ", status.message()));
}

// The shapes that callers of the program see: no pass may change them.
std::vector<Shape> Interface(const HloModule& module) {
  std::vector<Shape> shapes = {module.entry()->root()->shape()};
  for (const HloInstruction* parameter : module.entry()->parameters()) shapes.push_back(parameter->shape());
  return shapes;
}

bool SameInterface(absl::Span<const Shape> a, absl::Span<const Shape> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Shape& x, const Shape& y) { return x.Compatible(y); });
}

class Runner {
 public:
  Runner(const PassRunnerOptions& options, PassContext& context, HloModule& module, std::vector<PassRecord>* records)
      : options_(options), context_(context), module_(module), records_(records), interface_(Interface(module)) {}

  // Groups nest as deep as the pipelines of this program do.
  absl::StatusOr<bool> Run(absl::Span<const PipelineStep> steps, const std::string& group, int round) {
    bool changed = false;
    for (const PipelineStep& step : steps) {
      if (Stopped()) break;
      ASSIGN_OR_RETURN(const bool step_changed, step.group.empty() ? RunPass(step, group, round) : RunGroup(step));
      changed = changed || step_changed;
    }
    return changed;
  }

 private:
  bool Stopped() const { return options_.stop_after >= 0 && runs_ >= options_.stop_after; }

  absl::StatusOr<bool> RunGroup(const PipelineStep& group) {
    bool changed = false;
    for (int round = 0; round < group.max_rounds; ++round) {
      ASSIGN_OR_RETURN(const bool round_changed, Run(group.group, group.pass, round));
      changed = changed || round_changed;
      if (!round_changed || Stopped()) return changed;
    }
    if (group.max_rounds > 1) {
      context_.StartPass(group.pass, {});
      context_.Warn(absl::StrCat("group ", group.pass, " still changed the module in the last of its ",
                                 group.max_rounds, " rounds"));
    }
    return changed;
  }

  // One pass with its options, unless it is disabled or has seen this very module before.
  absl::StatusOr<bool> RunPass(const PipelineStep& step, const std::string& group, int round) {
    if (options_.disabled_passes.count(step.pass) != 0) return false;
    const auto [last, is_first] = last_version_.try_emplace({step.pass, step.options}, version_);
    if (!is_first && last->second == version_) return false;
    const Pass& pass = *FindPass(step.pass);
    PassRecord record;
    record.pass = step.pass;
    record.group = group;
    record.round = round;
    ++runs_;
    const absl::Status status = RunAndCheck(pass, step, record);
    if (!status.ok()) return Prefixed(absl::StrCat("pass ", step.pass, " (run ", runs_, ")"), status);
    if (record.changed) ++version_;
    last->second = version_;
    if (records_ != nullptr) records_->push_back(record);
    return record.changed;
  }

  absl::Status RunAndCheck(const Pass& pass, const PipelineStep& step, PassRecord& record) {
    PassOptionValues values = AllOptions(pass, step.options);
    const unsigned fast_math = context_.fast_math;
    if (FindOption(pass, kFastMath) == nullptr) {
      ASSIGN_OR_RETURN(const unsigned groups, ParseFastMathGroups(values[kFastMath]));
      context_.fast_math |= groups;
    }
    context_.StartPass(step.pass, std::move(values));
    const absl::Status status = RunWithHooks(pass, record);
    context_.fast_math = fast_math;
    return status;
  }

  // Runs one pass between the hooks of the options and fills in its record. The time covers the pass and the removal
  // of what it left behind (Tidy), but neither verification nor hooks. Strict runs verify after every pass and
  // compare fingerprints to find passes that misreport whether they changed something.
  absl::Status RunWithHooks(const Pass& pass, PassRecord& record) {
    RETURN_IF_ERROR(context_.CheckDeadline());
    if (options_.before_pass) RETURN_IF_ERROR(options_.before_pass(module_, record.pass, runs_));
    const Fingerprint before = options_.strict ? FingerprintOf(module_) : Fingerprint();
    const ModuleVersion version_before = module_.version();
    record.instructions_before = module_.instruction_count();
    const absl::Time start = absl::Now();
    ASSIGN_OR_RETURN(record.changed, pass.run(module_, context_));
    if (!(version_before == module_.version())) module_.Tidy();
    record.time = absl::Now() - start;
    // A pass may have ended early.
    RETURN_IF_ERROR(context_.CheckDeadline());
    record.instructions_after = module_.instruction_count();
    record.rewrites = context_.counts();
    const bool counted = !(version_before == module_.version());
    if (record.changed) context_.analyses.Forget();
    NoteLayouts(record);
    if (record.pass == kCutsInterface) interface_ = Interface(module_);
    if (record.changed || options_.strict) RETURN_IF_ERROR(Verify());
    if (options_.strict) RETURN_IF_ERROR(CheckChanged(record.changed, !(before == FingerprintOf(module_)), counted));
    if (options_.after_pass) RETURN_IF_ERROR(options_.after_pass(module_, record.pass, runs_, record.changed));
    return absl::OkStatus();
  }

  void NoteLayouts(const PassRecord& record) {
    const bool keeps =
        std::find(std::begin(kKeepLayouts), std::end(kKeepLayouts), record.pass) != std::end(kKeepLayouts);
    has_layouts_ = record.pass == kAssignsLayouts || (has_layouts_ && (keeps || !record.changed));
  }

  absl::Status Verify() const {
    VerifierOptions options;
    options.resources = context_.resources;
    absl::Status status = VerifyModule(module_, options);
    if (!status.ok() && context_.resources->IsOver()) return status;
    if (status.ok() && has_layouts_ && (options_.verify_layouts || options_.strict)) status = VerifyLayouts(module_);
    if (!status.ok()) {
      return absl::InternalError(
          absl::StrCat("the module is not valid afterwards; please report this with the module\n", status.message()));
    }
    if (SameInterface(Interface(module_), interface_)) return absl::OkStatus();
    return absl::InternalError(
        "the program takes or gives other shapes than before; please report this with the module");
  }

  // `counted`: whether the module has another version.
  absl::Status CheckChanged(bool reported, bool differs, bool counted) const {
    if (context_.analyses.found_stale()) {
      return absl::InternalError("used an analysis of the module as it was before a change");
    }
    if (reported == differs && differs && !counted) {
      return absl::InternalError("changed the module, whose version did not count it; analyses may be out of date");
    }
    if (reported == differs) return absl::OkStatus();
    return absl::InternalError(reported ? "reported a change, but the module is the same as before"
                                        : "reported no change, but the module differs from the one before");
  }

  const PassRunnerOptions& options_;
  PassContext& context_;
  HloModule& module_;
  std::vector<PassRecord>* const records_;
  std::vector<Shape> interface_;
  bool has_layouts_ = false;
  int64_t runs_ = 0;
  // Counts the runs that changed something; what each pass has left behind, or found unchanged, by pass and options.
  int64_t version_ = 0;
  std::map<std::pair<std::string, PassOptionValues>, int64_t> last_version_;
};

}  // namespace

absl::StatusOr<const Pass*> PassByName(absl::string_view name) {
  const Pass* pass = FindPass(absl::StrReplaceAll(name, {{"_", "-"}}));
  if (pass == nullptr) pass = FindPass(PassOfXlaName(name));
  if (pass == nullptr) return UnknownPass(name);
  return pass;
}

absl::StatusOr<Pipeline> ParsePasses(absl::string_view text) {
  Pipeline pipeline;
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    ASSIGN_OR_RETURN(PipelineStep step, ParseStep(part));
    pipeline.push_back(std::move(step));
  }
  return pipeline;
}

absl::Status CheckSteps(absl::Span<const PipelineStep> steps) {
  for (const PipelineStep& step : steps) {
    RETURN_IF_ERROR(step.group.empty() ? CheckStep(step) : CheckSteps(step.group));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> RunPasses(absl::Span<const PipelineStep> steps, const PassRunnerOptions& options,
                               PassContext& context, HloModule& module, std::vector<PassRecord>* records) {
  RETURN_IF_ERROR(CheckSteps(steps));
  for (const std::string& name : options.disabled_passes) {
    if (FindPass(name) == nullptr) return UnknownPass(name);
  }
  module.Tidy();  // so that what the builder of the module left untidy is no change of the first pass
  context.StartRun(module.instruction_count());
  if (options.strict) context.analyses.CheckHits();
  const ResourceContext resources(context.resources, "optimizing the program");
  const ResourceContext* const whole = std::exchange(context.resources, &resources);
  const absl::StatusOr<bool> changed = Runner(options, context, module, records).Run(steps, "", 0);
  context.resources = whole;
  context.analyses.Forget();
  return changed;
}

}  // namespace xla
