#include "tests/words/phrases.h"

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<std::unique_ptr<RE2>> Compile(absl::string_view pattern, int line) {
  RE2::Options options(RE2::Quiet);
  options.set_case_sensitive(false);
  auto compiled = std::make_unique<RE2>(std::string(pattern), options);
  if (compiled->ok()) return compiled;
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", pattern, ": ", compiled->error()));
}

bool Matches(const RE2& expression, const std::string& text) { return RE2::PartialMatch(text, expression); }

// The text with each match of `expression` blotted out.
std::string Without(const RE2& expression, std::string text) {
  re2::StringPiece match;
  size_t begin = 0;
  while (begin < text.size() && expression.Match(text, begin, text.size(), RE2::UNANCHORED, &match, 1)) {
    const size_t at = match.data() - text.data();
    text.replace(at, match.size(), match.size(), '~');
    begin = at + std::max<size_t>(match.size(), 1);
  }
  return text;
}

absl::Status Check(const std::vector<Phrase>& phrases) {
  std::set<std::string> known;
  for (const Phrase& row : phrases) {
    if (!known.insert(row.phrase).second) {
      return absl::InvalidArgumentError(absl::StrCat("'", row.phrase, "' occurs twice"));
    }
    if (!Matches(*row.matches, row.phrase)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", row.phrase, "' is not matched by its own expression ", row.matches->pattern()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Phrase>> ReadPhrases(absl::string_view text) {
  std::vector<Phrase> phrases;
  int line = 0;
  for (absl::string_view row : absl::StrSplit(text, '\n')) {
    ++line;
    if (row.empty() || row[0] == '#') continue;
    if (absl::ConsumePrefix(&row, "  matches: ") && !phrases.empty()) {
      ASSIGN_OR_RETURN(phrases.back().matches, Compile(row, line));
    } else if (absl::ConsumePrefix(&row, "  not in: ") && !phrases.empty()) {
      ASSIGN_OR_RETURN(std::unique_ptr<RE2> exception, Compile(row, line));
      phrases.back().not_in.push_back(std::move(exception));
    } else if (row[0] != ' ' && absl::StrContains(row, " => ")) {
      const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(row, absl::MaxSplits(" => ", 1));
      const std::string words = absl::StrReplaceAll(RE2::QuoteMeta(std::string(parts.first)), {{"\\ ", " +"}});
      ASSIGN_OR_RETURN(std::unique_ptr<RE2> matches, Compile(absl::StrCat("\\b", words, "\\b"), line));
      phrases.push_back({std::string(parts.first), std::string(parts.second), std::move(matches), {}});
    } else {
      return absl::InvalidArgumentError(absl::StrCat("line ", line, ": expected 'phrase => replacement', '  matches: "
                                                     "REGEX' or '  not in: REGEX', got '", row, "'"));
    }
  }
  RETURN_IF_ERROR(Check(phrases));
  return phrases;
}

std::vector<std::string> FindPhrases(absl::string_view path, const std::vector<Prose>& prose,
                                     const std::vector<Phrase>& phrases) {
  std::vector<std::string> found;
  for (const Prose& one : prose) {
    for (const Phrase& phrase : phrases) {
      if (!Matches(*phrase.matches, one.text)) continue;
      std::string rest = one.text;
      for (const std::unique_ptr<RE2>& exception : phrase.not_in) rest = Without(*exception, std::move(rest));
      re2::StringPiece match;
      if (!phrase.matches->Match(rest, 0, rest.size(), RE2::UNANCHORED, &match, 1)) continue;
      found.push_back(absl::StrCat(path, ":", one.line, ": \"", std::string(match), "\": write as for \"",
                                   phrase.phrase, "\": \"", phrase.replacement, "\""));
    }
  }
  return found;
}

}  // namespace xla
