// What --list-passes and --list-pipelines print.
#ifndef TOOLS_OPTIMIZING_PASS_LISTING_H_
#define TOOLS_OPTIMIZING_PASS_LISTING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace xla {

// A line for each pass; or all about those that are named: options, what they need and establish, rules.
// InvalidArgument if there is no such pass.
absl::StatusOr<std::string> ListPasses(const std::vector<std::string>& names);

// A line for each pipeline, or the steps of those that are named.
absl::StatusOr<std::string> ListPipelines(const std::vector<std::string>& names);

// A line for each analysis of --print-analysis.
std::string ListAnalyses();

}  // namespace xla

#endif  // TOOLS_OPTIMIZING_PASS_LISTING_H_
