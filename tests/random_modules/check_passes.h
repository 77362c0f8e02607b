// Whether passes keep what a program computes, tell the truth about it, and always do the same.
#ifndef TESTS_RANDOM_MODULES_CHECK_PASSES_H_
#define TESTS_RANDOM_MODULES_CHECK_PASSES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "passes/pass_runner.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/types/literal.h"

namespace xla {

// The arguments of a run: a list for each device.
using DeviceArguments = std::vector<std::vector<Literal>>;

// What a run is given, by device.
struct RunInputs {
  DeviceArguments arguments;
  std::vector<std::vector<Literal>> infeed;
};

struct CheckedProgram {
  const HloModule* module = nullptr;  // verified
  int64_t replicas = 1;
  int64_t partitions = 1;
  std::vector<RunInputs> runs;
  // How leaf i of the result is compared: it passes if one of these is satisfied. What is fed out is compared to the
  // bit.
  std::function<std::vector<Tolerance>(int leaf, PrimitiveType type)> tolerances;
};

// "fuse:rows=false", as ParsePasses reads it.
std::string StepText(const PipelineStep& step);

// Bits count, except that a NaN is a NaN.
Tolerance ExactTolerance();

struct CheckLimits {
  int64_t max_steps = 3'000'000;
  int64_t max_memory_bytes = int64_t{2} << 30;
  absl::Duration timeout = absl::Seconds(60);
};

// What is wrong with a pass.
struct PassFinding {
  std::string pass;
  std::string rules;  // those that fired: "fold-x 2, move-y 1"
  std::string what;   // "out0 differs ...", "changes a module again", ...
  std::string before;
  std::string after;
};

struct PassCheckCounts {
  int64_t passes = 0;   // runs of a pass
  int64_t changed = 0;  // of which so many changed something, and were checked against the interpreter
  int64_t skipped = 0;  // runs of a program that reached a limit before any pass
  // How often each pass changed something.
  std::map<std::string, int64_t> changed_by_pass;

  void CountChange(const std::string& pass) {
    ++changed;
    ++changed_by_pass[pass];
  }
};

// Each pass of `steps` alone on the program: the results are the same; `changed` is true exactly if the text changed; a
// second run changes nothing; another run on a copy gives the same text.
std::vector<PassFinding> CheckPassesAlone(const CheckedProgram& program, const Pipeline& steps,
                                          const CheckLimits& limits, PassCheckCounts* counts);

// The passes one after the other, with the same checks after each but the second run; and the whole again on a copy,
// which must give the same text.
std::vector<PassFinding> CheckPipeline(const CheckedProgram& program, const Pipeline& pipeline,
                                       const CheckLimits& limits, PassCheckCounts* counts);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_CHECK_PASSES_H_
