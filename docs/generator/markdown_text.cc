#include "docs/generator/markdown_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace {

bool IsWordCharacter(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// The length of the identifier, or of the shape, that `text` begins with; `is_code` if it is to be set as code.
size_t WordLength(absl::string_view text, bool& is_code) {
  size_t length = 0;
  while (length < text.size() && IsWordCharacter(text[length])) ++length;
  is_code = text.substr(0, length).find('_') != absl::string_view::npos;
  if (length > 0 && length < text.size() && text[length] == '[') {
    const size_t close = text.find(']', length);
    if (close != absl::string_view::npos) {
      is_code = true;
      length = close + 1;
    }
  }
  return length;
}

bool IsOpcode(absl::string_view text, size_t begin, size_t end) {
  const absl::string_view word = text.substr(begin, end - begin);
  if (!HloOpcodeFromName(word)) return false;
  // "and", "or" and "not" are words of English, too, unless they are members of a list.
  const bool is_listed = end == text.size() || text[end] == ',' || text[end] == ';';
  return word.size() > 3 || is_listed;
}

}  // namespace

// Text of a comment in Markdown: words that look like code get backquotes, characters with a meaning are escaped.
std::string MarkdownProse(absl::string_view text) {
  std::string out;
  bool inside_code = false;
  for (size_t i = 0; i < text.size();) {
    bool is_code = false;
    const size_t length = inside_code ? 0 : WordLength(text.substr(i), is_code);
    if (length > 0) {
      absl::StrAppend(&out, is_code ? "`" : "", text.substr(i, length), is_code ? "`" : "");
      i += length;
      continue;
    }
    const char c = text[i++];
    if (c == '`') inside_code = !inside_code;
    if (!inside_code && (c == '<' || c == '*' || c == '[')) out += '\\';
    out += c;
  }
  return out;
}

std::string MarkdownOpcodes(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && (absl::ascii_isalnum(text[end]) || text[end] == '-')) ++end;
    const bool is_opcode = end > i && IsOpcode(text, i, end);
    if (end == i) ++end;
    absl::StrAppend(&out, is_opcode ? "`" : "", text.substr(i, end - i), is_opcode ? "`" : "");
    i = end;
  }
  return out;
}

std::string HeadingAnchor(absl::string_view heading) {
  std::string anchor;
  for (char c : heading) {
    if (IsWordCharacter(c) || c == '-') anchor += absl::ascii_tolower(c);
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

std::string OpcodeNameOf(absl::string_view method) {
  std::string name;
  for (char c : method) {
    if (absl::ascii_isupper(c) && !name.empty()) name += '-';
    name += absl::ascii_tolower(c);
  }
  return name;
}

// Breaks code that is too long at commas, and aligns what follows with the opening parenthesis.
std::string WrapCode(absl::string_view code) {
  constexpr size_t kWidth = 120;
  const size_t paren = code.find('(');
  if (code.size() <= kWidth || paren == absl::string_view::npos) return std::string(code);
  std::string out;
  size_t column = 0;
  for (size_t i = 0; i < code.size();) {
    // A piece ends after a comma that is in no angle brackets.
    size_t end = i;
    int depth = 0;
    for (; end < code.size(); ++end) {
      if (code[end] == '<') ++depth;
      if (code[end] == '>' && end > 0 && code[end - 1] != '-') --depth;
      if (code[end] == ',' && depth == 0) break;
    }
    end = std::min(end + 1, code.size());
    const absl::string_view piece = absl::StripAsciiWhitespace(code.substr(i, end - i));
    if (i > 0 && column + 1 + piece.size() > kWidth) {
      absl::StrAppend(&out, "\n", std::string(paren + 1, ' '));
      column = paren + 1;
    } else if (i > 0) {
      out += ' ';
      ++column;
    }
    absl::StrAppend(&out, piece);
    column += piece.size();
    i = end;
  }
  return out;
}

}  // namespace xla
