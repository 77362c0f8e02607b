#include "tests/words/file_names.h"

#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "re2/re2.h"

namespace xla {
namespace {

// The characters beside a name that make it a part of something else: a pattern, a placeholder, a longer word.
constexpr absl::string_view kBefore = "*{<~$/.-";
constexpr absl::string_view kAfter = "*/-";

bool IsWord(char c) { return absl::ascii_isalnum(c) || c == '_'; }

std::vector<std::string> NamesIn(const std::string& text) {
  static const RE2* const expression = new RE2(
      "(?:[A-Za-z0-9_.-]+/)*[A-Za-z0-9_.-]*[A-Za-z0-9_]\\.(?:cc|h|md|bzl|sh|py|def|inc|mjs|js|proto|csv)");
  std::vector<std::string> names;
  re2::StringPiece match;
  size_t begin = 0;
  while (begin < text.size() && expression->Match(text, begin, text.size(), RE2::UNANCHORED, &match, 1)) {
    const size_t at = match.data() - text.data();
    const size_t end = at + match.size();
    begin = end;
    const bool has_before = at > 0 && (IsWord(text[at - 1]) || absl::StrContains(kBefore, text.substr(at - 1, 1)));
    const bool has_after = end < text.size() && (IsWord(text[end]) || absl::StrContains(kAfter, text.substr(end, 1)));
    if (!has_before && !has_after) names.emplace_back(match);
  }
  return names;
}

}  // namespace

FileNames::FileNames(const std::vector<std::string>& tree, const std::vector<std::string>& others)
    : known_(others.begin(), others.end()) {
  for (const std::string& path : tree) {
    known_.insert(path);
    for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      known_.insert(path.substr(slash + 1));
    }
  }
}

bool FileNames::IsKnown(absl::string_view path, absl::string_view name) const {
  if (known_.count(std::string(name)) != 0) return true;
  const std::filesystem::path folder = std::filesystem::path(std::string(path)).parent_path();
  return known_.count((folder / std::string(name)).lexically_normal().generic_string()) != 0;
}

std::vector<std::string> FileNames::FindUnknown(absl::string_view path, const std::vector<Prose>& prose) const {
  std::vector<std::string> unknown;
  for (const Prose& one : prose) {
    if (one.kind == Prose::Kind::kString) continue;
    for (const std::string& name : NamesIn(one.text)) {
      if (!IsKnown(path, name)) {
        unknown.push_back(absl::StrCat(path, ":", one.line, ": there is no file '", name, "'"));
      }
    }
  }
  return unknown;
}

}  // namespace xla
