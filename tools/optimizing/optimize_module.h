// Optimizer: runs the passes that the flags of hlo-opt name.
#ifndef TOOLS_OPTIMIZING_OPTIMIZE_MODULE_H_
#define TOOLS_OPTIMIZING_OPTIMIZE_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/check/differential_check.h"
#include "passes/pass_runner.h"
#include "tools/optimizing/check_arguments.h"
#include "tools/optimizing/pass_dump.h"
#include "tools/optimizing/pass_flags.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

class Optimizer {
 public:
  // InvalidArgument, for the command line: a pass, pipeline, option, group of fast math, analysis or regular expression
  // that is invalid. `flags` and `resources` must outlive the optimizer.
  static absl::StatusOr<std::unique_ptr<Optimizer>> Create(const PassFlags& flags, const ResourceContext& resources);

  // Runs the passes on a verified module of `program`, and prints statistics, explanations, warnings and what checks
  // find on standard error. Errors: those of RunPasses, and of writing files.
  absl::Status Optimize(HloModule& module, const ProgramData& program);

  // Whether Optimize returned an error.
  bool failed() const { return failed_; }
  // Whether a check found that a pass changed what a program computes.
  bool found_difference() const { return found_difference_; }

 private:
  Optimizer(const PassFlags& flags, const ResourceContext& resources) : flags_(flags), resources_(resources) {}
  absl::Status ReadFlags();
  absl::Status ReadRules();
  absl::Status RunAndReport(HloModule& module, const ProgramData& program, int64_t number);
  absl::StatusOr<DifferentialCheckOptions> CheckOptions(const HloModule& module, const ProgramData& program,
                                                        const ResourceContext& resources) const;
  void Report(const PassContext& context, const std::vector<PassRecord>& records) const;
  absl::Status WriteFinding(const HloModule& module, const CheckFinding& finding) const;
  absl::Status ReportCheck(const HloModule& module, const DifferentialCheck& check);

  const PassFlags& flags_;
  const ResourceContext& resources_;
  Pipeline steps_;
  PassRunnerOptions runner_;
  PassContext context_;
  std::unique_ptr<PassDump> dump_;
  int64_t module_number_ = 0;
  bool failed_ = false;
  bool has_bad_arguments_ = false;  // the error is one of what came in
  bool found_difference_ = false;
};

}  // namespace xla

#endif  // TOOLS_OPTIMIZING_OPTIMIZE_MODULE_H_
