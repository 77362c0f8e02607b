// Writes the reference of a header as a page of Markdown: an index by family, then an entry for each operation.
#ifndef DOCS_GENERATOR_PAGE_WRITER_H_
#define DOCS_GENERATOR_PAGE_WRITER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "docs/generator/header_reader.h"

namespace xla {

// What an operation's entry shows in use.
struct ShownExample {
  std::string code;
  std::string result;  // a comment after it; empty: none
};
using ShownExamples = std::map<std::string, std::vector<ShownExample>>;  // by the operation's name

// Title and `opening`, the header's own comment, the index, the entries. Families that nothing is declared in are left
// out.
std::string WritePage(absl::string_view title, absl::string_view opening, const DocHeader& header,
                      const ShownExamples& examples);

// One sentence for each entry of a family that has HLO, but no example or an HLO opcode that does not exist.
std::vector<std::string> FindGaps(const std::vector<DocFamily>& families, const ShownExamples& examples);

}  // namespace xla

#endif  // DOCS_GENERATOR_PAGE_WRITER_H_
