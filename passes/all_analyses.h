// All analyses that print what they know: those of passes/analyses, and what passes/memory plans.
#ifndef PASSES_ALL_ANALYSES_H_
#define PASSES_ALL_ANALYSES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "passes/analyses/printed_analyses.h"

namespace xla {

// In alphabetical order.
const std::vector<PrintedAnalysis>& AllAnalyses();
// nullptr if there is none of that name.
const PrintedAnalysis* FindAnalysis(absl::string_view name);

}  // namespace xla

#endif  // PASSES_ALL_ANALYSES_H_
