#include "backends/autopsy/autopsy.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "backends/autopsy/case_files.h"
#include "backends/autopsy/cut.h"
#include "backends/autopsy/difference.h"
#include "backends/autopsy/pass_search.h"
#include "backends/autopsy/step_check.h"
#include "backends/literal_execution.h"
#include "passes/analyses/exactness.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/source_line.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/literal_io/format_literal.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using Results = std::vector<Literal>;  // by device
using Verdict = AutopsyResult::Verdict;

// How often a program is run again to see whether its results change from run to run.
constexpr int kRepeatedRuns = 4;
// Flags of hlo-run that show all differences.
constexpr char kEveryBit[] = " --rtol 0 --atol 0 --ulp 0";
// Longer arrays are abbreviated in the verdict.
constexpr int64_t kShownElements = 16;

std::vector<Literal> ArrayLeaves(const Literal& value) {
  std::vector<Literal> arrays;
  for (Literal& leaf : FlattenLeaves(value)) {
    if (leaf.shape().IsArray()) arrays.push_back(std::move(leaf));
  }
  return arrays;
}

bool HaveSameResults(const Results& a, const Results& b) {
  for (size_t d = 0; d < a.size(); ++d) {
    const std::vector<Literal> mine = ArrayLeaves(a[d]), others = ArrayLeaves(b[d]);
    for (size_t i = 0; i < mine.size(); ++i) {
      if (!HaveSameBytes(mine[i], others[i])) return false;
    }
  }
  return true;
}

std::string LoopsText(const std::vector<ObservedLoop>& loops) {
  return absl::StrJoin(loops, ", ", [](std::string* out, const ObservedLoop& loop) {
    absl::StrAppend(out, "iteration ", loop.iteration, " of ", loop.loop->name());
  });
}

// "fusion.3 = f32[4] fusion(...), computation body, model.py:12"
std::string PlaceText(const HloInstruction& instruction) {
  const std::string line = SourceLineOf(instruction);
  return absl::StrCat(instruction.ToShortString(), "\n  in computation ", instruction.parent()->name(),
                      line.empty() ? "" : absl::StrCat("\n  source: ", line));
}

class Autopsy {
 public:
  Autopsy(const HloModule& module, const std::vector<std::vector<Literal>>& arguments, const AutopsyOptions& options)
      : module_(module), arguments_(arguments), options_(options), files_(options.folder) {}

  absl::StatusOr<AutopsyResult> Run() {
    const absl::Status status = Search();
    if (!status.ok()) {
      RETURN_IF_ERROR(files_.WriteVerdict(SoFar(absl::StrCat("stopped while ", phase_, ": ", status.message()))));
      return status;
    }
    return std::move(result_);
  }

 private:
  absl::Status Enter(std::string phase) {
    RETURN_IF_ERROR(CheckResources(options_.resources));
    phase_ = std::move(phase);
    if (options_.progress) options_.progress(phase_, 0, 0);
    return files_.WriteVerdict(SoFar(absl::StrCat("it was ", phase_)));
  }
  std::string SoFar(absl::string_view state) const {
    const std::string accusation = accusation_.empty() ? "" : absl::StrCat(accusation_, "; ");
    return absl::StrCat("verdict: ", accusation, "not finished, ", state, "\n\nknown so far\n", known_);
  }
  // What is found, before the program that shows it.
  absl::Status Accuse(absl::string_view headline) {
    accusation_ = std::string(headline);
    return files_.WriteVerdict(SoFar("it was writing files"));
  }
  void Know(absl::string_view fact) { absl::StrAppend(&known_, fact, fact.empty() || fact.back() == '\n' ? "" : "\n"); }
  absl::Status Conclude(Verdict verdict, absl::string_view headline) {
    result_.verdict = verdict;
    result_.text = absl::StrCat("verdict: ", headline, "\n\n", known_);
    return verdict == Verdict::kNoDifference ? absl::OkStatus() : files_.WriteVerdict(result_.text);
  }

