#include <benchmark/benchmark.h>

#include <string>

#include "absl/strings/match.h"
#include "tests/benchmarks/figures.h"
#include "tests/benchmarks/peak_memory.h"

int main(int argc, char** argv) {
  const std::string read_only = "--read-only=";
  if (argc == 2 && absl::StartsWith(argv[1], read_only)) {
    return xla::ReadAndPrintPeak(std::string(argv[1]).substr(read_only.size()));
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  return xla::RunBenchmarksAndPrintTable() ? 0 : 1;
}
