// The page docs/nnef1_operations.md: what each operation of NNEF 1 takes, and the HLO that it becomes.
#ifndef DOCS_GENERATOR_NNEF1_PAGE_H_
#define DOCS_GENERATOR_NNEF1_PAGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "docs/generator/reference_pages.h"

namespace xla {

// From the operation table, and from the examples in docs/generator/nnef1_examples.txt below `root`. InvalidArgument:
// an operation has no example or several, or an example is wrong.
absl::StatusOr<ReferencePage> GenerateNnef1Page(const std::string& root);

}  // namespace xla

#endif  // DOCS_GENERATOR_NNEF1_PAGE_H_
