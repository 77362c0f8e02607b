// What can happen to processes that run a program together, and what must come of it.
#ifndef TESTS_FAULTS_FAULTS_H_
#define TESTS_FAULTS_FAULTS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "tests/faults/fault_run.h"

namespace xla {

// Trips of a loop that no run comes to the end of.
constexpr int64_t kEndless = 2000000000;

struct Fault {
  const char* name;
  const char* summary;
  bool ends_right;  // else with an error
  Need need;
  enum class Starter { kAny, kRanks, kLauncher } starter;  // who starts the processes: the run itself, or --processes
  enum class Meeting { kAny, kFolder, kPort } meeting;
  int64_t elements;  // at most, of the array that is exchanged
  int64_t trips;
  void (*prepare)(FaultRun& run);
};

absl::Span<const Fault> AllFaults();

}  // namespace xla

#endif  // TESTS_FAULTS_FAULTS_H_
