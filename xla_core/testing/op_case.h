// Reads files of op cases (README.md has the format).
#ifndef XLA_CORE_TESTING_OP_CASE_H_
#define XLA_CORE_TESTING_OP_CASE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {

struct OpCase {
  std::string title;
  int line = 0;  // of CASE, from 1
  // Relative to the expected value; 0: the same bits, but any NaN for a NaN.
  double tolerance = 0;
  // After as many empty lines as there are before it in the file, so that messages have its lines.
  std::string module;
  std::vector<std::string> inputs;  // literals
  // What is expected: messages of warnings, and then either a literal or the messages of errors.
  std::vector<std::string> warnings;
  std::string result;
  std::vector<std::string> refusals;
  // Lines [expectation_begin, expectation_end) of the file, from 0: the markers of what is expected, up to the next
  // case.
  int expectation_begin = 0;
  int expectation_end = 0;
};

// The cases of a file. `file` stands for it in messages. InvalidArgument, with file and line, if it is malformed or two
// cases have one title. A case without RESULT and REFUSED is for the runner to report, which can complete it.
absl::StatusOr<std::vector<OpCase>> ReadOpCases(absl::string_view text, const std::string& file);

}  // namespace xla

#endif  // XLA_CORE_TESTING_OP_CASE_H_
