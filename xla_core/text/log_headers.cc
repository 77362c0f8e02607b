#include "xla_core/text/log_headers.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"

namespace xla {
namespace {


// Whether `text` begins with `pattern`, in which `d` stands for a digit.
bool Matches(absl::string_view text, absl::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == 'd' ? !absl::ascii_isdigit(text[i]) : text[i] != pattern[i]) return false;
  }
  return true;
}

// Bytes of the header that `line` begins with, the blank after it included; 0 if there is none.
size_t HeaderLength(absl::string_view line) {
  constexpr absl::string_view kDate = "dddd dd:dd:dd.dddddd ";
  if (line.empty() || std::strchr("IWEF", line[0]) == nullptr || line[0] == '\0' || !Matches(line.substr(1), kDate))
    return 0;
  size_t at = 1 + kDate.size();
  while (at < line.size() && line[at] == ' ') ++at;
  const size_t thread = at;
  while (at < line.size() && absl::ascii_isdigit(line[at])) ++at;
  if (at == thread || at == line.size() || line[at] != ' ') return 0;
  const size_t file = ++at;
  while (at < line.size() && line[at] != ' ' && line[at] != ':') ++at;
  if (at == file || at == line.size() || line[at] != ':') return 0;
  const size_t number = ++at;
  while (at < line.size() && absl::ascii_isdigit(line[at])) ++at;
  if (at == number || at == line.size() || line[at] != ']') return 0;
  ++at;
  return at < line.size() && line[at] == ' ' ? at + 1 : at;
}

}  // namespace

absl::optional<std::string> StripLogHeaders(absl::string_view text) {
  absl::optional<std::string> stripped;
  for (size_t line = 0; line < text.size();) {
    const size_t newline = text.find('\n', line);
    const size_t next = newline == absl::string_view::npos ? text.size() : newline + 1;
    const size_t length = HeaderLength(text.substr(line, next - line));
    if (length > 0) {
      if (!stripped.has_value()) stripped.emplace(text);
      std::fill_n(stripped->begin() + static_cast<std::string::difference_type>(line), length, ' ');
    }
    line = next;
  }
  return stripped;
}

}  // namespace xla
