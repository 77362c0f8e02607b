#include "passes/all_analyses.h"

#include <algorithm>

#include "passes/memory/buffer_assignment.h"
#include "passes/partitioning/partition_report.h"

namespace xla {

const std::vector<PrintedAnalysis>& AllAnalyses() {
  static const auto* const analyses = [] {
    auto* const all = new std::vector<PrintedAnalysis>(PrintedAnalyses().begin(), PrintedAnalyses().end());
    all->push_back(
        {"buffers", "the plan of memory: its size, what is live at the peak, and every buffer", &PrintBuffers});
    all->push_back({"shardings",
                    "how each value is cut for the devices of the program, and what is moved between them and why",
                    &PrintShardings});
    std::sort(all->begin(), all->end(), [](const PrintedAnalysis& a, const PrintedAnalysis& b) {
      return absl::string_view(a.name) < absl::string_view(b.name);
    });
    return all;
  }();
  return *analyses;
}

const PrintedAnalysis* FindAnalysis(absl::string_view name) {
  for (const PrintedAnalysis& analysis : AllAnalyses()) {
    if (analysis.name == name) return &analysis;
  }
  return nullptr;
}

}  // namespace xla
