#include "tests/layering/layering_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tests/layering/source_files.h"

namespace xla {
namespace {

namespace fs = std::filesystem;

absl::string_view TopFolder(absl::string_view path) { return path.substr(0, path.find('/')); }

bool IsInside(absl::string_view path, absl::string_view folder) {
  return path == folder || (absl::StartsWith(path, folder) && path[folder.size()] == '/');
}

const Layer* FindLayer(absl::string_view path, const std::vector<Layer>& layers) {
  const Layer* longest = nullptr;
  for (const Layer& layer : layers) {
    const bool is_longer = longest == nullptr || layer.path.size() > longest->path.size();
    if (IsInside(path, layer.path) && is_longer) longest = &layer;
  }
  return longest;
}

// The paths of all layers that can be reached downwards from `layer`.
std::set<absl::string_view> AllBelow(const Layer& layer, const std::vector<Layer>& layers) {
  std::set<absl::string_view> reached;
  std::vector<const Layer*> open = {&layer};
  while (!open.empty()) {
    const Layer* next = open.back();
    open.pop_back();
    for (absl::string_view path : next->below) {
      if (reached.insert(path).second) open.push_back(FindLayer(path, layers));
    }
  }
  return reached;
}

bool IsTest(const fs::path& path) {
  const std::string stem = path.stem().string();
  return absl::EndsWith(stem, "_test") || absl::EndsWith(stem, "_benchmark") || absl::EndsWith(stem, "_fuzzer") ||
         absl::StartsWith(stem, "test_");
}

// x/y.h for a line #include "x/y.h"; nothing for any other.
absl::string_view QuotedInclude(absl::string_view line) {
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "#")) return "";
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "include")) return "";
  line = absl::StripLeadingAsciiWhitespace(line);
  if (!absl::ConsumePrefix(&line, "\"")) return "";
  return line.substr(0, line.find('"'));
}

bool IsAllowed(const std::string& file, const Layer& from, absl::string_view included,
               const std::vector<Layer>& layers) {
  const Layer* to = FindLayer(included, layers);
  if (to == &from) return true;
  if (IsTest(file) && TopFolder(file) == TopFolder(included)) return true;
  return to != nullptr && AllBelow(from, layers).count(to->path) != 0;
}

// Folders within a layer could include each other in circles unnoticed.
bool BelongsTo(const Layer& layer, absl::string_view file) {
  return layer.with_subfolders || layer.path == file || layer.path == file.substr(0, file.rfind('/'));
}

void CheckFile(const fs::path& root, const std::string& file, const std::vector<Layer>& layers,
               std::vector<std::string>& violations) {
  const Layer* from = FindLayer(file, layers);
  if (from == nullptr || !BelongsTo(*from, file)) {
    violations.push_back(absl::StrCat(file, ": in no layer; add its folder to tests/layering/layers.cc"));
    return;
  }
  std::ifstream stream(root / file);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    const absl::string_view included = QuotedInclude(line);
    // Libraries may be included in quotes too; they belong to no layer.
    const bool is_ours = !included.empty() && std::any_of(layers.begin(), layers.end(), [included](const Layer& layer) {
      return TopFolder(layer.path) == TopFolder(included);
    });
    if (!is_ours || IsAllowed(file, *from, included, layers)) continue;
    violations.push_back(absl::StrCat(file, ":", number, ": ", from->path, " must not include ", included,
                                      ", which is not in a layer below it (tests/layering/layers.cc)"));
  }
}

}  // namespace

std::vector<std::string> LayeringViolations(const std::string& root, const std::vector<Layer>& layers) {
  std::vector<std::string> violations;
  for (const std::string& file : SourceFiles(root)) CheckFile(root, file, layers, violations);
  return violations;
}

std::vector<std::string> LayerTableErrors(const std::vector<Layer>& layers) {
  std::vector<std::string> errors;
  for (const Layer& layer : layers) {
    for (absl::string_view path : layer.below) {
      const Layer* named = FindLayer(path, layers);
      if (named == nullptr || named->path != path) {
        errors.push_back(absl::StrCat(layer.path, ": there is no layer ", path));
      }
    }
  }
  if (!errors.empty()) return errors;
  for (const Layer& layer : layers) {
    if (AllBelow(layer, layers).count(layer.path) != 0) {
      errors.push_back(absl::StrCat(layer.path, ": is below itself"));
    }
  }
  return errors;
}

}  // namespace xla
