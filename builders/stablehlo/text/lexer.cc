#include "builders/stablehlo/text/lexer.h"

#include <cstring>

#include "absl/strings/ascii.h"

namespace xla {
namespace stablehlo {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordStart(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsWordChar(char c) { return IsWordStart(c) || IsDigit(c) || c == '$' || c == '.'; }
bool IsSuffixChar(char c) { return IsWordChar(c) || c == '-'; }

template <typename Predicate>
const char* SkipWhile(const char* at, const char* end, Predicate predicate) {
  while (at < end && predicate(*at)) ++at;
  return at;
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

void Lexer::SkipBlanks() {
  while (at_ < end_) {
    if (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r') {
      ++at_;
    } else if (*at_ == '/' && end_ - at_ > 1 && at_[1] == '/') {
      const void* const newline = std::memchr(at_, '\n', end_ - at_);
      at_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
    } else {
      return;
    }
  }
}

Token Lexer::Finish(TokenKind kind, const char* begin, const char* end) {
  at_ = end;
  Token token;
  token.kind = kind;
  token.text = absl::string_view(begin, end - begin);
  return token;
}

// The lexer stands at the end afterwards, so that nothing is read from there on.
Token Lexer::Error(const char* begin, const char* message) {
  Token token = Finish(TokenKind::kError, begin, begin == end_ ? begin : begin + 1);
  token.error = message;
  at_ = end_;
  return token;
}

Token Lexer::Next() {
  SkipBlanks();
  if (at_ == end_) return Finish(TokenKind::kEnd, at_, at_);
  const char* const begin = at_;
  const char c = *begin;
  if (IsWordStart(c)) return Finish(TokenKind::kWord, begin, SkipWhile(begin + 1, end_, IsWordChar));
  if (IsDigit(c)) return LexNumber();
  const absl::string_view rest(begin, end_ - begin);
  switch (c) {
    case '"':
      return LexString(TokenKind::kString, begin);
    case '%':
      return LexPrefixed(TokenKind::kValue);
    case '@':
      if (rest.size() > 1 && rest[1] == '"') return LexString(TokenKind::kSymbol, begin + 1);
      return LexPrefixed(TokenKind::kSymbol);
    case '^':
      return LexPrefixed(TokenKind::kBlock);
    case '!':
      return LexPrefixed(TokenKind::kExclaimName);
    case '#':
      if (rest.substr(0, 3) == "#-}") return Finish(TokenKind::kCloseFile, begin, begin + 3);
      // `%0#1`: the number of a value is not a name.
      if (rest.size() > 1 && IsDigit(rest[1])) break;
      return LexPrefixed(TokenKind::kHashName);
    case '-':
      if (rest.substr(0, 2) == "->") return Finish(TokenKind::kArrow, begin, begin + 2);
      break;
    case ':':
      if (rest.substr(0, 2) == "::") return Finish(TokenKind::kDoubleColon, begin, begin + 2);
      break;
    case '{':
      if (rest.substr(0, 3) == "{-#") return Finish(TokenKind::kOpenFile, begin, begin + 3);
      break;
    case '(':
    case ')':
    case '}':
    case '[':
    case ']':
    case '<':
    case '>':
    case ',':
    case '=':
    case '+':
    case '?':
    case '*':
    case '/':
    case '|':
      break;
    default:
      return Error(begin, "this character has no meaning here");
  }
  Token token = Finish(TokenKind::kPunctuation, begin, begin + 1);
  token.character = c;
  return token;
}

// A float has a dot; 0x1F is an integer, and so is the 0 of 0xf32, which is a dimension.
Token Lexer::LexNumber() {
  const char* const begin = at_;
  if (*begin == '0' && end_ - begin > 2 && begin[1] == 'x' && HexDigit(begin[2]) >= 0) {
    return Finish(TokenKind::kInteger, begin, SkipWhile(begin + 2, end_, [](char c) { return HexDigit(c) >= 0; }));
  }
  const char* at = SkipWhile(begin, end_, IsDigit);
  if (at == end_ || *at != '.') return Finish(TokenKind::kInteger, begin, at);
  at = SkipWhile(at + 1, end_, IsDigit);
  if (at < end_ && (*at == 'e' || *at == 'E')) {
    const char* exponent = at + 1;
    if (exponent < end_ && (*exponent == '+' || *exponent == '-')) ++exponent;
    const char* const after = SkipWhile(exponent, end_, IsDigit);
    if (after > exponent) at = after;
  }
  return Finish(TokenKind::kFloat, begin, at);
}

// `begin` points to the quote; the token begins where the lexer stands, which may be an @ before it.
Token Lexer::LexString(TokenKind kind, const char* begin) {
  const char* const token_begin = at_;
  for (const char* at = begin + 1; at < end_; ++at) {
    if (*at == '"') return Finish(kind, token_begin, at + 1);
    if (*at == '\n' || *at == '\v' || *at == '\f') return Error(begin, "this string does not end in its line");
    if (*at == '\\') ++at;
  }
  return Error(begin, "this string does not end");
}

Token Lexer::LexPrefixed(TokenKind kind) {
  const char* const begin = at_;
  const char* const after = SkipWhile(begin + 1, end_, IsSuffixChar);
  if (after == begin + 1) return Error(begin, "expected a name after this character");
  // %0 is a number and nothing else: `%0x` is not a name.
  if (IsDigit(begin[1])) return Finish(kind, begin, SkipWhile(begin + 1, end_, IsDigit));
  return Finish(kind, begin, after);
}

bool UnescapeString(absl::string_view quoted, std::string* out, const char** error_at) {
  const absl::string_view inside = quoted.substr(1, quoted.size() - 2);
  out->clear();
  out->reserve(inside.size());
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\') {
      out->push_back(inside[i]);
      continue;
    }
    *error_at = inside.data() + i;
    const char next = i + 1 < inside.size() ? inside[i + 1] : '\0';
    if (next == '"' || next == '\\') {
      out->push_back(next);
      i += 1;
    } else if (next == 'n' || next == 't') {
      out->push_back(next == 'n' ? '\n' : '\t');
      i += 1;
    } else {
      const int high = HexDigit(next);
      const int low = i + 2 < inside.size() ? HexDigit(inside[i + 2]) : -1;
      if (high < 0 || low < 0) return false;
      out->push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return true;
}

}  // namespace stablehlo
}  // namespace xla
