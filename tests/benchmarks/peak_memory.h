// How much memory it takes to read a file, measured in a process of its own.
#ifndef TESTS_BENCHMARKS_PEAK_MEMORY_H_
#define TESTS_BENCHMARKS_PEAK_MEMORY_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace xla {

// Starts this program again with --read-only=FILE and returns the largest resident size of that process in bytes.
absl::StatusOr<int64_t> PeakBytesOfReading(const std::string& path);

// What the process started that way does: reads the file, HLO text, protobuf or, if its name
// ends so, .mlirbc, and prints its own peak.
int ReadAndPrintPeak(const std::string& path);

}  // namespace xla

#endif  // TESTS_BENCHMARKS_PEAK_MEMORY_H_
