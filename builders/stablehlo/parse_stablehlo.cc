#include "builders/stablehlo/parse_stablehlo.h"

#include <functional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "builders/stablehlo/bytecode/reader.h"
#include "builders/stablehlo/lowering/lower_to_hlo.h"
#include "builders/stablehlo/text/parser.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using ModulePtr = std::unique_ptr<stablehlo::Module>;

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

// Elements that the file has in another form lie elsewhere.
bool IsPartOf(absl::string_view contents, absl::string_view data) {
  const auto is_in = [contents](const char* at) {
    return !std::less<const char*>()(at, contents.data()) &&
           !std::less<const char*>()(contents.data() + contents.size(), at);
  };
  return is_in(data.data()) && is_in(data.data() + data.size());
}

absl::StatusOr<std::vector<ModulePtr>> ReadModules(absl::string_view contents, const StableHloOptions& options) {
  if (!stablehlo::IsBytecode(contents)) {
    stablehlo::TextOptions text;
    text.file_name = options.file_name;
    text.resources = options.resources;
    return stablehlo::ParseModules(contents, text);
  }
  stablehlo::BytecodeOptions bytecode;
  bytecode.file_name = options.file_name;
  bytecode.resources = options.resources;
  ASSIGN_OR_RETURN(ModulePtr module, stablehlo::ReadBytecode(contents, bytecode));
  std::vector<ModulePtr> modules;
  modules.push_back(std::move(module));
  return modules;
}

}  // namespace

bool LooksLikeStableHlo(absl::string_view contents) {
  if (stablehlo::IsBytecode(contents)) return true;
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

bool IsStableHloBytecode(absl::string_view contents) { return stablehlo::IsBytecode(contents); }

absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> ParseStableHlo(absl::string_view contents,
                                                                       const StableHloOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<ModulePtr> modules, ReadModules(contents, options));
  stablehlo::LoweringOptions lowering;
  lowering.source_name = !options.file_name.empty()        ? options.file_name
                         : stablehlo::IsBytecode(contents) ? "<bytecode>"
                                                           : "<text>";
  lowering.entry = options.entry;
  lowering.resources = options.resources;
  std::vector<std::unique_ptr<HloModule>> programs;
  for (const ModulePtr& module : modules) {
    lowering.on_copied = [&](absl::string_view data) {
      if (!IsPartOf(contents, data)) {
        module->FreeBytes(data);
      } else if (options.on_copied != nullptr) {
        options.on_copied(data);
      }
    };
    ASSIGN_OR_RETURN(std::vector<std::unique_ptr<HloModule>> lowered, stablehlo::LowerToHlo(*module, lowering));
    for (std::unique_ptr<HloModule>& program : lowered) programs.push_back(std::move(program));
  }
  return programs;
}

}  // namespace xla
