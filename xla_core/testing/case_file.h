// Reads files of cases: HLO text that comments cut into sections.
//
//   // CASE adds along dimension 1        begins a case and its first section
//   f32[2] reduce(...)
//   // RESULT                             begins another section, up to the next marker
//   f32[2] {1, 2}
//
// Which markers there are and what they mean, each kind of case defines.
#ifndef XLA_CORE_TESTING_CASE_FILE_H_
#define XLA_CORE_TESTING_CASE_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {

struct CaseSection {
  std::string marker;
  std::string value;  // what follows the marker in its line
  int line = 0;       // of the marker, from 1
  // The lines up to the next marker, after as many empty lines as there are before them in the file, so that messages
  // have its lines.
  std::string text;

  bool is_blank() const;
};

struct CaseText {
  std::string title;
  int line = 0;  // of CASE, from 1
  // At least one: the first is that of CASE.
  std::vector<CaseSection> sections;
  // The lines of the case end before this one, from 0: without and with the empty lines after it.
  int text_end = 0;
  int end = 0;
};

// The cases of a file. `file` stands for it in messages. `markers` are all but CASE. InvalidArgument, with file and
// line, if a marker is misspelt, a case has no title, or the file has no case.
absl::StatusOr<std::vector<CaseText>> ReadCaseFile(absl::string_view text, const std::string& file,
                                                   absl::Span<const absl::string_view> markers);

// InvalidArgument: "file:line: message".
absl::Status CaseError(const std::string& file, int line, absl::string_view message);

// Lines [begin, end) of a file, from 0, and what replaces them.
struct LinesUpdate {
  int begin = 0;
  int end = 0;
  std::string text;
};

// The file with these lines replaced, and an empty line after each replacement but one at the end of the file. Updates
// are in the order of their lines.
std::string UpdateLines(absl::string_view file, const std::vector<LinesUpdate>& updates);

}  // namespace xla

#endif  // XLA_CORE_TESTING_CASE_FILE_H_
