// What people read in the files of a source tree: comments, messages, titles of cases and Markdown.
#ifndef TESTS_WORDS_PROSE_H_
#define TESTS_WORDS_PROSE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla {

// A comment, a string or a paragraph, on one line: neighbouring lines are joined by blanks, so that a phrase is found
// where it is broken.
struct Prose {
  enum class Kind { kComment, kString, kMarkdown };

  Kind kind = Kind::kComment;
  int line = 0;  // where it begins, from 1
  std::string text;
};

// Of a file by its name: C++, C, JavaScript and TypeScript (comments and strings, raw strings aside), files whose
// comments begin with '#' (scripts, BUILD files), Markdown outside of blocks of code, and titles in files of rewrite
// cases. Of other files nothing.
std::vector<Prose> ProseOf(absl::string_view path, absl::string_view content);

// The paths of all files below `root`, from there, sorted; without hidden folders except .ci, and without what Bazel
// leaves and installed packages (node_modules).
std::vector<std::string> SourceTree(const std::string& root);

}  // namespace xla

#endif  // TESTS_WORDS_PROSE_H_
