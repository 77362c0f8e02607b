#include "tests/conformance/nnef2_corpus.h"

#include <filesystem>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kMainModule = "main.sknd";

absl::StatusOr<JsonValue> ReadJson(const std::string& path) {
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
  return ParseJson(file.data(), path);
}

absl::StatusOr<Nnef2Case::Kind> ReadKind(const std::string& text) {
  if (text == "exec") return Nnef2Case::Kind::kExec;
  if (text == "compile") return Nnef2Case::Kind::kCompile;
  if (text == "invalid") return Nnef2Case::Kind::kInvalid;
  if (text == "data") return Nnef2Case::Kind::kData;
  return absl::InvalidArgumentError(absl::StrCat("\"kind\" is '", text, "'"));
}

// The folder of the case among its like, or its place.
std::string GroupOf(const std::string& file) {
  const std::filesystem::path path = file;
  const std::string place = path.begin()->string();
  return place == "cases" ? path.parent_path().filename().string() : place;
}

absl::StatusOr<Nnef2Case> ReadRow(const JsonValue& json, const std::string& folder) {
  Nnef2Case read;
  const std::string file = TextMember(json, "case");
  read.name = TextMember(json, "name");
  if (file.empty() || read.name.empty()) {
    return absl::InvalidArgumentError("expected each case to have a \"name\" and a \"case\"");
  }
  ASSIGN_OR_RETURN(read.kind, ReadKind(TextMember(json, "kind")));
  read.group = GroupOf(file);
  read.path = absl::StrCat(folder, "/", file);
  return read;
}

}  // namespace

std::string TextMember(const JsonValue& json, absl::string_view key) {
  const JsonValue* const member = json.Find(key);
  return member != nullptr && member->AsString() != nullptr ? *member->AsString() : "";
}

absl::StatusOr<std::vector<Nnef2Case>> ReadNnef2Corpus(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/manifest.json");
  ASSIGN_OR_RETURN(const JsonValue json, ReadJson(path));
  const JsonValue* const cases = json.Find("cases");
  if (cases == nullptr || cases->AsArray() == nullptr || cases->AsArray()->empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": expected an object with an array \"cases\""));
  }
  std::vector<Nnef2Case> corpus;
  for (const JsonValue& row : *cases->AsArray()) {
    absl::StatusOr<Nnef2Case> read = ReadRow(row, folder);
    if (!read.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": case ", corpus.size(), ": ", TextMember(row, "name"), ": ", read.status().message()));
    }
    corpus.push_back(*std::move(read));
  }
  return corpus;
}

absl::StatusOr<Nnef2Description> ReadNnef2Case(const Nnef2Case& nnef2_case) {
  Nnef2Description description;
  ASSIGN_OR_RETURN(description.json, ReadJson(nnef2_case.path));
  const std::string source = TextMember(description.json, "source");
  if (source.empty()) return absl::InvalidArgumentError(absl::StrCat(nnef2_case.path, ": expected a \"source\""));
  const std::filesystem::path folder = std::filesystem::path(nnef2_case.path).parent_path();
  description.is_folder = source == kMainModule;
  description.source = description.is_folder ? folder.string() : (folder / source).string();
  const JsonValue* const ambiguous = description.json.Find("ambiguous");
  description.is_ambiguous = ambiguous != nullptr && ambiguous->AsBool().value_or(false);
  return description;
}

}  // namespace xla
