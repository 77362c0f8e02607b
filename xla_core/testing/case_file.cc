#include "xla_core/testing/case_file.h"

#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kCase = "CASE";

bool IsBlank(absl::string_view line) { return absl::StripAsciiWhitespace(line).empty(); }

// "PASSES" and "a,b" of "// PASSES a,b"; an empty name if the line has none.
struct Marker {
  absl::string_view name;
  absl::string_view value;
};

class Reader {
 public:
  Reader(absl::string_view text, const std::string& file, absl::Span<const absl::string_view> markers)
      : lines_(absl::StrSplit(text, '\n')), file_(file), markers_(markers.begin(), markers.end()) {
    markers_.push_back(kCase);
  }

  absl::StatusOr<std::vector<CaseText>> Read() {
    for (line_ = 0; line_ < static_cast<int>(lines_.size()); ++line_) {
      ASSIGN_OR_RETURN(const Marker marker, ReadMarker());
      RETURN_IF_ERROR(marker.name.empty() ? TakeText() : TakeMarker(marker));
    }
    EndCase();
    if (cases_.empty()) return Error("the file has no case; expected '// CASE title' before each");
    return std::move(cases_);
  }

 private:
  absl::Status Error(absl::string_view message) const { return CaseError(file_, line_ + 1, message); }

  // A comment that begins with a word in capitals must be a marker, so that a misspelt one is not overlooked.
  absl::StatusOr<Marker> ReadMarker() const {
    absl::string_view line = lines_[line_];
    if (!absl::ConsumePrefix(&line, "// ")) return Marker();
    const absl::string_view word = line.substr(0, line.find(' '));
    for (const absl::string_view name : markers_) {
      if (word == name) return Marker{name, absl::StripAsciiWhitespace(line.substr(name.size()))};
    }
    const bool is_capital = word.size() > 3 && word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == word.npos;
    const std::string suggestion = DidYouMean(word, markers_);
    if (is_capital && !suggestion.empty()) return Error(absl::StrCat("unknown marker ", word, suggestion));
    return Marker();
  }

  absl::Status TakeText() {
    if (!cases_.empty()) {
      absl::StrAppend(&cases_.back().sections.back().text, lines_[line_], "\n");
      return absl::OkStatus();
    }
    const absl::string_view line = absl::StripAsciiWhitespace(lines_[line_]);
    if (line.empty() || absl::StartsWith(line, "//")) return absl::OkStatus();
    return Error("expected '// CASE title' before the first module");
  }

  absl::Status TakeMarker(const Marker& marker) {
    if (marker.name == kCase) {
      EndCase();
      if (marker.value.empty()) return Error("CASE has no title");
      cases_.emplace_back();
      cases_.back().title = std::string(marker.value);
      cases_.back().line = line_ + 1;
    }
    if (cases_.empty()) return Error(absl::StrCat(marker.name, " precedes the first CASE"));
    CaseSection section;
    section.marker = std::string(marker.name);
    section.value = std::string(marker.value);
    section.line = line_ + 1;
    section.text = std::string(line_ + 1, '\n');
    cases_.back().sections.push_back(std::move(section));
    return absl::OkStatus();
  }

  void EndCase() {
    if (cases_.empty()) return;
    CaseText& last = cases_.back();
    last.end = last.text_end = line_;
    while (last.text_end > last.line && IsBlank(lines_[last.text_end - 1])) --last.text_end;
  }

  const std::vector<absl::string_view> lines_;
  const std::string& file_;
  std::vector<absl::string_view> markers_;
  int line_ = 0;
  std::vector<CaseText> cases_;
};

}  // namespace

bool CaseSection::is_blank() const { return IsBlank(text); }

absl::Status CaseError(const std::string& file, int line, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(file, ":", line, ": ", message));
}

absl::StatusOr<std::vector<CaseText>> ReadCaseFile(absl::string_view text, const std::string& file,
                                                   absl::Span<const absl::string_view> markers) {
  return Reader(text, file, markers).Read();
}

// From the last to the first, so that line numbers hold.
std::string UpdateLines(absl::string_view file, const std::vector<LinesUpdate>& updates) {
  std::vector<std::string> lines = absl::StrSplit(file, '\n');
  for (auto it = updates.rbegin(); it != updates.rend(); ++it) {
    std::vector<std::string> replacement = absl::StrSplit(absl::StripAsciiWhitespace(it->text), '\n');
    replacement.push_back("");
    lines.erase(lines.begin() + it->begin, lines.begin() + it->end);
    lines.insert(lines.begin() + it->begin, std::make_move_iterator(replacement.begin()),
                 std::make_move_iterator(replacement.end()));
  }
  return absl::StrJoin(lines, "\n");
}

}  // namespace xla
