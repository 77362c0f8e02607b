#include "tests/conformance/conformance_case.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

std::vector<std::string> FoldersIn(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    if (it->is_directory(error)) names.push_back(it->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

absl::StatusOr<std::vector<ConformanceCase>> ListCases(const std::string& corpus) {
  std::error_code error;
  if (!std::filesystem::is_directory(corpus, error)) {
    return absl::NotFoundError(absl::StrCat(corpus, ": there is no such folder"));
  }
  std::vector<ConformanceCase> cases;
  for (const std::string& group : FoldersIn(corpus)) {
    for (const std::string& name : FoldersIn(absl::StrCat(corpus, "/", group))) {
      cases.push_back({group, name, absl::StrCat(corpus, "/", group, "/", name)});
    }
  }
  return cases;
}

absl::StatusOr<CaseDescription> ReadCaseDescription(const ConformanceCase& conformance_case) {
  const std::string path = conformance_case.path("case.json");
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(file.data(), path));
  CaseDescription description;
  const JsonValue* expect = json.Find("expect");
  description.must_be_refused = expect != nullptr && expect->AsString() != nullptr && *expect->AsString() == "error";
  const JsonValue* full = json.Find("full");
  description.is_full_size = full != nullptr && full->AsBool().value_or(false);
  description.has_inputs = json.Find("inputs") != nullptr;
  if (description.has_inputs) {
    ASSIGN_OR_RETURN(description.inputs, ParseInputSpecs(json, path));
    description.replica_count = std::max<int64_t>(1, description.inputs.replica_count);
    description.partition_count = std::max<int64_t>(1, description.inputs.partition_count);
  }
  ASSIGN_OR_RETURN(const absl::optional<ResultTolerance> tolerance, ParseCaseTolerance(json, path));
  if (tolerance.has_value()) description.tolerance = *tolerance;
  return description;
}

}  // namespace xla
