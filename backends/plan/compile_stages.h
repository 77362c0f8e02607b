// What compiling leaves for people: how long its stages took, and the module that they have made.
#ifndef BACKENDS_PLAN_COMPILE_STAGES_H_
#define BACKENDS_PLAN_COMPILE_STAGES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backends/options.h"
#include "backends/report.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Adds the time since the last stage.
class StageClock {
 public:
  explicit StageClock(CompileReport* report) : report_(report), start_(absl::Now()) {}
  void EndStage(const char* name) {
    const absl::Time now = absl::Now();
    report_->stages.emplace_back(name, now - start_);
    start_ = now;
  }

 private:
  CompileReport* const report_;
  absl::Time start_;
};

// The stage "verify", if the options ask for it.
absl::Status VerifyStage(const HloModule& module, const CompileOptions& options, const ResourceContext& resources,
                         StageClock* clock);

// Writes optimized.hlo and memory.txt. The folder is made if there is none.
absl::Status DumpModule(const HloModule& module, const std::string& folder);

}  // namespace xla

#endif  // BACKENDS_PLAN_COMPILE_STAGES_H_
