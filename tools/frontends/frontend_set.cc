#include "tools/frontends/frontend_set.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/frontends/registry.h"

namespace xla {
namespace {

constexpr char kAuto[] = "auto";

bool HaveCommonElement(absl::Span<const std::string> a, absl::Span<const std::string> b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

std::string Joined(absl::Span<const std::string> words, absl::string_view conjunction) {
  if (words.empty()) return "nothing";
  if (words.size() == 1) return words[0];
  return absl::StrCat(absl::StrJoin(words.first(words.size() - 1), ", "), " ", conjunction, " ", words.back());
}

}  // namespace

std::string JoinedByOr(absl::Span<const std::string> words) { return Joined(words, "or"); }

FrontendSet::FrontendSet() : frontends_(MakeFrontends()), chosen_(kAuto) {}

std::vector<const Frontend*> FrontendSet::with_weights() const {
  std::vector<const Frontend*> found;
  for (const auto& frontend : frontends_) {
    if (frontend->description().has_weights) found.push_back(frontend.get());
  }
  return found;
}

std::string FrontendSet::Programs() const {
  std::vector<std::string> programs;
  for (const auto& frontend : frontends_) programs.push_back(frontend->description().program);
  return JoinedByOr(programs);
}

std::string FrontendSet::Files() const {
  std::vector<std::string> files;
  for (const auto& frontend : frontends_) files.push_back(frontend->description().file);
  return JoinedByOr(files);
}

std::string FrontendSet::ProgramsOf(absl::Span<const std::string> names, absl::string_view conjunction) const {
  std::vector<std::string> programs;
  for (const auto& frontend : frontends_) {
    const FrontendDescription& description = frontend->description();
    if (std::find(names.begin(), names.end(), description.name) != names.end()) programs.push_back(description.program);
  }
  return Joined(programs, conjunction);
}

void FrontendSet::AddFrontendFlag(FlagTable* table) {
  std::vector<std::string> names = {kAuto};
  for (const auto& frontend : frontends_) names.push_back(frontend->description().name);
  table->Choice("frontend", std::move(names), &chosen_,
                "read FILE as a program of this format (default: auto, by its content)");
}

void FrontendSet::AddFlags(Tool tool, FlagTable* table) {
  const std::string topic = table->topic();
  for (const auto& frontend : frontends_) {
    table->Owner(frontend->description().name);
    frontend->AddFlags(tool, table);
    table->ContinueTopic(topic);
  }
  table->Owner("");
}

absl::StatusOr<Frontend*> FrontendSet::ReaderOf(const ProgramSource& source) const {
  Frontend* surest = nullptr;
  Recognition how_sure = Recognition::kNot;
  for (const auto& frontend : frontends_) {
    if (frontend->description().name == chosen_) return frontend.get();
    // A folder may be a program of several formats at once; other content shows one.
    if (chosen_ != kAuto || (how_sure == Recognition::kByContent && !source.is_folder())) continue;
    const Recognition recognition = frontend->Recognize(source);
    if (recognition == Recognition::kByContent && how_sure == Recognition::kByContent) {
      const std::string& first = surest->description().name;
      const std::string& second = frontend->description().name;
      return absl::InvalidArgumentError(absl::StrCat(source.name(), ": both ", ProgramsOf({first, second}, "and"),
                                                     "; say which one to read with --frontend ", first,
                                                     " or --frontend ", second));
    }
    if (recognition <= how_sure) continue;
    how_sure = recognition;
    surest = frontend.get();
  }
  if (surest != nullptr) return surest;
  return absl::InvalidArgumentError(
      absl::StrCat(source.name(), ": not recognized as ", Programs(), "; say what it is with --frontend"));
}

absl::Status FrontendSet::CheckFlags(std::vector<FlagTable::OwnedFlag> given, absl::string_view weights,
                                     absl::Span<const Frontend* const> readers) const {
  if (weights == kConstantWeights || weights == kParameterWeights) {
    FlagTable::OwnedFlag flag = {absl::StrCat("--weights ", weights), {}};
    for (const Frontend* frontend : with_weights()) flag.owners.push_back(frontend->description().name);
    given.push_back(std::move(flag));
  }
  std::vector<std::string> names;
  for (const Frontend* reader : readers) names.push_back(reader->description().name);
  std::vector<std::string> refused, owners;
  for (const FlagTable::OwnedFlag& flag : given) {
    if (HaveCommonElement(flag.owners, names)) continue;
    if (refused.empty()) owners = flag.owners;
    if (flag.owners == owners) refused.push_back(flag.name);
  }
  if (refused.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(Joined(refused, "and"), refused.size() == 1 ? " is" : " are", " for ",
                                                 ProgramsOf(owners), ", not for ", ProgramsOf(names)));
}

const Frontend* FrontendSet::WriterOf(absl::string_view form) const {
  for (const auto& frontend : frontends_) {
    for (const OutputForm& output : frontend->description().output_forms) {
      if (output.name == form) return frontend.get();
    }
  }
  return nullptr;
}

const Frontend* FrontendSet::FrontendOfArrays(absl::string_view path, const Frontend* reader) const {
  const auto names_arrays = [&](const Frontend& frontend) {
    const std::string& suffix = frontend.description().array_suffix;
    return !suffix.empty() && absl::EndsWith(path, suffix);
  };
  if (reader != nullptr && names_arrays(*reader)) return reader;
  for (const auto& frontend : frontends_) {
    if (names_arrays(*frontend)) return frontend.get();
  }
  return nullptr;
}

}  // namespace xla
