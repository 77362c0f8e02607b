#include "xla_core/text/diagnostics.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// A line up to this width is shown whole; of a longer one, this much around the caret.
constexpr int64_t kWindowBytes = 120;
constexpr size_t kQuotedBytes = 60;
// More errors than this say nothing new.
constexpr size_t kMaxErrors = 20;

bool IsContinuationByte(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Length of the UTF-8 sequence at `at`, 0 if there is none.
int Utf8Length(absl::string_view at) {
  const auto lead = static_cast<unsigned char>(at[0]);
  const int length = lead < 0x80                   ? 1
                     : lead >= 0xC2 && lead < 0xE0 ? 2
                     : lead >= 0xE0 && lead < 0xF0 ? 3
                     : lead >= 0xF0 && lead < 0xF5 ? 4
                                                   : 0;
  if (length == 0 || static_cast<size_t>(length) > at.size()) return 0;
  for (int i = 1; i < length; ++i) {
    if (!IsContinuationByte(at[i])) return 0;
  }
  return length;
}

// One character of `text` as a terminal may show it, in one column: what does not print becomes a blank or `?`.
// Returns the bytes consumed.
int AppendPrintable(absl::string_view text, std::string* out) {
  const auto c = static_cast<unsigned char>(text[0]);
  const int length = Utf8Length(text);
  if (length > 1) {
    out->append(text.data(), length);
    return length;
  }
  out->push_back(length == 0 || c == 0x7F || (c < 0x20 && c != '\t' && c != '\r') ? '?'
                 : c < 0x20                                                       ? ' '
                                                                                  : static_cast<char>(c));
  return 1;
}

}  // namespace

bool Diagnostics::Error(const char* at, std::string message) {
  if (!full()) entries_.push_back({at, "error", std::move(message)});
  return false;
}

bool Diagnostics::full() const { return entries_.size() >= kMaxErrors || MustStop(); }

void Diagnostics::Note(const char* at, std::string message) { entries_.push_back({at, "note", std::move(message)}); }

// Prints `file:line:column: severity: message`, then the line itself with a caret below. Of long lines only a window
// around the place is shown; it never cuts a UTF-8 character.
void Diagnostics::AppendTo(std::string* out, const Entry& entry) const {
  const char* const begin = text_.data();
  const char* const end = begin + text_.size();
  const char* line_begin = entry.at;
  while (line_begin > begin && line_begin[-1] != '\n') --line_begin;
  const void* newline = entry.at == end ? nullptr : std::memchr(entry.at, '\n', end - entry.at);
  const char* line_end = newline == nullptr ? end : static_cast<const char*>(newline);
  if (!file_name_.empty()) absl::StrAppend(out, file_name_, ":");
  absl::StrAppend(out, 1 + std::count(begin, line_begin, '\n'), ":", entry.at - line_begin + 1, ": ", entry.severity,
                  ": ", entry.message, "\n");

  const char* from = line_begin;
  const char* to = line_end;
  if (line_end - line_begin > kWindowBytes) {
    from = std::max(line_begin, std::min(entry.at - kWindowBytes / 2, line_end - kWindowBytes));
    to = std::min(line_end, from + kWindowBytes);
  }
  while (from > line_begin && from < entry.at && IsContinuationByte(*from)) ++from;
  std::string picture = from > line_begin ? "..." : "";
  size_t caret = picture.size();
  for (const char* p = from; p < to;) {
    if (p < entry.at) ++caret;
    p += AppendPrintable(absl::string_view(p, to - p), &picture);
  }
  if (to < line_end) picture += "...";
  absl::StrAppend(out, picture, "\n", std::string(caret, ' '), "^");
}

absl::Status Diagnostics::ToStatus() const {
  // What was reported after it was reached is about a text that seemed to end there.
  RETURN_IF_ERROR(CheckResources(resources_));
  if (entries_.empty()) return absl::OkStatus();
  std::string message;
  for (const Entry& entry : entries_) {
    if (!message.empty()) message += "\n";
    AppendTo(&message, entry);
  }
  return absl::InvalidArgumentError(message);
}

std::string Quoted(absl::string_view word) {
  const bool cut = word.size() > kQuotedBytes;
  return absl::StrCat("'", absl::CHexEscape(word.substr(0, kQuotedBytes)), cut ? "..." : "", "'");
}

}  // namespace xla
