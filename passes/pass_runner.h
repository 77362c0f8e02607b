// Runs passes and pipelines of passes, and does around each pass what no pass does itself: verify, time, count, dump,
// skip, stop.
#ifndef PASSES_PASS_RUNNER_H_
#define PASSES_PASS_RUNNER_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "passes/base/pass.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// One pass with the options that differ from the defaults, or a group that is repeated until nothing changes.
struct PipelineStep {
  std::string pass;
  PassOptionValues options;
  // Not empty: this step is a group, and `pass` is its name.
  std::vector<PipelineStep> group;
  int max_rounds = 1;
  std::string why;  // its place, for people
};
using Pipeline = std::vector<PipelineStep>;

// The pass that a user calls `name`, as the pass table does or as XLA does (xla_pass_names.h); '-' and '_' are alike.
// InvalidArgument with the nearest name there is.
absl::StatusOr<const Pass*> PassByName(absl::string_view name);

// "fold-constants,simplify-algebra:fast-math=no-nans+reassociate,remove-dead-code": names of passes, as PassByName
// takes them, each with options after colons; a switch may stand without its "=true". Every pass has the option
// fast-math: groups that are on for this run of it, besides those of the context. InvalidArgument names what is
// unknown, and the nearest name there is.
absl::StatusOr<Pipeline> ParsePasses(absl::string_view text);

// Whether there are passes of all these names, with options of these names and kinds of values. InvalidArgument.
absl::Status CheckSteps(absl::Span<const PipelineStep> steps);

// How RunPasses watches the passes; the defaults verify what changed and run everything. `before_pass` and
// `after_pass` are given the name of the pass and the number of its run, from 1.
struct PassRunnerOptions {
  // Verify after every pass, not only after those that say that they changed something; compare the module's text
  // before and after with what the pass says. For tests.
  bool strict = false;
  // From assign-layouts on, verify layouts too (verify_layouts.h), until a pass runs that need not keep them. Strict
  // runs do so anyway.
  bool verify_layouts = false;
  // Names that no pass has are an error.
  std::set<std::string> disabled_passes;
  // At most this many passes run, counted over groups and rounds; -1: all.
  int64_t stop_after = -1;
  // Called around each pass that runs. `before` may clone the module; an error of either ends the run.
  std::function<absl::Status(const HloModule& module, const std::string& pass, int64_t number)> before_pass;
  std::function<absl::Status(const HloModule& module, const std::string& pass, int64_t number, bool changed)>
      after_pass;
};

// What one run of one pass did.
struct PassRecord {
  std::string pass;
  std::string group;  // "" outside of groups
  int round = 0;      // of the group, from 0
  bool changed = false;
  absl::Duration time;  // of the pass alone
  int64_t instructions_before = 0;
  int64_t instructions_after = 0;
  RewriteCounts rewrites;
};

// Runs the steps on a verified module, which is tidied after each pass. Computations that nothing calls any more stay
// until remove-dead-code takes them. In a group, a pass is not run again before another one has changed something, for
// a second run of a pass never does. A group that still changes in its last round leaves a warning in the context.
//
// `records`, if given, gets one record for each pass that ran. True if anything changed. Errors: InvalidArgument for
// steps that CheckSteps refuses; that of a pass, of a hook, DeadlineExceeded, or Internal, naming pass and violation,
// if the module does not verify after a pass or (strict) a pass reported `changed` wrongly. All name the pass and the
// number of its run, from 1, that stop_after counts and the hooks are given.
absl::StatusOr<bool> RunPasses(absl::Span<const PipelineStep> steps, const PassRunnerOptions& options,
                               PassContext& context, HloModule& module, std::vector<PassRecord>* records = nullptr);

}  // namespace xla

#endif  // PASSES_PASS_RUNNER_H_
