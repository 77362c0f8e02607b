// The tables of --stats and --time-passes.
#ifndef TOOLS_OPTIMIZING_PASS_REPORTS_H_
#define TOOLS_OPTIMIZING_PASS_REPORTS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "passes/pass_runner.h"

namespace xla {

// A line for each pass, in the order of first runs: how often it ran and changed something, instructions before its
// first and after its last run, those it added or took away; below it how often its rules fired. Then the groups with
// the rounds they took, and the sum.
std::string StatsTable(absl::Span<const PassRecord> records);

// A line for each pass, the slowest first: time, share and runs.
std::string TimeTable(absl::Span<const PassRecord> records);

}  // namespace xla

#endif  // TOOLS_OPTIMIZING_PASS_REPORTS_H_
