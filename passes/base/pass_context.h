// PassContext: what a pass may ask, and what it tells, while it runs.
#ifndef PASSES_BASE_PASS_CONTEXT_H_
#define PASSES_BASE_PASS_CONTEXT_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "passes/base/analysis_cache.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Groups of rewrites that are off unless --fast-math names them, because they can change a NaN, an infinity, the sign
// of a zero or the last bit of an elementwise result. The last one is for backends that generate code: no pass does it.
enum FastMath : unsigned {
  kExact = 0,
  kReassociate = 1,    // (x + a) + b -> x + (a + b); x * a + x * b -> x * (a + b)
  kNoNans = 2,         // x - x -> 0, x == x -> true: right unless a NaN or an infinity turns up
  kNoSignedZeros = 4,  // x + 0 -> x: wrong for -0 only
  kApproximate = 8,    // x / c -> x * (1 / c), log(exp(x)) -> x: another rounding
  kContract = 16,      // x * y + z rounds once
  kAllFastMath = 31,
};
// "reassociate", "no-nans", "no-signed-zeros", "approximate", "contract" or "all"; InvalidArgument lists them.
absl::StatusOr<unsigned> ParseFastMath(absl::string_view name);
// The names of groups, as ParseFastMath takes each.
std::vector<std::string> FastMathNames(unsigned groups);

// Values of a pass's options by name; what was not given has the default of the pass table. Checked before the pass
// runs.
using PassOptionValues = std::map<std::string, std::string>;

// How often each rewrite rule fired, by name. Also counts what has no rule ("instructions removed").
using RewriteCounts = std::map<std::string, int64_t>;

// One line of --explain: a decision, and why.
struct Explanation {
  std::string pass;
  std::string instruction;
  std::string text;
};

// One context serves all passes of a run: requests are set before the first pass, counts begin again with each pass,
// explanations and warnings add up. Not thread-safe; passes run on one thread.
class PassContext {
 public:
  // ---- What was asked for; set before the first pass runs.

  unsigned fast_math = kExact;
  std::set<std::string> disabled_rules;
  // Limits of the passes, and who may stop them; nullptr: none. A pass that takes long asks CheckDeadline now and then.
  const ResourceContext* resources = nullptr;
  // Topics to explain: "fusion", "match". Explaining costs time and memory.
  std::set<std::string> explained_topics;
  // Rules stop firing after this many rewrites of a pass, so that the wrong one among them can be found; -1: no limit.
  int64_t max_rewrites = -1;

  // ---- What a pass asks

  AnalysisCache analyses;

  // Of the running pass. The option must be one of its row in the pass table.
  absl::string_view Option(absl::string_view name) const;
  int64_t IntOption(absl::string_view name) const;  // its text is a number, as the pass table promises
  bool BoolOption(absl::string_view name) const;    // "true" or "false"
  std::vector<std::string> ListOption(absl::string_view name) const;  // "a+b+c"; empty text: none
  bool FastMathAllows(unsigned group) const { return (fast_math & group) == group; }
  bool RuleEnabled(absl::string_view rule) const { return disabled_rules.count(std::string(rule)) == 0; }
  // An error once a limit has been reached. Cheap: it may be asked for each instruction.
  absl::Status CheckDeadline() const { return CheckResources(resources); }
  // Of the module that the first pass of the run was given; 0 outside of a run.
  int64_t instructions_at_start() const { return instructions_at_start_; }
  // How many instructions the module may come to have through copies of what it shares (ResourceLimits). One for all
  // passes of a run: were it relative to what each pass is given, it would be multiplied by each.
  int64_t max_instructions() const;

  // ---- What a pass tells

  // `rule` fired at an instruction that may be gone by now.
  void CountRewrite(absl::string_view rule, int64_t times = 1) { counts_[std::string(rule)] += times; }
  // A rewrite that max_rewrites counts; ask MayRewrite before.
  void CountRewriteOf(absl::string_view rule, const HloInstruction& instruction);
  bool MayRewrite() const { return max_rewrites < 0 || numbered_rewrites_ < max_rewrites; }
  bool WantsExplanation(absl::string_view topic) const { return explained_topics.count(std::string(topic)) != 0; }
  void Explain(const HloInstruction& instruction, std::string text);
  // Something a person should know although the pass goes on: a limit that was reached, a step that took long.
  void Warn(std::string text);

  // ---- For the runner

  const std::string& pass() const { return pass_; }
  void StartRun(int64_t instructions) { instructions_at_start_ = instructions; }
  void StartPass(std::string pass, PassOptionValues options);
  // Those of the running pass since StartPass.
  const RewriteCounts& counts() const { return counts_; }
  const PassOptionValues& options() const { return options_; }
  // Those of CountRewriteOf, since StartPass.
  int64_t numbered_rewrites() const { return numbered_rewrites_; }
  // Of the last one, if max_rewrites is set: "add-zero at add.5 = f32[4] add(x, zero)".
  const std::string& last_rewrite() const { return last_rewrite_; }
  const std::vector<Explanation>& explanations() const { return explanations_; }
  // "pass NAME: ...", since the beginning.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::string pass_;
  PassOptionValues options_;
  RewriteCounts counts_;
  int64_t instructions_at_start_ = 0;
  int64_t numbered_rewrites_ = 0;
  std::string last_rewrite_;
  std::vector<Explanation> explanations_;
  std::vector<std::string> warnings_;
};

// Warns if the step of a pass that it spans, the work on one instruction, takes more than a second.
class StepWatch {
 public:
  StepWatch(const HloInstruction& instruction, PassContext& context)
      : name_(instruction.name()), context_(context), start_(absl::Now()) {}
  ~StepWatch();
  StepWatch(const StepWatch&) = delete;
  StepWatch& operator=(const StepWatch&) = delete;

 private:
  const std::string name_;
  PassContext& context_;
  const absl::Time start_;
};

}  // namespace xla

#endif  // PASSES_BASE_PASS_CONTEXT_H_
