// The phrases of phrases.txt, and where they occur.
#ifndef TESTS_WORDS_PHRASES_H_
#define TESTS_WORDS_PHRASES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "re2/re2.h"
#include "tests/words/prose.h"

namespace xla {

struct Phrase {
  std::string phrase;
  std::string replacement;
  std::unique_ptr<RE2> matches;
  std::vector<std::unique_ptr<RE2>> not_in;
};

// Reads the format that phrases.txt describes. InvalidArgument, with the line: a regular expression that is not one, a
// phrase that occurs twice or that its own expression does not match.
absl::StatusOr<std::vector<Phrase>> ReadPhrases(absl::string_view text);

// One line for each occurrence: PATH:LINE: "phrase": write "replacement".
std::vector<std::string> FindPhrases(absl::string_view path, const std::vector<Prose>& prose,
                                     const std::vector<Phrase>& phrases);

}  // namespace xla

#endif  // TESTS_WORDS_PHRASES_H_