  absl::Status Search();
  absl::Status SearchPasses(bool* found);
  absl::Status SearchSteps(bool is_strict, bool* found);
  absl::Status CompareRuns(bool* found);
  absl::Status SearchTiles(bool* found);
  absl::Status JudgeWhole();
  absl::Status NoteDecisions();

  // ---- Runs

  absl::StatusOr<Results> Interpret(const HloModule& module) const;
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const HloModule& module, bool observes) const;
  absl::StatusOr<Results> Execute(Executable& executable, ProfileSink* profile) const;
  absl::StatusOr<std::string> Difference(const Results& got, const Results& want);
  JudgeOptions Judging() const {
    JudgeOptions options;
    options.rounding = {options_.seed, options_.threads, options_.resources};
    options.is_inexact = is_inexact_;
    return options;
  }
  bool is_on_one_device() const { return arguments_.size() == 1; }
  absl::Duration CuttingTime() const {
    if (options_.resources == nullptr) return options_.cutting_time;
    return std::min(options_.cutting_time, (options_.resources->deadline() - absl::Now()) / 3);
  }

  // ---- Findings

  absl::Status AccuseStep(StepFinding& finding);
  absl::Status AccusePlan(const absl::Status& status);
  absl::Status AccusePass(WrongPass& finding);
  absl::Status JudgeAllPasses(const WrongPass& finding, const Results& optimized);
  // Writes the program that shows it, cut down where `shows` still holds.
  absl::Status WriteCase(const HloModule& module, const std::vector<Literal>& arguments, const ShowsFault& shows,
                         const std::string& command);
  absl::StatusOr<bool> BackendDiffers(const HloModule& module, const std::vector<Literal>& arguments,
                                      const ResourceContext* limits) const;

  const HloModule& module_;
  const std::vector<std::vector<Literal>>& arguments_;
  const AutopsyOptions& options_;
  CaseFiles files_;
  std::string phase_ = "beginning";
  std::string known_;
  std::string accusation_;  // "": nothing is found
  AutopsyResult result_;
  bool is_inexact_ = false;
  Results want_, got_;
  absl::optional<Results> recorded_;  // of the run whose steps were compared, if it ended
  std::unique_ptr<Executable> executable_;
};

absl::StatusOr<Results> Autopsy::Interpret(const HloModule& module) const {
  EvaluatorOptions options;
  options.threads = options_.threads;
  options.seed = options_.seed;
  options.resources = options_.resources;
  options.partition_count =
      options_.compile.partition_count > 0 ? options_.compile.partition_count : module.config().num_partitions;
  options.replica_count = static_cast<int64_t>(arguments_.size()) / options.partition_count;
  FeedQueues queues;
  queues.infeed = options_.infeed;
  queues.infeed.resize(arguments_.size());
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(module, options));
  ASSIGN_OR_RETURN(Results results, evaluator->Run(arguments_, &queues));
  for (Literal& result : results) result.LeaveBudget();
  return results;
}

absl::StatusOr<std::unique_ptr<Executable>> Autopsy::Compile(const HloModule& module, bool observes) const {
  CompileOptions options = options_.compile;
  options.verify = false;
  options.resources = options_.resources;
  if (observes) {
    options.settings["observe-steps"] = "true";
    options.settings["verify-plan"] = "true";
  }
  return options_.client->Compile(module, options);
}

absl::StatusOr<Results> Autopsy::Execute(Executable& executable, ProfileSink* profile) const {
  ExecuteOptions options;
  options.seed = options_.seed;
  options.resources = options_.resources;
  options.profile = profile;
  FeedQueues queues;
  queues.infeed = options_.infeed;
  queues.infeed.resize(arguments_.size());
  queues.outfeed.resize(arguments_.size());
  options.feeds = &queues;
  return ExecuteOnLiterals(executable, arguments_, options);
}

