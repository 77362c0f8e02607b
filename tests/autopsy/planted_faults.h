// Planted faults: an autopsy of programs with one fault each, in a pass, in a step, or in how steps share memory.
//
//   fuse: multiply becomes subtract     the pass of this name has a rule too many (planted_rule.h)
//   step: exponential                   steps with such an operation compute something else (faulty_client.h)
//   dropped store                       steps leave elements of their results as they were
//   tiles                               the order of the tiles of steps decides
//   early reuse                         a step overwrites what a later one reads
#ifndef TESTS_AUTOPSY_PLANTED_FAULTS_H_
#define TESTS_AUTOPSY_PLANTED_FAULTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"

namespace xla {

std::vector<std::string> PlantedFaults();

struct PlantedOutcome {
  std::string verdict;  // its first line
  std::string text;     // all of it
  bool is_named_rightly = false;
  absl::Duration time;
};

// An autopsy on the CPU backend of the verified module with that fault, which leaves its files in `folder`. NotFound if
// the program has no place for the fault.
absl::StatusOr<PlantedOutcome> FindPlantedFault(const std::string& fault, const HloModule& module,
                                                const std::vector<Literal>& arguments, const std::string& folder);

}  // namespace xla

#endif  // TESTS_AUTOPSY_PLANTED_FAULTS_H_
