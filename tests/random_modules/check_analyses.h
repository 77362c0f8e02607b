// Whether the analyses of passes/analyses, and the plan of memory, say what is true of a program: each is compared with
// what a run of the interpreter shows, or with a simple computation of the same that needs no cleverness.
#ifndef TESTS_RANDOM_MODULES_CHECK_ANALYSES_H_
#define TESTS_RANDOM_MODULES_CHECK_ANALYSES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// What is wrong, a line each: "reachability: entry/add.3 is not reachable from p.1".
class AnalysisFindings {
 public:
  template <typename... Parts>
  void Add(absl::string_view analysis, const Parts&... parts) {
    if (findings_.size() < kMost) findings_.push_back(absl::StrCat(analysis, ": ", parts...));
  }
  const std::vector<std::string>& findings() const { return findings_; }

 private:
  static constexpr size_t kMost = 20;
  std::vector<std::string> findings_;
};

// "entry/add.3"
std::string PlaceOf(const HloInstruction& instruction);

// Call graph, definitions and uses, reachability, side effects, loop invariants: by brute force.
void CheckGraphAnalyses(const HloModule& module, AnalysisFindings* findings);
// Index maps: elements of operands are changed one by one, and elements of results follow as the maps say.
void CheckIndexMaps(const HloModule& module, uint64_t seed, AnalysisFindings* findings);
// Trip counts, costs, value ranges and dataflow: by a run with arguments of that seed.
void CheckAnalysesOfRuns(const HloModule& module, uint64_t seed, AnalysisFindings* findings);
// Liveness, aliasing and buffers: sums and overlaps, counted one by one.
void CheckMemoryAnalyses(const HloModule& module, AnalysisFindings* findings);

// All of them. The module is verified.
std::vector<std::string> CheckAnalyses(const HloModule& module, uint64_t seed);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_CHECK_ANALYSES_H_
