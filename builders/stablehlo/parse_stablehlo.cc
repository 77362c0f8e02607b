#include "builders/stablehlo/parse_stablehlo.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "builders/stablehlo/lowering/lower_to_hlo.h"
#include "builders/stablehlo/text/parser.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// What all MLIR bytecode begins with.
constexpr absl::string_view kBytecodeMagic = "ML\xEFR";

void SkipBlanksAndComments(absl::string_view* text) {
  while (!text->empty()) {
    if (absl::ascii_isspace(static_cast<unsigned char>(text->front()))) {
      text->remove_prefix(1);
    } else if (absl::StartsWith(*text, "//")) {
      const size_t end = text->find('\n');
      text->remove_prefix(end == absl::string_view::npos ? text->size() : end);
    } else {
      return;
    }
  }
}

// `module {`, `module @name`, `module attributes`: HLO text has "HloModule".
bool BeginsWithModule(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "\"builtin.module\"") || absl::ConsumePrefix(&text, "builtin.module")) return true;
  if (!absl::ConsumePrefix(&text, "module")) return false;
  SkipBlanksAndComments(&text);
  return absl::StartsWith(text, "{") || absl::StartsWith(text, "@") || absl::StartsWith(text, "attributes");
}

}  // namespace

bool LooksLikeStableHlo(absl::string_view contents) {
  if (absl::StartsWith(contents, kBytecodeMagic)) return true;
  SkipBlanksAndComments(&contents);
  if (BeginsWithModule(contents)) return true;
  for (const absl::string_view begin : {"func.func", "\"func.func\"", "sdy.mesh", "{-#"}) {
    if (absl::StartsWith(contents, begin)) return true;
  }
  // An alias: `#loc = loc(...)`, `#map = ...`, `!type = ...`.
  if (contents.empty() || (contents[0] != '#' && contents[0] != '!')) return false;
  const size_t end = contents.find_first_of(" =\n", 1);
  if (end == absl::string_view::npos) return false;
  contents.remove_prefix(end);
  SkipBlanksAndComments(&contents);
  return absl::StartsWith(contents, "=");
}

absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> ParseStableHlo(absl::string_view contents,
                                                                       const StableHloOptions& options) {
  if (absl::StartsWith(contents, kBytecodeMagic)) {
    return absl::UnimplementedError("this is MLIR bytecode; convert it to StableHLO text");
  }
  stablehlo::TextOptions text_options;
  text_options.file_name = options.file_name;
  text_options.resources = options.resources;
  ASSIGN_OR_RETURN(const auto modules, stablehlo::ParseModules(contents, text_options));
  stablehlo::LoweringOptions lowering;
  lowering.source_name = options.file_name.empty() ? "<text>" : options.file_name;
  lowering.entry = options.entry;
  lowering.resources = options.resources;
  std::vector<std::unique_ptr<HloModule>> programs;
  for (const std::unique_ptr<stablehlo::Module>& module : modules) {
    ASSIGN_OR_RETURN(std::vector<std::unique_ptr<HloModule>> lowered, stablehlo::LowerToHlo(*module, lowering));
    for (std::unique_ptr<HloModule>& program : lowered) programs.push_back(std::move(program));
  }
  return programs;
}

}  // namespace xla
