#include "tests/conformance/webnn_corpus.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

std::vector<std::string> JsonFilesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".json") names.push_back(it->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

WebnnCase::Kind KindOf(const JsonValue& json) {
  if (json.Find("steps") != nullptr) return WebnnCase::Kind::kScript;
  return json.Find("expected") != nullptr ? WebnnCase::Kind::kNumeric : WebnnCase::Kind::kValidation;
}

}  // namespace

absl::StatusOr<WebnnCorpus> ReadWebnnCorpus(const std::string& folder) {
  WebnnCorpus corpus;
  for (const std::string& group : JsonFilesIn(folder)) {
    const std::string path = absl::StrCat(folder, "/", group, ".json");
    ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
    ASSIGN_OR_RETURN(JsonValue json, ParseJson(file.data(), path));
    corpus.files.push_back(std::move(json));
    const JsonValue* const cases = corpus.files.back().Find("cases");
    if (cases == nullptr || cases->AsArray() == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": expected an object with an array \"cases\""));
    }
    for (const JsonValue& element : *cases->AsArray()) {
      const JsonValue* const name = element.Find("name");
      if (name == nullptr || name->AsString() == nullptr) {
        return absl::InvalidArgumentError(absl::StrCat(path, ": expected each case to have a \"name\""));
      }
      corpus.cases.push_back({KindOf(element), group, *name->AsString(), &element});
    }
  }
  if (corpus.cases.empty()) return absl::NotFoundError(absl::StrCat(folder, ": there are no cases in .json files"));
  return corpus;
}

}  // namespace xla
