// A file of several modules, each by itself.
#ifndef TOOLS_VIEWS_SPLIT_INPUT_H_
#define TOOLS_VIEWS_SPLIT_INPUT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla {

// The parts of `text` between lines that begin with `// -----`, without those that hold nothing but blanks and
// comments. Empty lines before a part keep its lines at their numbers in the file.
std::vector<std::string> SplitInput(absl::string_view text);

}  // namespace xla

#endif  // TOOLS_VIEWS_SPLIT_INPUT_H_
