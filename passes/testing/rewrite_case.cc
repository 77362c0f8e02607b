#include "passes/testing/rewrite_case.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kMarkers[] = {"CASE", "PASSES", "RULES", "NOT-RUN", "EXACT", "BECOMES", "UNCHANGED"};

std::string DefaultPass(absl::string_view file) {
  const absl::string_view name = file.substr(file.rfind('/') == absl::string_view::npos ? 0 : file.rfind('/') + 1);
  return std::string(name.substr(0, name.find('.')));
}

// "PASSES" and "a,b" of "// PASSES a,b"; an empty marker if the line has none.
struct Marker {
  absl::string_view name;
  absl::string_view value;
};

class Reader {
 public:
  Reader(absl::string_view text, const std::string& file) : lines_(absl::StrSplit(text, '\n')), file_(file) {}

  absl::StatusOr<std::vector<RewriteCase>> Read() {
    for (line_ = 0; line_ < static_cast<int>(lines_.size()); ++line_) {
      ASSIGN_OR_RETURN(const Marker marker, ReadMarker());
      RETURN_IF_ERROR(marker.name.empty() ? TakeText() : TakeMarker(marker));
    }
    RETURN_IF_ERROR(EndCase());
    if (cases_.empty()) return Error("the file has no case; expected '// CASE title' before each");
    return std::move(cases_);
  }

 private:
  absl::Status Error(absl::string_view message) const {
    return absl::InvalidArgumentError(absl::StrCat(file_, ":", line_ + 1, ": ", message));
  }

  // A comment that begins with a word in capitals must be a marker, so that a misspelt one is not overlooked.
  absl::StatusOr<Marker> ReadMarker() const {
    absl::string_view line = lines_[line_];
    if (!absl::ConsumePrefix(&line, "// ")) return Marker();
    const absl::string_view word = line.substr(0, line.find(' '));
    for (const absl::string_view name : kMarkers) {
      if (word == name) return Marker{name, absl::StripAsciiWhitespace(line.substr(name.size()))};
    }
    const bool is_capital = word.size() > 3 && word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == word.npos;
    const std::string suggestion = DidYouMean(word, kMarkers);
    if (is_capital && !suggestion.empty()) return Error(absl::StrCat("unknown marker ", word, suggestion));
    return Marker();
  }

  absl::Status TakeText() {
    if (has_case_) {
      absl::StrAppend(has_expectation() ? &current_.after : &current_.before, lines_[line_], "\n");
      return absl::OkStatus();
    }
    const absl::string_view line = absl::StripAsciiWhitespace(lines_[line_]);
    if (line.empty() || absl::StartsWith(line, "//")) return absl::OkStatus();
    return Error("expected '// CASE title' before the first module");
  }

  // After the last line before this one that is not empty.
  int EndOfText() const {
    int end = line_;
    while (end > 0 && absl::StripAsciiWhitespace(lines_[end - 1]).empty()) --end;
    return end;
  }

  bool has_expectation() const { return current_.expectation != RewriteCase::Expectation::kNone; }

  absl::Status TakeMarker(const Marker& marker) {
    if (marker.name == "CASE") return BeginCase(marker.value);
    if (!has_case_) return Error(absl::StrCat(marker.name, " precedes the first CASE"));
    if (has_expectation()) return Error(absl::StrCat(marker.name, " follows the case's BECOMES or UNCHANGED"));
    if (marker.name == "BECOMES" || marker.name == "UNCHANGED") return BeginExpectation(marker);
    if (!absl::StripAsciiWhitespace(current_.before).empty()) {
      return Error(absl::StrCat(marker.name, " follows the module; expected it before"));
    }
    if (marker.name == "EXACT") current_.exact = true;
    if (marker.value.empty() && marker.name != "EXACT") return Error(absl::StrCat(marker.name, " says nothing"));
    if (marker.name == "PASSES") current_.passes = std::string(marker.value);
    if (marker.name == "RULES") current_.rules = absl::StrSplit(marker.value, absl::ByAnyChar(", "), absl::SkipEmpty());
    if (marker.name == "NOT-RUN") current_.not_run = std::string(marker.value);
    // The lines of the module count from the beginning of the file.
    current_.before += "\n";
    return absl::OkStatus();
  }

  absl::Status BeginCase(absl::string_view title) {
    RETURN_IF_ERROR(EndCase());
    if (title.empty()) return Error("CASE has no title");
    has_case_ = true;
    current_ = RewriteCase();
    current_.title = std::string(title);
    current_.line = line_ + 1;
    current_.passes = DefaultPass(file_);
    current_.before = std::string(line_ + 1, '\n');
    return absl::OkStatus();
  }

  absl::Status BeginExpectation(const Marker& marker) {
    const bool becomes = marker.name == "BECOMES";
    if (!marker.value.empty()) return Error(absl::StrCat("expected nothing after ", marker.name));
    current_.expectation = becomes ? RewriteCase::Expectation::kBecomes : RewriteCase::Expectation::kUnchanged;
    current_.after_begin = line_;
    current_.after = std::string(line_ + 1, '\n');
    return absl::OkStatus();
  }

  absl::Status EndCase() {
    if (!has_case_) return absl::OkStatus();
    if (!has_expectation()) current_.after_begin = EndOfText();
    current_.after_end = line_;
    const bool has_after = !absl::StripAsciiWhitespace(current_.after).empty();
    if (absl::StripAsciiWhitespace(current_.before).empty()) return Error("the case above has no module");
    if (current_.expectation == RewriteCase::Expectation::kUnchanged && has_after) {
      return Error("the case above has a module after UNCHANGED");
    }
    cases_.push_back(std::move(current_));
    return absl::OkStatus();
  }

  const std::vector<absl::string_view> lines_;
  const std::string& file_;
  int line_ = 0;
  bool has_case_ = false;
  RewriteCase current_;
  std::vector<RewriteCase> cases_;
};

}  // namespace

absl::StatusOr<std::vector<RewriteCase>> ReadRewriteCases(absl::string_view text, const std::string& file) {
  return Reader(text, file).Read();
}

}  // namespace xla