absl::StatusOr<std::string> Autopsy::Difference(const Results& got, const Results& want) {
  if (options_.difference) return options_.difference(got, want);
  ExactnessOptions exactness;
  exactness.may_round = BackendsMayRound;
  ASSIGN_OR_RETURN(const ExactOutputs exact, FindExactOutputs(module_, options_.resources, exactness));
  std::string text;
  for (size_t d = 0; d < got.size(); ++d) {
    const std::vector<Literal> mine = FlattenLeaves(got[d]), others = FlattenLeaves(want[d]);
    for (size_t i = 0; i < mine.size(); ++i) {
      if (!others[i].shape().IsArray()) continue;
      Tolerance tolerance = SameBits();
      if (is_inexact_ || !exact.results[i]) tolerance = DefaultTolerance(others[i].shape().element_type());
      const Comparison comparison = CompareArrays(mine[i], others[i], tolerance);
      if (comparison.matches()) continue;
      absl::StrAppend(
          &text,
          DescribeComparison(OutputName(static_cast<int>(d), static_cast<int>(got.size()), static_cast<int>(i)),
                             comparison, mine[i], others[i]),
          "\n");
    }
  }
  return text;
}

// Whether the settings allow what changes bits.
bool AllowsInexactRewrites(const CompileOptions& options) {
  const auto is_set = [&](const char* name) {
    const auto setting = options.settings.find(name);
    return setting != options.settings.end() && setting->second != "false" && !setting->second.empty();
  };
  return options.fast_math || is_set("fast-math") || is_set("contract-recurrences") || is_set("flush-denormals");
}

absl::Status Autopsy::Search() {
  is_inexact_ = AllowsInexactRewrites(options_.compile);
  RETURN_IF_ERROR(files_.RemoveOlder());
  RETURN_IF_ERROR(Enter("running the interpreter"));
  ASSIGN_OR_RETURN(want_, Interpret(module_));
  RETURN_IF_ERROR(Enter("running the backend"));
  absl::StatusOr<std::unique_ptr<Executable>> executable = Compile(module_, /*observes=*/false);
  if (absl::IsInternal(executable.status())) return AccusePlan(executable.status());
  RETURN_IF_ERROR(executable.status());
  executable_ = *std::move(executable);
  ASSIGN_OR_RETURN(got_, Execute(*executable_, nullptr));
  ASSIGN_OR_RETURN(const std::string difference, Difference(got_, want_));
  if (difference.empty()) {
    files_.Forget();
    Know(absl::StrCat("backend ", options_.client->platform_name(), " and the interpreter agree"));
    return Conclude(Verdict::kNoDifference, "no difference");
  }
  Know(absl::StrCat("backend ", options_.client->platform_name(), " and the interpreter differ:\n", difference));
  if (is_inexact_) Know("the settings allow fast math or the like, so that no result need have the interpreter's bits");
  bool found = false;
  RETURN_IF_ERROR(SearchPasses(&found));
  if (!found) RETURN_IF_ERROR(SearchSteps(/*is_strict=*/false, &found));
  if (!found) RETURN_IF_ERROR(SearchTiles(&found));
  if (!found) RETURN_IF_ERROR(CompareRuns(&found));
  return found ? absl::OkStatus() : JudgeWhole();
}

// ---- Passes

