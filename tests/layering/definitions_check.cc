#include "tests/layering/definitions_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "tests/layering/source_files.h"

namespace xla {
namespace {

// X for a line that begins the definition of a class X; nothing for declarations, specialisations, nested classes that
// are defined outside, and any other line.
absl::string_view DefinedName(absl::string_view line) {
  absl::string_view rest = line;
  const bool is_class = absl::ConsumePrefix(&rest, "class ") || absl::ConsumePrefix(&rest, "struct ") ||
                        absl::ConsumePrefix(&rest, "union ") || absl::ConsumePrefix(&rest, "enum class ") ||
                        absl::ConsumePrefix(&rest, "enum ");
  const bool is_declared_only = !absl::StrContains(line, '{') && absl::StrContains(line, ';');
  if (!is_class || is_declared_only) return "";
  if (absl::StartsWith(rest, "alignas(")) rest.remove_prefix(std::min(rest.size(), rest.find(") ") + 2));
  size_t end = 0;
  while (end < rest.size() && (absl::ascii_isalnum(rest[end]) || rest[end] == '_')) ++end;
  const absl::string_view name = rest.substr(0, end);
  rest.remove_prefix(end);
  return absl::StartsWith(rest, "<") || absl::StartsWith(rest, "::") ? "" : name;
}

// The names, with their namespaces, of what a file defines.
std::vector<std::string> DefinitionsIn(const std::filesystem::path& file) {
  std::vector<std::string> names;
  std::vector<std::string> namespaces;  // "": unnamed
  int unnamed = 0;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    absl::string_view rest = line;
    if (absl::StartsWith(rest, "}  // namespace") && !namespaces.empty()) {
      unnamed -= namespaces.back().empty() ? 1 : 0;
      namespaces.pop_back();
    } else if (absl::ConsumePrefix(&rest, "namespace ") && absl::ConsumeSuffix(&rest, "{")) {
      namespaces.emplace_back(absl::StripAsciiWhitespace(rest));
      unnamed += namespaces.back().empty() ? 1 : 0;
    } else if (!namespaces.empty() && unnamed == 0 && !DefinedName(line).empty()) {
      names.push_back(absl::StrCat(absl::StrJoin(namespaces, "::"), "::", DefinedName(line)));
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> RepeatedDefinitions(const std::string& root) {
  std::map<std::string, std::vector<std::string>> files_of;
  for (const std::string& file : SourceFiles(root)) {
    for (const std::string& name : DefinitionsIn(std::filesystem::path(root) / file)) files_of[name].push_back(file);
  }
  std::vector<std::string> repeated;
  for (const auto& [name, files] : files_of) {
    if (files.size() == 1) continue;
    repeated.push_back(absl::StrCat(name, ": defined in ", absl::StrJoin(files, " and "), "; rename all but one"));
  }
  return repeated;
}

}  // namespace xla
