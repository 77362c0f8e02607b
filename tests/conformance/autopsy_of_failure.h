// An autopsy of a program whose results a runner has found wrong.
#ifndef TESTS_CONFORMANCE_AUTOPSY_OF_FAILURE_H_
#define TESTS_CONFORMANCE_AUTOPSY_OF_FAILURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/conformance/backend_variants.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"

namespace xla {

// How the program ran.
struct FailedRun {
  std::string backend;  // not the interpreter
  BackendVariant variant;
  int64_t replica_count = 1;
  int64_t partition_count = 1;
  std::vector<std::vector<Literal>> arguments;  // by device
  std::vector<std::vector<Literal>> infeed;
};

// Runs an autopsy of the verified module, for a minute at most, which leaves its files in `folder`. The verdict in one
// line, or why there is none: "autopsy: pass fuse changes what the program computes (found/7)".
std::string AutopsyOfFailure(const HloModule& module, const FailedRun& run, const std::string& folder);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_AUTOPSY_OF_FAILURE_H_
