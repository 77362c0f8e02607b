#include "tests/random_modules/check_analyses.h"

namespace xla {

std::string PlaceOf(const HloInstruction& instruction) {
  return absl::StrCat(instruction.parent()->name(), "/", instruction.name());
}

std::vector<std::string> CheckAnalyses(const HloModule& module, uint64_t seed) {
  AnalysisFindings findings;
  CheckGraphAnalyses(module, &findings);
  CheckIndexMaps(module, seed, &findings);
  CheckAnalysesOfRuns(module, seed, &findings);
  CheckMemoryAnalyses(module, &findings);
  return findings.findings();
}

}  // namespace xla
