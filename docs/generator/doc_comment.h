// DocComment: a comment of a header, taken apart into prose and named fields.
#ifndef DOCS_GENERATOR_DOC_COMMENT_H_
#define DOCS_GENERATOR_DOC_COMMENT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla {

// "Shapes", "Errors", "Example", "HLO", "Source", "T", or the name of a parameter.
struct DocField {
  std::string name;
  std::string text;
};

// What the page generator knows of a comment. `fields` are in the order in which they are written.
struct DocComment {
  // Prose; a paragraph whose lines are indented is kept as it stands, with line breaks.
  struct Paragraph {
    std::string text;
    bool is_preformatted = false;
  };
  std::vector<Paragraph> paragraphs;
  std::vector<DocField> fields;

  bool empty() const { return paragraphs.empty() && fields.empty(); }
  // The text of the field, or nullptr.
  const std::string* Find(absl::string_view name) const;
};

// `lines` without the slashes and the blank after them. A field is a line indented by two more blanks,
// "  Shapes: T[n] -> T[n]", with the deeper ones that follow; or a sentence of the prose (of
// Shapes, T, HLO and Errors).
DocComment ParseDocComment(const std::vector<std::string>& lines);

}  // namespace xla

#endif  // DOCS_GENERATOR_DOC_COMMENT_H_
