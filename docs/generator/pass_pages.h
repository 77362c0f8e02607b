// The pages of docs/passes, one for each pass, and their index.
#ifndef DOCS_GENERATOR_PASS_PAGES_H_
#define DOCS_GENERATOR_PASS_PAGES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "docs/generator/reference_pages.h"

namespace xla {

// From the pass table, and from the rewrite cases below `root`, the top of the source tree: options, what it needs and
// establishes, rules, and each case as an example. Errors: a file of cases that cannot be read.
absl::StatusOr<std::vector<ReferencePage>> GeneratePassPages(const std::string& root);

// The files in docs/passes that no pass has a page in, sorted.
std::vector<std::string> StalePassPages(const std::string& root, const std::vector<ReferencePage>& pages);

}  // namespace xla

#endif  // DOCS_GENERATOR_PASS_PAGES_H_
