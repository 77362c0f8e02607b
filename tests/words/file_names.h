// Names of files in comments and Markdown that are no longer the names of files.
#ifndef TESTS_WORDS_FILE_NAMES_H_
#define TESTS_WORDS_FILE_NAMES_H_

#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/words/prose.h"

namespace xla {

class FileNames {
 public:
  // The paths of a tree, and names that may be mentioned although they are not in it.
  FileNames(const std::vector<std::string>& tree, const std::vector<std::string>& others);

  // Whether a comment in `path` may name `name`: a path from the root or from the folder of `path`, or the end of one.
  bool IsKnown(absl::string_view path, absl::string_view name) const;

  // One line for each name that is not known: PATH:LINE: there is no file 'name'.
  std::vector<std::string> FindUnknown(absl::string_view path, const std::vector<Prose>& prose) const;

 private:
  std::set<std::string> known_;  // paths, and all their ends
};

}  // namespace xla

#endif  // TESTS_WORDS_FILE_NAMES_H_