absl::Status Autopsy::SearchPasses(bool* found) {
  RETURN_IF_ERROR(Enter("running the interpreter on the program after the backend's passes"));
  if (executable_->module() == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Results optimized, Interpret(*executable_->module()));
  if (HaveSameResults(optimized, want_)) {
    Know("passes: none changes what the program computes with these arguments");
    return absl::OkStatus();
  }
  PassSearchOptions search;
  search.pipeline = options_.pipeline.empty() ? options_.client->platform_name() : options_.pipeline;
  search.compile = options_.compile;
  search.resources = options_.resources;
  search.threads = options_.threads;
  search.judging = Judging();
  if (!HasPipeline(search.pipeline)) {
    Know("passes: the program after them computes something else, and this backend has no pipeline to check them by");
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(Enter("checking each pass"));
  ASSIGN_OR_RETURN(WrongPass finding, FindWrongPass(module_, arguments_, search));
  if (finding.pass.empty()) return JudgeAllPasses(finding, optimized);
  *found = true;
  return AccusePass(finding);
}

// No pass alone is wrong, and yet the program after all of them computes something else.
absl::Status Autopsy::JudgeAllPasses(const WrongPass& finding, const Results& optimized) {
  const std::string count = absl::StrCat("passes: ", finding.checked, " change the program");
  if (!finding.unchecked_reason.empty()) {
    Know(absl::StrCat(count, "; some were not compared: ", finding.unchecked_reason));
  }
  if (!is_on_one_device()) {
    Know(absl::StrCat(count, "; none alone changes results by more than the tolerance"));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Judgement judgement, JudgeDifference(module_, arguments_[0], ArrayLeaves(optimized[0]),
                                                              ArrayLeaves(want_[0]), Judging()));
  if (!judgement.is_accusation()) {
    Know(absl::StrCat(count, "; rounding explains what they change"));
  } else {
    Know(absl::StrCat(count, "; none alone does, but the program after all of them computes something else:\n",
                      judgement.text));
  }
  return absl::OkStatus();
}

absl::Status Autopsy::AccusePass(WrongPass& finding) {
  result_.pass = finding.pass;
  result_.rewrite = finding.rewrite;
  Know(finding.text);
  const std::string headline = absl::StrCat("pass ", finding.pass, " changes what the program computes");
  RETURN_IF_ERROR(Accuse(headline));
  RETURN_IF_ERROR(files_.WriteModule("before_pass.hlo", *finding.before));
  RETURN_IF_ERROR(files_.WriteModule("after_pass.hlo", *finding.after));
  if (is_on_one_device()) {
    const ShowsFault shows = [&](const HloModule& module, const std::vector<Literal>& arguments,
                                 const ResourceContext* limits) {
      JudgeOptions judging = Judging();
      judging.rounding.resources = limits;
      return PassChanges(finding, module, arguments, judging);
    };
    const std::string command =
        absl::StrCat("hlo-opt ", files_.Path("module.hlo"), " --passes=", PassWithOptions(finding),
                     " --check-each-pass --check-sets 0 --input ", files_.Path("inputs.npz"), " --verify-only");
    RETURN_IF_ERROR(WriteCase(*finding.before, arguments_[0], shows, command));
  }
  return Conclude(Verdict::kPass, headline);
}

// ---- Steps

absl::Status Autopsy::AccusePlan(const absl::Status& status) {
  result_.step = "plan";
  Know(absl::StrCat("the plan of memory and steps is wrong:\n", status.message()));
  return Conclude(Verdict::kStep, "the plan of the compiled program is wrong");
}

const char* KindText(StepFinding::Kind kind) {
  switch (kind) {
    case StepFinding::Kind::kWrongResult:
      return "a step of the compiled program computes something else than the interpreter";
    case StepFinding::Kind::kUnstoredResult:
      return "a step of the compiled program does not store all of its result";
    case StepFinding::Kind::kTilesDisturbEachOther:
      return "tiles of a step of the compiled program disturb each other: another order gives another result";
    case StepFinding::Kind::kChangesBetweenRuns:
      return "a step of the compiled program changes between runs: the same operands give other results";
    case StepFinding::Kind::kSpoiledMemory:
      return "a step of the compiled program reads memory that was reused too early";
    case StepFinding::Kind::kUnwrittenMemory:
      return "a step of the compiled program reads memory that nothing has written (poison)";
  }
  return "";
}

absl::Status Autopsy::SearchSteps(bool is_strict, bool* found) {
  RETURN_IF_ERROR(Enter(is_strict ? "judging each step of the compiled program against f64"
                                  : "comparing each step of the compiled program with the interpreter"));
  const absl::StatusOr<std::unique_ptr<Executable>> observed = Compile(module_, /*observes=*/true);
  if (absl::IsInternal(observed.status())) {
    *found = true;
    return AccusePlan(observed.status());
  }
  if (absl::IsInvalidArgument(observed.status())) {
    Know(absl::StrCat("steps: this backend does not show them: ", observed.status().message()));
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(observed.status());
  StepCheckOptions check_options;
  check_options.seed = options_.seed;
  check_options.threads = options_.threads;
  check_options.is_strict = is_strict;
  check_options.is_inexact = is_inexact_;
  check_options.resources = options_.resources;
  check_options.progress = [this](int64_t steps) {
    if (options_.progress) options_.progress(phase_, steps, 0);
  };
  const auto device_count = static_cast<int64_t>(arguments_.size());
  auto check = std::make_unique<StepCheck>(*(*observed)->module(), device_count, check_options);
  absl::StatusOr<Results> results = Execute(**observed, check.get());
  StepFinding* finding = check->finding();
  if (finding != nullptr && finding->kind == StepFinding::Kind::kSpoiledMemory) {
    // Once more, to see which step does it.
    StepCheckOptions watching = check_options;
    watching.mode = StepCheckOptions::Mode::kMemory;
    auto watch = std::make_unique<StepCheck>(*(*observed)->module(), device_count, watching);
    Execute(**observed, watch.get()).status().IgnoreError();
    if (watch->finding() != nullptr && watch->finding()->kind == StepFinding::Kind::kSpoiledMemory) {
      check = std::move(watch);
      finding = check->finding();
    }
  }
  const CheckedSteps& counts = check->counts();
  if (finding != nullptr) {
    *found = true;
    return AccuseStep(*finding);
  }
  RETURN_IF_ERROR(results.status());
  recorded_ = *std::move(results);
  Know(absl::StrCat("steps: ", counts.checked, is_strict ? " judged against f64" : " compared with the interpreter",
                    " on their own operands, none is wrong; ", counts.rounded, " are inexact, as they may be"));
  if (counts.unchecked > 0) {
    Know(absl::StrCat("steps: ", counts.unchecked, " have effects and were not compared (", counts.unchecked_reason,
                      ")"));
  }
  if (counts.checked == 0) Know("steps: the program ran without any that could be observed");
  return absl::OkStatus();
}

// Whether all runs have the same results, those whose steps were compared among them.
absl::Status Autopsy::CompareRuns(bool* found) {
  RETURN_IF_ERROR(Enter("repeating the run"));
  int others = 0;
  for (int i = 0; i < kRepeatedRuns; ++i) {
    ASSIGN_OR_RETURN(const Results again, Execute(*executable_, nullptr));
    if (!HaveSameResults(again, got_)) ++others;
  }
  const bool recording_changes = recorded_.has_value() && !HaveSameResults(*recorded_, got_);
  *found = others > 0 || recording_changes;
  if (!*found) return absl::OkStatus();
  if (others > 0) {
    Know(absl::StrCat("changed between runs: ", others, " of ", kRepeatedRuns, " more have other results"));
    return Conclude(Verdict::kChangesBetweenRuns, "results change between runs, and no step was seen to change them");
  }
  ASSIGN_OR_RETURN(const std::string difference, Difference(*recorded_, want_));
  Know(absl::StrCat("changed between runs: ", kRepeatedRuns + 1,
                    " plain ones have the same results, and the one whose steps were compared has others, which ",
                    difference.empty() ? "agree with the interpreter" : "differ from the interpreter, too",
                    "; a race or an early reuse of memory that comparing steps hides does that"));
  return Conclude(Verdict::kChangesBetweenRuns, "results change between plain runs and those whose steps are compared");
}

absl::Status Autopsy::SearchTiles(bool* found) {
  RETURN_IF_ERROR(Enter("running the tiles of each step in another order"));
  const absl::StatusOr<std::unique_ptr<Executable>> observed = Compile(module_, /*observes=*/true);
  if (absl::IsInvalidArgument(observed.status())) return absl::OkStatus();
  RETURN_IF_ERROR(observed.status());
  StepCheckOptions check_options;
  check_options.mode = StepCheckOptions::Mode::kTiles;
  check_options.resources = options_.resources;
  StepCheck check(*(*observed)->module(), static_cast<int64_t>(arguments_.size()), check_options);
  const absl::Status status = Execute(**observed, &check).status();
  if (check.finding() == nullptr) return status;
  *found = true;
  return AccuseStep(*check.finding());
}

absl::Status Autopsy::AccuseStep(StepFinding& finding) {
  const HloInstruction& last = *finding.instructions.back();
  result_.step = finding.step_kind;
  result_.instruction = last.name();
  Know(absl::StrCat("step ", finding.number, ": ", finding.step_kind, ", which runs"));
  for (const HloInstruction* instruction : finding.instructions) Know(absl::StrCat("  ", PlaceText(*instruction)));
  if (!finding.loops.empty()) Know(absl::StrCat("  at ", LoopsText(finding.loops)));
  if (finding.kind == StepFinding::Kind::kSpoiledMemory) {
    Know(absl::StrCat("its operand ", finding.spoiled->ToShortString(), " was written by ",
                      finding.written_by < 0 ? "the caller" : absl::StrCat("step ", finding.written_by),
                      finding.spoiled_by < 0 ? ", and is something else now"
                                             : absl::StrCat(", and was something else after step ", finding.spoiled_by,
                                                            ", which does not say that it writes there")));
  }
  Know(finding.difference);
  for (size_t i = 0; i < finding.inputs.size(); ++i) {
    Know(absl::StrCat("operand ", finding.module->entry()->parameters()[i]->name(), " = ",
                      FormatLiteral(finding.inputs[i], kShownElements)));
  }
  RETURN_IF_ERROR(Accuse(KindText(finding.kind)));
  const ShowsFault shows = [this](const HloModule& module, const std::vector<Literal>& arguments,
                                  const ResourceContext* limits) { return BackendDiffers(module, arguments, limits); };
  const std::string command =
      absl::StrCat("hlo-run ", files_.Path("module.hlo"), " --input ", files_.Path("inputs.npz"), " ", options_.flags,
                   " --compare-with ", files_.Path("expected.npz"), kEveryBit);
  if (finding.module != nullptr) {
    RETURN_IF_ERROR(WriteCase(*finding.module, finding.inputs, shows, command));
  } else if (is_on_one_device()) {
    RETURN_IF_ERROR(WriteCase(module_, arguments_[0], shows, command));
  }
  return Conclude(Verdict::kStep, KindText(finding.kind));
}

// ---- The program that shows it

absl::StatusOr<bool> Autopsy::BackendDiffers(const HloModule& module, const std::vector<Literal>& arguments,
                                             const ResourceContext* limits) const {
  EvaluatorOptions evaluator_options;
  evaluator_options.threads = options_.threads;
  evaluator_options.seed = options_.seed;
  evaluator_options.resources = limits;
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(module, evaluator_options));
  const absl::StatusOr<Literal> want = evaluator->RunOne(arguments);
  RETURN_IF_ERROR(CheckResources(limits));
  if (!want.ok()) return false;
  CompileOptions compile = options_.compile;
  compile.verify = false;
  compile.weights.clear();
  compile.resources = limits;
  const absl::StatusOr<std::unique_ptr<Executable>> executable = options_.client->Compile(module, compile);
  RETURN_IF_ERROR(CheckResources(limits));
  if (!executable.ok()) return false;
  ExecuteOptions execute;
  execute.seed = options_.seed;
  execute.resources = limits;
  FeedQueues queues;
  queues.infeed.resize(1);
  queues.outfeed.resize(1);
  execute.feeds = &queues;
  const absl::StatusOr<Literal> got = ExecuteOnLiterals(**executable, arguments, execute);
  RETURN_IF_ERROR(CheckResources(limits));
  if (!got.ok()) return false;
  JudgeOptions judging = Judging();
  judging.rounding.resources = limits;
  ASSIGN_OR_RETURN(const Judgement judgement,
                   JudgeDifference(module, arguments, ArrayLeaves(*got), ArrayLeaves(*want), judging));
  return judgement.is_accusation();
}

absl::Status Autopsy::WriteCase(const HloModule& module, const std::vector<Literal>& arguments, const ShowsFault& shows,
                                const std::string& command) {
  if (options_.folder.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(Enter("cutting the program down"));
  CutProgram cut;
  ASSIGN_OR_RETURN(const bool is_shown, shows(module, arguments, options_.resources));
  if (is_shown) {
    ASSIGN_OR_RETURN(cut, Cut(module, arguments, shows, CuttingTime(), options_.resources));
    Know(absl::StrCat("cut to ", cut.module->instruction_count(), " instructions",
                      cut.finished ? "" : "; its time ended before the search for a smaller program did"));
  } else {
    cut.module = CloneModule(module);
    cut.arguments = arguments;
    Know(
        "the program in module.hlo alone does not show the fault: the backend compiles it in another way, or the fault "
        "is one of memory or time; run the whole program to see it");
  }
  EvaluatorOptions evaluator_options;
  evaluator_options.seed = options_.seed;
  evaluator_options.resources = options_.resources;
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(*cut.module, evaluator_options));
  ASSIGN_OR_RETURN(const Literal expected, evaluator->RunOne(cut.arguments));
  RETURN_IF_ERROR(files_.WriteModule("module.hlo", *cut.module));
  RETURN_IF_ERROR(files_.WriteArrays("inputs.npz", "arg", cut.arguments, options_.resources));
  RETURN_IF_ERROR(files_.WriteArrays("expected.npz", "out", {expected}, options_.resources));
  CompileOptions compile = options_.compile;
  compile.weights.clear();
  compile.settings["dump"] = files_.Path("compiled");
  if (!options_.client->Compile(*cut.module, compile).ok()) Know("compiled/: the backend writes none");
  const std::string inputs = cut.arguments.empty() ? "" : absl::StrCat(" --input ", files_.Path("inputs.npz"));
  Know(absl::StrCat("\nto see it again\n  ", command, "\n  hlo-run ", files_.Path("module.hlo"), inputs,
                    " --compare-with ", files_.Path("expected.npz"), kEveryBit));
  return absl::OkStatus();
}

// ---- Neither a pass nor a step

absl::Status Autopsy::NoteDecisions() {
  RETURN_IF_ERROR(Enter("following both sides' decisions"));
  const absl::StatusOr<std::unique_ptr<Executable>> observed = Compile(module_, /*observes=*/true);
  if (!observed.ok()) return absl::OkStatus();
  StepCheckOptions check_options;
  check_options.mode = StepCheckOptions::Mode::kTrajectory;
  check_options.seed = options_.seed;
  check_options.threads = options_.threads;
  check_options.resources = options_.resources;
  StepCheck check(*(*observed)->module(), static_cast<int64_t>(arguments_.size()), check_options);
  const absl::Status status = Execute(**observed, &check).status();
  RETURN_IF_ERROR(CheckResources(options_.resources));
  if (!status.ok()) Know(absl::StrCat("decisions were followed up to an error: ", status.message()));
  for (const DecisionFinding& decision : check.decisions()) {
    Know(absl::StrCat("decision within rounding of its threshold, in step ", decision.number, " (",
                      decision.instruction->name(), ")", decision.loops.empty() ? "" : ", ", LoopsText(decision.loops),
                      ", backend first, then interpreter:\n  ", decision.decision));
  }
  return absl::OkStatus();
}

absl::Status Autopsy::JudgeWhole() {
  RETURN_IF_ERROR(NoteDecisions());
  if (!is_on_one_device()) return Conclude(Verdict::kNotFound, "not found");
  RETURN_IF_ERROR(Enter("evaluating the program in f64"));
  ASSIGN_OR_RETURN(const Judgement judgement,
                   JudgeDifference(module_, arguments_[0], ArrayLeaves(got_[0]), ArrayLeaves(want_[0]), Judging()));
  if (!judgement.text.empty()) Know(judgement.text);
  if (judgement.is_accusation()) {
    bool found = false;
    if (recorded_.has_value()) RETURN_IF_ERROR(SearchSteps(/*is_strict=*/true, &found));
    return found ? absl::OkStatus() : Conclude(Verdict::kNotFound, "not found");
  }
  return Conclude(Verdict::kRounding, "rounding explains the difference");
}

}  // namespace

absl::StatusOr<AutopsyResult> RunAutopsy(const HloModule& module, const std::vector<std::vector<Literal>>& arguments,
                                         const AutopsyOptions& options) {
  return Autopsy(module, arguments, options).Run();
}

}  // namespace xla
