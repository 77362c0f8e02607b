#include "passes/testing/rewrite_case.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/testing/case_file.h"

namespace xla {
namespace {

constexpr absl::string_view kMarkers[] = {"PASSES", "RULES", "NOT-RUN", "EXACT", "BECOMES", "UNCHANGED"};

std::string DefaultPass(absl::string_view file) {
  const absl::string_view name = file.substr(file.rfind('/') == absl::string_view::npos ? 0 : file.rfind('/') + 1);
  return std::string(name.substr(0, name.find('.')));
}

// Reads the sections of one case, in their order.
class SectionReader {
 public:
  SectionReader(const CaseText& text, const std::string& file) : text_(text), file_(file) {}

  absl::StatusOr<RewriteCase> Read() {
    case_.title = text_.title;
    case_.line = text_.line;
    case_.passes = DefaultPass(file_);
    case_.before = text_.sections[0].text;
    case_.after_begin = text_.text_end;
    case_.after_end = text_.end;
    for (size_t i = 1; i < text_.sections.size(); ++i) RETURN_IF_ERROR(Take(text_.sections[i]));
    const bool has_after = !absl::StripAsciiWhitespace(case_.after).empty();
    if (absl::StripAsciiWhitespace(case_.before).empty()) return EndError("the case above has no module");
    if (case_.expectation == RewriteCase::Expectation::kUnchanged && has_after) {
      return EndError("the case above has a module after UNCHANGED");
    }
    return std::move(case_);
  }

 private:
  absl::Status Error(const CaseSection& section, absl::string_view message) const {
    return CaseError(file_, section.line, message);
  }
  absl::Status EndError(absl::string_view message) const { return CaseError(file_, text_.end + 1, message); }

  absl::Status Take(const CaseSection& section) {
    const std::string& name = section.marker;
    if (case_.expectation != RewriteCase::Expectation::kNone) {
      return Error(section, absl::StrCat(name, " follows the case's BECOMES or UNCHANGED"));
    }
    if (name == "BECOMES" || name == "UNCHANGED") return BeginExpectation(section);
    if (!absl::StripAsciiWhitespace(case_.before).empty()) {
      return Error(section, absl::StrCat(name, " follows the module; expected it before"));
    }
    if (name == "EXACT") case_.exact = true;
    if (section.value.empty() && name != "EXACT") return Error(section, absl::StrCat(name, " says nothing"));
    if (name == "PASSES") case_.passes = section.value;
    if (name == "RULES") case_.rules = absl::StrSplit(section.value, absl::ByAnyChar(", "), absl::SkipEmpty());
    if (name == "NOT-RUN") case_.not_run = section.value;
    case_.before = section.text;
    return absl::OkStatus();
  }

  absl::Status BeginExpectation(const CaseSection& section) {
    const bool becomes = section.marker == "BECOMES";
    if (!section.value.empty()) return Error(section, absl::StrCat("expected nothing after ", section.marker));
    case_.expectation = becomes ? RewriteCase::Expectation::kBecomes : RewriteCase::Expectation::kUnchanged;
    case_.after_begin = section.line - 1;
    case_.after = section.text;
    return absl::OkStatus();
  }

  const CaseText& text_;
  const std::string& file_;
  RewriteCase case_;
};

}  // namespace

absl::StatusOr<std::vector<RewriteCase>> ReadRewriteCases(absl::string_view text, const std::string& file) {
  ASSIGN_OR_RETURN(const std::vector<CaseText> texts, ReadCaseFile(text, file, kMarkers));
  std::vector<RewriteCase> cases;
  for (const CaseText& one : texts) {
    ASSIGN_OR_RETURN(RewriteCase rewrite_case, SectionReader(one, file).Read());
    cases.push_back(std::move(rewrite_case));
  }
  return cases;
}

}  // namespace xla
