// Runs one case and says whether it did what it must.
#ifndef TESTS_CONFORMANCE_RUN_CASE_H_
#define TESTS_CONFORMANCE_RUN_CASE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tests/conformance/backend_variants.h"
#include "tests/conformance/conformance_case.h"
#include "tests/conformance/corpus_run.h"

namespace xla {

// How a case is run.
struct CaseLimits {
  std::string backend = "interpreter";
  // How each program runs; the results must have the same bits.
  std::vector<BackendVariant> variants = {BackendVariant()};
  // Numbers of processes, of which each case takes those that divide its devices, with the same bits, too. If there are
  // any, this process computes nothing itself. Empty: all devices are in this process.
  std::vector<int> processes;
  bool run_full_size = false;
  // Instead of its files, what each program is when it is written as StableHLO and read back. What StableHLO cannot say
  // is skipped.
  bool through_stablehlo = false;
  // Where an autopsy of a program with wrong results leaves its files, in a folder of the case's name; "": there is
  // none.
  std::string autopsy;
  int64_t max_memory_bytes = int64_t{4} << 30;
  absl::Duration timeout = absl::Seconds(60);
};

// A program must give the expected results from its text, from its protobuf and from StableHLO as text and as artifact,
// and text, protobuf and the compiler's output (optimized.hlo) must survive round trips without a difference of a byte.
// What is to be refused must be refused in every form it exists in, by the parser, the verifier or at the latest the
// run, with a message.
CaseResult RunCase(const ConformanceCase& conformance_case, const CaseLimits& limits);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_RUN_CASE_H_
