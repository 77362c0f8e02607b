// The page docs/webnn_operators.md: what each operator of WebNN takes, and the HLO that it becomes.
#ifndef DOCS_GENERATOR_WEBNN_PAGE_H_
#define DOCS_GENERATOR_WEBNN_PAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "docs/generator/reference_pages.h"

namespace xla {

// From the operator table, and from the graphs of one operator each in docs/generator/webnn_examples.json below `root`.
// InvalidArgument: an operator has no example or several, or an example is wrong.
absl::StatusOr<ReferencePage> GenerateWebnnPage(const std::string& root);

}  // namespace xla

#endif  // DOCS_GENERATOR_WEBNN_PAGE_H_
