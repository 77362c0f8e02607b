#include "builders/nnef_common/diagnostics.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace xla {
namespace nnef {
namespace {

constexpr char kPayloadUrl[] = "halo/nnef-error-class";

// Of a long line, what is shown around the caret.
constexpr int kShownBefore = 70;
constexpr int kShownAfter = 40;

absl::string_view LineOf(absl::string_view text, int line) {
  size_t begin = 0;
  for (int i = 1; i < line; ++i) {
    const size_t end = text.find('\n', begin);
    if (end == absl::string_view::npos) return "";
    begin = end + 1;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

// The line of `position` and a caret below, each indented by four.
std::string SourceLine(const Position& position) {
  const absl::string_view line = LineOf(position.source->text, position.line);
  const int size = static_cast<int>(line.size());
  const int caret = std::min(position.column - 1, size);
  const int begin = std::max(0, caret - kShownBefore);
  const int end = std::min(size, caret + kShownAfter);
  std::string shown(line.substr(begin, end - begin));
  for (char& c : shown) {
    if (c == '\t') c = ' ';
    if (c == '\0' || absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = ' ';
  }
  const bool cut_before = begin > 0;
  absl::StripTrailingAsciiWhitespace(&shown);
  const int length = std::max(1, std::min(position.length, end - caret));
  return absl::StrCat("    ", cut_before ? "..." : "", shown, end < size ? "..." : "", "\n    ",
                      std::string(caret - begin + (cut_before ? 3 : 0), ' '), std::string(length, '^'));
}

absl::Status StatusOf(ErrorClass error_class, absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kPayloadUrl, absl::Cord(error_class.code()));
  return status;
}

}  // namespace

std::string PlaceText(const Position& position) {
  if (position.source == nullptr) return "";
  if (position.line == 0) return absl::StrCat(position.source->name, ": ");
  return absl::StrCat(position.source->name, ":", position.line, ":", position.column, ": ");
}

namespace {

std::string CallText(const Diagnostic::Call& call, const Standard* standard) {
  const std::string place = PlaceText(call.position);
  if (standard != nullptr && !standard->callable.empty()) {
    return absl::StrCat(place, "in ", standard->callable, " '", call.name, "', which is invoked here");
  }
  if (place.empty()) return absl::StrCat("in ", call.name);
  return absl::StrCat("in ", call.name, ", called from ", absl::StripSuffix(place, ": "));
}

}  // namespace

std::string Diagnostic::ToString() const {
  const Standard* const standard = error_class.standard();
  std::string text = absl::StrCat(PlaceText(position), error_class.code(), ": ", message);
  if (!rule.empty() && standard != nullptr) absl::StrAppend(&text, " (", standard->name, " section ", rule, ")");
  if (!suggestion.empty()) absl::StrAppend(&text, "; ", suggestion);
  if (position.source != nullptr && position.line > 0) absl::StrAppend(&text, "\n", SourceLine(position));
  for (const Call& call : calls) absl::StrAppend(&text, "\n  ", CallText(call, standard));
  return text;
}

void Diagnostics::Add(Diagnostic diagnostic) {
  if (static_cast<int>(errors_.size()) < kMaxErrors) {
    errors_.push_back(std::move(diagnostic));
  } else {
    ++omitted_;
  }
}

void Diagnostics::Error(ErrorClass error_class, const Position& position, std::string message, absl::string_view rule,
                        std::string suggestion) {
  Diagnostic diagnostic;
  diagnostic.error_class = error_class;
  diagnostic.position = position;
  diagnostic.message = std::move(message);
  diagnostic.rule = std::string(rule);
  diagnostic.suggestion = std::move(suggestion);
  Add(std::move(diagnostic));
}

absl::Status Diagnostics::ToStatus() const {
  if (!limit_.ok()) return limit_;
  if (!has_errors()) return absl::OkStatus();
  std::string text = absl::StrJoin(
      errors_, "\n", [](std::string* out, const Diagnostic& error) { absl::StrAppend(out, error.ToString()); });
  if (omitted_ > 0) absl::StrAppend(&text, "\n", omitted_, omitted_ == 1 ? " more error" : " more errors");
  return StatusOf(errors_.front().error_class, text);
}

absl::Status ClassifiedError(ErrorClass error_class, absl::string_view message) {
  return StatusOf(error_class, absl::StrCat(error_class.code(), ": ", message));
}

absl::optional<std::string> ErrorCodeOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return absl::nullopt;
  return std::string(*payload);
}

absl::string_view MessageWithoutClass(const absl::Status& status) {
  absl::string_view message = status.message();
  const absl::optional<std::string> code = ErrorCodeOf(status);
  if (code.has_value()) absl::ConsumePrefix(&message, absl::StrCat(*code, ": "));
  return message;
}

}  // namespace nnef
}  // namespace xla
