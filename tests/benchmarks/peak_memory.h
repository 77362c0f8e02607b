// How much memory it takes to read a file, measured in a process of its own.
#ifndef TESTS_BENCHMARKS_PEAK_MEMORY_H_
#define TESTS_BENCHMARKS_PEAK_MEMORY_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace xla {

// Starts this program again with --read-only=FILE and returns by how many bytes the resident size of that process was
// larger at its peak than before it read the file: the program itself does not count.
absl::StatusOr<int64_t> PeakBytesOfReading(const std::string& path);

// What the process started that way does: reads the file, HLO text, protobuf or, if its name ends in .mlir or .mlirbc,
// StableHLO, and prints that number.
int ReadAndPrintPeak(const std::string& path);

}  // namespace xla

#endif  // TESTS_BENCHMARKS_PEAK_MEMORY_H_
