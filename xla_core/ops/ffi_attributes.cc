#include "xla_core/ops/ffi_attributes.h"

#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Splits at the separators that stand outside of quotes and brackets. False if these do not match.
bool SplitOutside(absl::string_view text, char separator, std::vector<absl::string_view>& parts) {
  std::string open;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
      if (i >= text.size()) return false;
    } else if (c == '{' || c == '[' || c == '(' || c == '<') {
      open.push_back(c == '{' ? '}' : c == '[' ? ']' : c == '(' ? ')' : '>');
    } else if (c == '}' || c == ']' || c == ')' || (c == '>' && (i == 0 || text[i - 1] != '-'))) {
      if (open.empty() || open.back() != c) return false;
      open.pop_back();
    } else if (c == separator && open.empty()) {
      parts.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  parts.push_back(text.substr(start));
  return open.empty();
}

absl::Status NotADictionary(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("backend_config must be a dictionary {key = value : type, ...}, got ", text));
}

// "76 : ui8" without the type.
absl::string_view WithoutType(absl::string_view value) {
  std::vector<absl::string_view> parts;
  SplitOutside(value, ':', parts);
  return absl::StripAsciiWhitespace(parts[0]);
}

absl::Status WrongKind(absl::string_view key, absl::string_view expected, absl::string_view value) {
  return absl::InvalidArgumentError(absl::StrCat("attribute ", key, " must be ", expected, ", got ", value));
}

}  // namespace

// Splits at commas and equals signs outside of strings and nested brackets; values stay text until they are asked
// for.
absl::StatusOr<FfiAttributes> FfiAttributes::Parse(absl::string_view text) {
  FfiAttributes attributes;
  absl::string_view body = absl::StripAsciiWhitespace(text);
  if (body.empty()) return attributes;
  if (!absl::ConsumePrefix(&body, "{") || !absl::ConsumeSuffix(&body, "}")) return NotADictionary(text);
  body = absl::StripAsciiWhitespace(body);
  if (body.empty()) return attributes;
  std::vector<absl::string_view> entries;
  if (!SplitOutside(body, ',', entries)) return NotADictionary(text);
  for (const absl::string_view entry : entries) {
    std::vector<absl::string_view> sides;
    if (!SplitOutside(entry, '=', sides) || sides.size() > 2) return NotADictionary(text);
    absl::string_view key = absl::StripAsciiWhitespace(sides[0]);
    if (key.size() >= 2 && key.front() == '"' && key.back() == '"') key = key.substr(1, key.size() - 2);
    if (key.empty()) return NotADictionary(text);
    const absl::string_view value = sides.size() == 2 ? absl::StripAsciiWhitespace(sides[1]) : "unit";
    if (!attributes.values_.emplace(std::string(key), std::string(value)).second) {
      return absl::InvalidArgumentError(absl::StrCat("backend_config names ", key, " twice: ", text));
    }
  }
  return attributes;
}

absl::StatusOr<absl::string_view> FfiAttributes::Find(absl::string_view key) const {
  const auto found = values_.find(key);
  if (found != values_.end()) return absl::string_view(found->second);
  const auto name = [](std::string* out, const auto& entry) { out->append(entry.first); };
  return absl::InvalidArgumentError(
      absl::StrCat("backend_config lacks the attribute ", key, "; it has {", absl::StrJoin(values_, ", ", name), "}"));
}

absl::StatusOr<int64_t> FfiAttributes::GetInteger(absl::string_view key) const {
  ASSIGN_OR_RETURN(const absl::string_view value, Find(key));
  int64_t result;
  if (!absl::SimpleAtoi(WithoutType(value), &result)) return WrongKind(key, "an integer", value);
  return result;
}

absl::StatusOr<double> FfiAttributes::GetFloat(absl::string_view key) const {
  ASSIGN_OR_RETURN(const absl::string_view value, Find(key));
  double result;
  if (!absl::SimpleAtod(WithoutType(value), &result)) return WrongKind(key, "a number", value);
  return result;
}

absl::StatusOr<bool> FfiAttributes::GetBool(absl::string_view key) const {
  ASSIGN_OR_RETURN(const absl::string_view value, Find(key));
  if (value == "true" || value == "unit") return true;
  if (value == "false") return false;
  return WrongKind(key, "true or false", value);
}

absl::StatusOr<std::string> FfiAttributes::GetString(absl::string_view key) const {
  ASSIGN_OR_RETURN(const absl::string_view value, Find(key));
  std::string result;
  if (value.size() < 2 || value.front() != '"' || value.back() != '"' ||
      !absl::CUnescape(value.substr(1, value.size() - 2), &result)) {
    return WrongKind(key, "a string", value);
  }
  return result;
}

absl::StatusOr<char> FfiAttributes::GetChar(absl::string_view key, absl::string_view allowed) const {
  ASSIGN_OR_RETURN(const int64_t code, GetInteger(key));
  const char c = code > 0 && code < 128 ? static_cast<char>(code) : '\0';
  if (c != '\0' && absl::StrContains(allowed, absl::string_view(&c, 1))) return c;
  return absl::InvalidArgumentError(
      absl::StrCat("attribute ", key, " must be the code of one of the letters ", allowed, ", got ", code));
}

}  // namespace xla
