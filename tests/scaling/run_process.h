// Runs a program and measures it from outside.
#ifndef TESTS_SCALING_RUN_PROCESS_H_
#define TESTS_SCALING_RUN_PROCESS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace xla {

struct ToolOutcome {
  int exit_code = -1;  // -1: a signal ended it
  int signal = 0;
  bool was_killed = false;  // by RunProcess
  absl::Duration wall_time;
  int64_t peak_bytes = 0;  // resident
  std::string errors;      // the beginning of what it wrote on standard error
};

// Starts the file arguments[0] without standard input or output, waits for its end, and kills it after `limit`.
// `error_path` is a file that it may use. Thread-safe.
ToolOutcome RunProcess(const std::vector<std::string>& arguments, absl::Duration limit, const std::string& error_path);

}  // namespace xla

#endif  // TESTS_SCALING_RUN_PROCESS_H_
