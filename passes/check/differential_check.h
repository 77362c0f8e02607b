// DifferentialCheck: runs a program before and after each pass on the interpreter, and finds out what made a
// difference.
#ifndef PASSES_CHECK_DIFFERENTIAL_CHECK_H_
#define PASSES_CHECK_DIFFERENTIAL_CHECK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/base/pass.h"
#include "passes/base/pass_context.h"
#include "passes/check/check_inputs.h"
#include "passes/check/compare_runs.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// How many sets of arguments there are, and how far each run may go.
struct DifferentialCheckOptions {
  RunLimits limits;
  uint64_t seed = 0;
  // Sets of arguments of each kind of check_inputs.h. Without `given` at least 1.
  int sets_of_each_kind = 1;
  // Arguments of the user's own, by device: one more set, the first one. Empty: there is none.
  std::vector<std::vector<Literal>> given;
  std::string given_name = "the given arguments";
  // Numbers of parameters that have the values of `given` in all sets.
  std::vector<int64_t> weights;
  // How passes are found that are run again to find the wrong rewrite; without it only the pass is named.
  std::function<const Pass*(absl::string_view name)> find_pass;
};

// A difference.
struct CheckFinding {
  std::string pass;       // "" if all of them together make the difference
  int64_t number = 0;     // of its run
  std::string arguments;  // "edge-valued arguments of seed 2"
  // What differs, beginning with the first differing element; or the error that the program ends with now.
  std::string difference;
  // "add-zero at add.5 = f32[4] add(x, zero)", or, where that cannot be told, the rules that fired.
  std::string rewrite;
  std::unique_ptr<HloModule> before;
  std::unique_ptr<HloModule> after;

  // A few lines for people.
  std::string ToString() const;
};

// How much was compared, so that a check that compared nothing does not look like one that found nothing.
struct CheckCounts {
  int64_t compared = 0;  // passes that changed something, and with how many runs
  int64_t runs = 0;
  int64_t unchecked = 0;  // passes that changed something although no run could be compared
  // Sets of arguments with which the program ended in an error or at a limit, and the last reason.
  int64_t skipped_sets = 0;
  std::string skip_reason;
};

// To be called around every pass of one program. A program that fails, or reaches a limit, before the first pass is
// not compared with those arguments; nor is one that reaches a limit, eight times as large, only afterwards.
//
// An output that is exact (analyses/exactness.h) in the program before the first pass, or before the pass, must be
// equal bit by bit. Others may change with the order of a sum, and with fast math all may: they must be equal by the
// tolerance of the element type. With fast math the arguments are ordinary.
//
// What each pass changes within the tolerance may add up, so at the end the program is compared with that before the
// first pass, too.
class DifferentialCheck {
 public:
  DifferentialCheck(DifferentialCheckOptions options, PassContext& context);
  ~DifferentialCheck();

  absl::Status BeforePass(const HloModule& module);
  absl::Status AfterPass(const HloModule& module, const std::string& pass, int64_t number, bool changed);
  // Finds nothing new if a pass did.
  void AfterAllPasses(const HloModule& module);

  const std::vector<CheckFinding>& findings() const { return findings_; }
  const CheckCounts& counts() const { return counts_; }

 private:
  // Arguments, and what the program as it is now computes from them.
  struct ArgumentSet {
    std::string name;
    bool is_ordinary = false;
    std::vector<std::vector<Literal>> arguments;
    RunOutcome outcome;
    RunOutcome first_outcome;  // before the first pass
  };

  absl::Status MakeSets(const HloModule& module);
  void AddGeneratedSet(const HloModule& module, const CheckInputOptions& inputs, std::string name);
  // With arguments in it and nothing else.
  void AddSet(const HloModule& module, ArgumentSet set);
  void Skip(absl::string_view reason);
  ExactOutputs ExactOutputsOfPass() const;
  std::string FindRewrite(const ArgumentSet& set, const ExactOutputs& exact) const;
  // Whether the pass, on the module before, with at most this many rewrites, makes the difference.
  absl::StatusOr<bool> Differs(const ArgumentSet& set, const ExactOutputs& exact, int64_t max_rewrites,
                               std::string* last_rewrite) const;

  const DifferentialCheckOptions options_;
  PassContext& context_;
  bool has_sets_ = false;
  std::vector<ArgumentSet> sets_;
  ExactOutputs first_exact_;  // before the first pass
  std::unique_ptr<HloModule> first_;
  std::unique_ptr<HloModule> before_;
  ExactOutputs exact_before_;  // of `before_`
  std::vector<CheckFinding> findings_;
  CheckCounts counts_;
};

}  // namespace xla

#endif  // PASSES_CHECK_DIFFERENTIAL_CHECK_H_
