#include "xla_core/testing/printed_form.h"

#include <algorithm>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/compare_modules.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

constexpr size_t kMostOfALine = 400;

// "line 7: '...' and then '...'": the first line in which two texts differ.
std::string FirstDifferentLine(absl::string_view first, absl::string_view second) {
  const size_t shorter = std::min(first.size(), second.size());
  const size_t same = std::mismatch(first.begin(), first.begin() + shorter, second.begin()).first - first.begin();
  const size_t before = first.substr(0, same).rfind('\n');
  const size_t start = before == absl::string_view::npos ? 0 : before + 1;
  const auto line = [start](absl::string_view text) {
    return text.substr(start, std::min(text.find('\n', start) - start, kMostOfALine));
  };
  return absl::StrCat("line ", std::count(first.begin(), first.begin() + same, '\n') + 1, ": '", line(first),
                      "' and then '", line(second), "'");
}

}  // namespace

absl::Status CheckPrintedForm(const HloModule& module, const PrintOptions& options) {
  const std::string text = ModuleToString(module, options);
  ParseOptions parse_options;
  parse_options.fill_missing_layouts = false;  // the text has those that there are
  const absl::StatusOr<std::unique_ptr<HloModule>> again = ParseHloModule(text, parse_options);
  if (!again.ok()) {
    return absl::InternalError(absl::StrCat("a printed module cannot be read: ", again.status().message()));
  }
  const absl::Status valid = VerifyModule(**again);
  if (!valid.ok()) {
    return absl::InternalError(absl::StrCat("a valid module is not valid any more once printed: ", valid.message()));
  }
  std::string difference;
  if (!ModulesStructurallyEqual(module, **again, &difference, {/*layouts=*/true})) {
    return absl::InternalError(absl::StrCat("a module is another program once printed: ", difference));
  }
  const std::string twice = ModuleToString(**again, options);
  if (twice == text) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("a module changes when it is printed and read: ", FirstDifferentLine(text, twice)));
}

}  // namespace xla
