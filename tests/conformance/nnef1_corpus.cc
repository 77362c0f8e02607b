#include "tests/conformance/nnef1_corpus.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using TensorFile = Nnef1Case::TensorFile;

// The text of a member; "" if there is none.
std::string Text(const JsonValue& json, absl::string_view key) {
  const JsonValue* const member = json.Find(key);
  return member != nullptr && member->AsString() != nullptr ? *member->AsString() : "";
}

std::vector<std::string> Texts(const JsonValue& json, absl::string_view key) {
  std::vector<std::string> texts;
  const JsonValue* const member = json.Find(key);
  if (member == nullptr || member->AsArray() == nullptr) return texts;
  for (const JsonValue& element : *member->AsArray()) {
    if (element.AsString() != nullptr) texts.push_back(*element.AsString());
  }
  return texts;
}

std::vector<TensorFile> ReadCycle(const JsonValue::Array& tensors, const std::string& folder) {
  std::vector<TensorFile> files;
  for (const JsonValue& tensor : tensors) {
    const std::string file = Text(tensor, "file");
    files.push_back({Text(tensor, "name"), file.empty() ? "" : absl::StrCat(folder, "/", file)});
  }
  return files;
}

// A list of tensors for the only cycle, or a list of such lists. A case without a list has one cycle without tensors.
std::vector<std::vector<TensorFile>> ReadCycles(const JsonValue* json, const std::string& folder) {
  if (json == nullptr || json->AsArray() == nullptr || json->AsArray()->empty()) return {{}};
  if (json->AsArray()->front().AsArray() == nullptr) return {ReadCycle(*json->AsArray(), folder)};
  std::vector<std::vector<TensorFile>> cycles;
  for (const JsonValue& cycle : *json->AsArray()) {
    cycles.push_back(cycle.AsArray() == nullptr ? std::vector<TensorFile>() : ReadCycle(*cycle.AsArray(), folder));
  }
  return cycles;
}

std::string GroupOf(const JsonValue& json) {
  const std::string operation = Text(json, "op");
  if (operation == "invalid") return absl::StrCat("invalid ", Text(json, "error_class"));
  for (const char* const group : {"language", "container", "quantization", "network"}) {
    if (operation == group) return operation;
  }
  return "operation";
}

absl::Status ReadTolerance(const JsonValue& json, Nnef1Case& read) {
  const JsonValue* const tolerance = json.Find("tolerance");
  const JsonValue* const atol = tolerance == nullptr ? nullptr : tolerance->Find("atol");
  const JsonValue* const rtol = tolerance == nullptr ? nullptr : tolerance->Find("rtol");
  if (atol == nullptr || rtol == nullptr || !atol->is_number() || !rtol->is_number()) {
    return absl::InvalidArgumentError("expected \"tolerance\": {\"atol\": number, \"rtol\": number}");
  }
  read.atol = *atol->AsDouble();
  read.rtol = *rtol->AsDouble();
  return absl::OkStatus();
}

absl::StatusOr<Nnef1Case::Expect> ReadExpect(const std::string& text) {
  if (text == "success") return Nnef1Case::Expect::kSuccess;
  if (text == "error") return Nnef1Case::Expect::kError;
  if (text == "structure") return Nnef1Case::Expect::kStructure;
  return absl::InvalidArgumentError(absl::StrCat("\"expect\" is '", text, "'"));
}

absl::StatusOr<Nnef1Case> ReadCase(const JsonValue& json, const std::string& corpus) {
  Nnef1Case read;
  read.name = Text(json, "case");
  if (read.name.empty()) return absl::InvalidArgumentError("expected each case to have a \"case\"");
  read.group = GroupOf(json);
  read.folder = absl::StrCat(corpus, "/", read.name);
  const std::string model = Text(json, "model");
  read.model = model.empty() ? read.folder : absl::StrCat(read.folder, "/", model);
  read.inputs = ReadCycles(json.Find("inputs"), read.folder);
  read.outputs = ReadCycles(json.Find("outputs"), read.folder);
  // A model that is fed nothing runs as often as something is expected.
  if (read.inputs.size() == 1) read.inputs.resize(read.outputs.size(), read.inputs[0]);
  read.has_formula_weights = Text(json, "weights") == "formula";
  for (const std::string& feature : Texts(json, "features")) {
    if (feature == "quantization-file") read.has_quantization_file = true;
  }
  read.is_disputed = json.Find("disputed") != nullptr;
  read.error_classes = Texts(json, "also_acceptable");
  read.error_classes.insert(read.error_classes.begin(), Text(json, "error_class"));
  read.rule = Text(json, "rule");
  read.structure = absl::StrCat(read.folder, "/", Text(json, "structure"));
  ASSIGN_OR_RETURN(read.expect, ReadExpect(Text(json, "expect")));
  if (read.expect == Nnef1Case::Expect::kSuccess) RETURN_IF_ERROR(ReadTolerance(json, read));
  return read;
}

}  // namespace

absl::StatusOr<std::vector<Nnef1Case>> ReadNnef1Corpus(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/manifest.json");
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(file.data(), path));
  const JsonValue* const cases = json.Find("cases");
  if (cases == nullptr || cases->AsArray() == nullptr || cases->AsArray()->empty()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": expected an object with an array \"cases\""));
  }
  std::vector<Nnef1Case> corpus;
  for (const JsonValue& element : *cases->AsArray()) {
    absl::StatusOr<Nnef1Case> read = ReadCase(element, folder);
    if (!read.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": case ", corpus.size(), ": ", Text(element, "case"), ": ", read.status().message()));
    }
    corpus.push_back(*std::move(read));
  }
  return corpus;
}

}  // namespace xla
