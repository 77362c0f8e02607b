// Reads files of rewrite cases (README.md has the format).
#ifndef PASSES_TESTING_REWRITE_CASE_H_
#define PASSES_TESTING_REWRITE_CASE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {

struct RewriteCase {
  enum class Expectation { kNone, kBecomes, kUnchanged };

  std::string title;
  int line = 0;  // of CASE, from 1
  std::string passes;
  std::vector<std::string> rules;  // that must fire
  std::string not_run;             // why the interpreter does not compare; "" if it does
  // BECOMES is compared with layouts and the order of instructions, names aside.
  bool exact = false;
  Expectation expectation = Expectation::kNone;
  // The modules, after as many empty lines as there are before them in the file, so that messages have its lines.
  std::string before;
  std::string after;
  // The lines [after_begin, after_end) of the file, from 0, are the expectation: its marker and what follows up to the
  // next case.
  int after_begin = 0;
  int after_end = 0;
};

// The cases of a file. `file` stands for it in messages; its name up to the first dot is the pass that cases without
// PASSES run. InvalidArgument, with file and line, if it is malformed or has no case.
absl::StatusOr<std::vector<RewriteCase>> ReadRewriteCases(absl::string_view text, const std::string& file);

}  // namespace xla

#endif  // PASSES_TESTING_REWRITE_CASE_H_
