// The pages of docs/ that are generated from headers, and from the pass table and its cases.
#ifndef DOCS_GENERATOR_REFERENCE_PAGES_H_
#define DOCS_GENERATOR_REFERENCE_PAGES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace xla {

// A file that is checked in; a test compares it with what is generated.
struct ReferencePage {
  std::string path;  // in the source tree
  std::string text;
};

// From the files below `root`, the top of the source tree. Errors: a header that cannot be read; InvalidArgument for
// an operation without an example or with an opcode that does not exist; what running the examples reports.
absl::StatusOr<std::vector<ReferencePage>> GenerateReferencePages(const std::string& root);

}  // namespace xla

#endif  // DOCS_GENERATOR_REFERENCE_PAGES_H_
