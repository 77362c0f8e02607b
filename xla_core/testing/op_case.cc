#include "xla_core/testing/op_case.h"

#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/testing/case_file.h"

namespace xla {
namespace {

constexpr absl::string_view kMarkers[] = {"TOLERANCE", "INPUTS", "WARNS", "RESULT", "REFUSED"};

// Each literal begins a line; the lines that continue it are indented.
std::vector<std::string> SplitLiterals(absl::string_view text) {
  std::vector<std::string> literals;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    if (literals.empty() || !absl::ascii_isspace(line[0])) literals.emplace_back();
    absl::StrAppend(&literals.back(), line, "\n");
  }
  return literals;
}

// Reads the sections of one case, in their order.
class SectionReader {
 public:
  SectionReader(const CaseText& text, const std::string& file) : text_(text), file_(file) {}

  absl::StatusOr<OpCase> Read() {
    case_.title = text_.title;
    case_.line = text_.line;
    case_.expectation_begin = text_.text_end;
    case_.expectation_end = text_.end;
    for (const CaseSection& section : text_.sections) RETURN_IF_ERROR(Take(section));
    if (absl::StripAsciiWhitespace(case_.module).empty()) {
      return CaseError(file_, text_.end + 1, "the case above has no module");
    }
    return std::move(case_);
  }

 private:
  absl::Status Error(const CaseSection& section, absl::string_view message) const {
    return CaseError(file_, section.line, absl::StrCat(section.marker, message));
  }

  bool has_expectation() const { return !case_.warnings.empty() || !case_.result.empty() || !case_.refusals.empty(); }

  absl::Status Take(const CaseSection& section) {
    if (section.marker == "CASE") case_.module = section.text;
    if (section.marker == "TOLERANCE") return TakeTolerance(section);
    if (section.marker == "INPUTS") return TakeInputs(section);
    if (section.marker == "CASE") return absl::OkStatus();
    return TakeExpectation(section);
  }

  absl::Status TakeTolerance(const CaseSection& section) {
    if (!absl::StripAsciiWhitespace(case_.module).empty() || has_expectation()) {
      return Error(section, " follows the module; expected it before");
    }
    if (!absl::SimpleAtod(section.value, &case_.tolerance) || !(case_.tolerance > 0)) {
      return Error(section, absl::StrCat(" must be a positive number, got '", section.value, "'"));
    }
    case_.module = section.text;
    return absl::OkStatus();
  }

  absl::Status TakeInputs(const CaseSection& section) {
    if (has_expectation()) return Error(section, " follows what is expected; expected it before");
    if (!case_.inputs.empty()) return Error(section, " is given twice");
    if (section.is_blank()) return Error(section, " has no literals");
    case_.inputs = SplitLiterals(section.text);
    return absl::OkStatus();
  }

  absl::Status TakeExpectation(const CaseSection& section) {
    if (!case_.result.empty()) return Error(section, " follows RESULT; expected nothing after it");
    if (!has_expectation()) case_.expectation_begin = section.line - 1;
    if (section.marker == "RESULT") {
      if (!case_.refusals.empty()) return Error(section, " follows REFUSED; a case has one of both");
      if (section.is_blank()) return Error(section, " has no literal");
      case_.result = section.text;
      return absl::OkStatus();
    }
    if (section.value.empty()) return Error(section, " has no message");
    if (!section.is_blank()) return Error(section, " is followed by text; expected the message in its line");
    if (section.marker == "WARNS" && !case_.refusals.empty()) return Error(section, " follows REFUSED");
    (section.marker == "WARNS" ? case_.warnings : case_.refusals).push_back(section.value);
    return absl::OkStatus();
  }

  const CaseText& text_;
  const std::string& file_;
  OpCase case_;
};

}  // namespace

absl::StatusOr<std::vector<OpCase>> ReadOpCases(absl::string_view text, const std::string& file) {
  ASSIGN_OR_RETURN(const std::vector<CaseText> texts, ReadCaseFile(text, file, kMarkers));
  std::vector<OpCase> cases;
  std::set<std::string> titles;
  for (const CaseText& one : texts) {
    if (!titles.insert(one.title).second) {
      return CaseError(file, one.line, absl::StrCat("another case has the title '", one.title, "'"));
    }
    ASSIGN_OR_RETURN(OpCase op_case, SectionReader(one, file).Read());
    cases.push_back(std::move(op_case));
  }
  return cases;
}

}  // namespace xla
