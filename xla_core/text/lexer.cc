#include "xla_core/text/lexer.h"

#include <cstring>

namespace xla {
namespace {

enum CharClass : uint8_t { kOther = 0, kBlank = 1, kStart = 2, kDigit = 4, kNamePart = 8 };

struct CharTable {
  uint8_t classes[256] = {};
  constexpr CharTable() {
    for (char c : {' ', '\t', '\n', '\r'}) classes[static_cast<unsigned char>(c)] = kBlank;
    for (int c = 'a'; c <= 'z'; ++c) classes[c] = kStart | kNamePart;
    for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kStart | kNamePart;
    classes[static_cast<unsigned char>('_')] = kStart | kNamePart;
    for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit | kNamePart;
    for (char c : {'.', '-'}) classes[static_cast<unsigned char>(c)] = kNamePart;
  }
};
constexpr CharTable kChars;

bool Has(char c, uint8_t mask) { return (kChars.classes[static_cast<unsigned char>(c)] & mask) != 0; }
bool IsDigit(char c) { return Has(c, kDigit); }

const char* SkipDigits(const char* p, const char* end) {
  while (p < end && IsDigit(*p)) ++p;
  return p;
}

// Each Match function returns the end of the longest match at `p`, or nullptr.

// `-`? digits with a dot and/or an exponent.
const char* MatchDecimal(const char* p, const char* end) {
  if (p < end && *p == '-') ++p;
  const char* const integer_end = SkipDigits(p, end);
  const char* mantissa_end = integer_end;
  bool dot = false;
  if (integer_end < end && *integer_end == '.') {
    const char* const fraction_end = SkipDigits(integer_end + 1, end);
    if (integer_end > p || fraction_end > integer_end + 1) {
      dot = true;
      mantissa_end = fraction_end;
    }
  }
  if (mantissa_end == p) return nullptr;
  if (mantissa_end < end && (*mantissa_end == 'e' || *mantissa_end == 'E')) {
    const char* exponent = mantissa_end + 1;
    if (exponent < end && (*exponent == '+' || *exponent == '-')) ++exponent;
    const char* const exponent_end = SkipDigits(exponent, end);
    if (exponent_end > exponent) return exponent_end;
  }
  return dot ? mantissa_end : nullptr;
}

// At least two characters that are digits or one of `letters`.
const char* MatchLabels(const char* p, const char* end, const char* letters) {
  const char* const begin = p;
  while (p < end && (IsDigit(*p) || (*p != '\0' && std::strchr(letters, *p) != nullptr))) ++p;
  return p - begin >= 2 ? p : nullptr;
}

// bf01_io01->bf01
const char* MatchDimLabels(const char* p, const char* end) {
  p = MatchLabels(p, end, "bf?");
  if (p == nullptr || p == end || *p != '_') return nullptr;
  p = MatchLabels(p + 1, end, "io?");
  if (p == nullptr || end - p < 2 || p[0] != '-' || p[1] != '>') return nullptr;
  return MatchLabels(p + 2, end, "bf?");
}

// 3x3
const char* MatchDxD(const char* p, const char* end) {
  const char* at = SkipDigits(p, end);
  if (at == p) return nullptr;
  const char* match = nullptr;
  while (at < end && *at == 'x') {
    const char* const next = SkipDigits(at + 1, end);
    if (next == at + 1) break;
    match = at = next;
  }
  return match;
}

const char* MatchSignedDigits(const char* p, const char* end) {
  if (p < end && *p == '-') ++p;
  const char* const after = SkipDigits(p, end);
  return after > p ? after : nullptr;
}

// low_high or low_high_interior
const char* MatchPadOfOneDimension(const char* p, const char* end) {
  p = MatchSignedDigits(p, end);
  if (p == nullptr || p == end || *p != '_') return nullptr;
  p = MatchSignedDigits(p + 1, end);
  if (p == nullptr) return nullptr;
  if (p < end && *p == '_') {
    const char* const after = SkipDigits(p + 1, end);
    if (after > p + 1) return after;
  }
  return p;
}

// 0_1x2_3_1
const char* MatchPad(const char* p, const char* end) {
  const char* match = MatchPadOfOneDimension(p, end);
  while (match != nullptr && match < end && *match == 'x') {
    const char* const next = MatchPadOfOneDimension(match + 1, end);
    if (next == nullptr) break;
    match = next;
  }
  return match;
}

struct KeywordRow {
  absl::string_view text;
  Keyword keyword;
};
constexpr KeywordRow kKeywords[] = {
    {"true", Keyword::kTrue},
    {"false", Keyword::kFalse},
    {"HloModule", Keyword::kHloModule},
    {"ENTRY", Keyword::kEntry},
    {"ROOT", Keyword::kRoot},
    {"maximal", Keyword::kMaximal},
    {"replicated", Keyword::kReplicated},
    {"manual", Keyword::kManual},
    {"last_tile_dim_replicate", Keyword::kLastTileDimReplicate},
    {"shard_as", Keyword::kShardAs},
    {"shard_like", Keyword::kShardLike},
    {"unknown", Keyword::kUnknown},
    {"unreduced", Keyword::kUnreduced},
    {"FileNames", Keyword::kFileNames},
    {"FunctionNames", Keyword::kFunctionNames},
    {"FileLocations", Keyword::kFileLocations},
    {"StackFrames", Keyword::kStackFrames},
};

Keyword FindKeyword(absl::string_view word) {
  for (const KeywordRow& row : kKeywords) {
    if (row.text.size() == word.size() && row.text[0] == word[0] && row.text == word) return row.keyword;
  }
  return Keyword::kNone;
}

// Whether `word` can be a type name at all; spares most words the look-up.
bool MayBeType(absl::string_view word) {
  constexpr size_t kLongest = 13;  // f8e4m3b11fnuz
  if (word.size() < 2 || word.size() > kLongest) return false;
  return IsDigit(word[1]) || word[1] == 'f' || word == "pred" || word == "token" || word == "opaque";
}

}  // namespace

bool IsNameStart(char c) { return Has(c, kStart); }
bool IsNameChar(char c) { return Has(c, kNamePart); }

// How error messages call a token of this kind.
const char* Spelling(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kError:
      return "an error";
    case TokenKind::kEqual:
      return "'='";
    case TokenKind::kComma:
      return "','";
    case TokenKind::kColon:
      return "':'";
    case TokenKind::kAsterisk:
      return "'*'";
    case TokenKind::kPound:
      return "'#'";
    case TokenKind::kPlus:
      return "'+'";
    case TokenKind::kTilde:
      return "'~'";
    case TokenKind::kQuestion:
      return "'?'";
    case TokenKind::kLessEqual:
      return "'<='";
    case TokenKind::kArrow:
      return "'->'";
    case TokenKind::kDots:
      return "'...'";
    case TokenKind::kLeftSquare:
      return "'['";
    case TokenKind::kRightSquare:
      return "']'";
    case TokenKind::kLeftBrace:
      return "'{'";
    case TokenKind::kRightBrace:
      return "'}'";
    case TokenKind::kLeftParen:
      return "'('";
    case TokenKind::kRightParen:
      return "')'";
    case TokenKind::kName:
      return "a name";
    case TokenKind::kIdentifier:
      return "a word";
    case TokenKind::kAttributeName:
      return "an attribute";
    case TokenKind::kType:
      return "an element type";
    case TokenKind::kKeyword:
      return "a keyword";
    case TokenKind::kInteger:
      return "an integer";
    case TokenKind::kDecimal:
      return "a decimal number";
    case TokenKind::kInfinity:
      return "'inf'";
    case TokenKind::kDimLabels:
      return "dimension labels";
    case TokenKind::kDxD:
      return "sizes such as 3x3";
    case TokenKind::kPad:
      return "padding such as 0_1x2_3";
    case TokenKind::kString:
      return "a string";
  }
  return "";
}

Token Lexer::Finish(TokenKind kind, const char* begin, const char* end) {
  Token token;
  token.kind = kind;
  token.begin = begin;
  token.text = absl::string_view(begin, end - begin);
  at_ = end;
  return token;
}

Token Lexer::Error(const char* begin, const char* message) {
  Token token;
  token.kind = TokenKind::kError;
  token.begin = begin;
  token.text = absl::string_view(begin, begin < end_ ? 1 : 0);
  token.error = message;
  return token;
}

// Skips blanks and comments of both styles. A slash that begins none of them is an error.
bool Lexer::SkipBlanks(Token* error) {
  while (at_ < end_) {
    if (Has(*at_, kBlank)) {
      ++at_;
    } else if (*at_ != '/') {
      return true;
    } else if (end_ - at_ >= 2 && at_[1] == '/') {
      const void* newline = std::memchr(at_, '\n', end_ - at_);
      at_ = newline == nullptr ? end_ : static_cast<const char*>(newline) + 1;
    } else if (end_ - at_ >= 2 && at_[1] == '*') {
      const absl::string_view rest(at_ + 2, end_ - at_ - 2);
      const size_t close = rest.find("*/");
      if (close == absl::string_view::npos) {
        *error = Error(at_, "this comment is not closed by '*/'");
        return false;
      }
      at_ += close + 4;
    } else {
      *error = Error(at_, "a lone '/' begins no comment");
      return false;
    }
  }
  return true;
}

// The next token. Words such as `bf01_oi01->bf01` and `1x2x3` are recognized by their whole text.
Token Lexer::Next() {
  Token error;
  if (!SkipBlanks(&error)) return error;
  const char* const begin = at_;
  if (at_ == end_) return Finish(TokenKind::kEnd, begin, begin);
  const char c = *at_;
  if (Has(c, kStart)) return LexWord();
  if (IsDigit(c)) return LexNumber();
  const auto single = [&](TokenKind kind) { return Finish(kind, begin, begin + 1); };
  switch (c) {
    case '%':
      return LexPercentName();
    case '"':
    case '\'':
      return LexString();
    case '-':
      if (end_ - at_ >= 2 && at_[1] == '>') return Finish(TokenKind::kArrow, begin, begin + 2);
      return LexNumber();
    case '=':
      return single(TokenKind::kEqual);
    case ',':
      return single(TokenKind::kComma);
    case ':':
      return single(TokenKind::kColon);
    case '*':
      return single(TokenKind::kAsterisk);
    case '#':
      return single(TokenKind::kPound);
    case '+':
      return single(TokenKind::kPlus);
    case '~':
      return single(TokenKind::kTilde);
    case '?': {
      const char* const labels = MatchDimLabels(at_, end_);
      return labels != nullptr ? Finish(TokenKind::kDimLabels, begin, labels) : single(TokenKind::kQuestion);
    }
    case '[':
      return single(TokenKind::kLeftSquare);
    case ']':
      return single(TokenKind::kRightSquare);
    case '{':
      return single(TokenKind::kLeftBrace);
    case '}':
      return single(TokenKind::kRightBrace);
    case '(':
      return single(TokenKind::kLeftParen);
    case ')':
      return single(TokenKind::kRightParen);
    case '<':
      if (end_ - at_ >= 2 && at_[1] == '=') return Finish(TokenKind::kLessEqual, begin, begin + 2);
      return Error(begin, "'<' is only known as part of '<='");
    case '.':
      if (end_ - at_ >= 3 && at_[1] == '.' && at_[2] == '.') return Finish(TokenKind::kDots, begin, begin + 3);
      return Error(begin, "a number cannot begin with '.', write 0.");
    case '\0':
      return Error(begin, "a NUL byte is not text");
    case '\xEF':
    case '\xFE':
    case '\xFF':
      return Error(begin, "this is a byte-order mark, or no UTF-8: save the text as UTF-8 without a byte-order mark");
    default:
      return Error(begin, "this character has no meaning in HLO text");
  }
}

Token Lexer::LexPercentName() {
  const char* const begin = at_;
  const char* p = at_ + 1;
  if (p == end_ || !Has(*p, kStart)) return Error(begin, "expected a name after '%'");
  while (p < end_ && Has(*p, kNamePart)) ++p;
  Token token = Finish(TokenKind::kName, begin, p);
  token.text.remove_prefix(1);
  return token;
}

// A word and what kind of token it is: a name if a colon follows, an attribute's name if `=` does, an element type, a
// number word (nan, inf), a keyword, dimension labels, or else an identifier.
Token Lexer::LexWord() {
  const char* const begin = at_;
  const char* p = at_ + 1;
  while (p < end_ && Has(*p, kNamePart)) ++p;
  const absl::string_view word(begin, p - begin);
  if (p < end_ && (*p == ':' || *p == '=')) {
    Token token = Finish(*p == ':' ? TokenKind::kName : TokenKind::kAttributeName, begin, p);
    at_ = p + 1;
    return token;
  }
  if (MayBeType(word)) {
    const PrimitiveType type = PrimitiveTypeFromName(word);
    if (type != PRIMITIVE_TYPE_INVALID && type != TUPLE) {
      Token token = Finish(TokenKind::kType, begin, p);
      token.type = type;
      return token;
    }
  }
  if (word == "nan") return LexNan(begin, p);
  if (word == "inf") return Finish(TokenKind::kInfinity, begin, p);
  const Keyword keyword = FindKeyword(word);
  if (keyword != Keyword::kNone) {
    Token token = Finish(TokenKind::kKeyword, begin, p);
    token.keyword = keyword;
    return token;
  }
  // bf01_io01->bf01 came here as the word bf01_io01-, and bf?_io->bf as bf.
  if (p < end_ && ((*p == '>' && p[-1] == '-') || *p == '?')) {
    const char* const labels = MatchDimLabels(begin, end_);
    if (labels != nullptr) return Finish(TokenKind::kDimLabels, begin, labels);
  }
  return Finish(TokenKind::kIdentifier, begin, p);
}

// `nan`, or `nan(0x...)` with the bits of its mantissa in hexadecimal. A payload of zero would be an infinity.
Token Lexer::LexNan(const char* begin, const char* after_nan) {
  constexpr int kMantissaBits = 52;
  const char* p = after_nan;
  if (p == end_ || *p != '(') return Finish(TokenKind::kDecimal, begin, p);
  if (end_ - p < 4 || p[1] != '0' || p[2] != 'x')
    return Error(begin, "expected a NaN with a payload in hexadecimal, such as nan(0x1)");
  p += 3;
  uint64_t payload = 0;
  for (; p < end_ && *p != ')'; ++p) {
    const char c = *p;
    const int digit = IsDigit(c)             ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return Error(begin, "expected a NaN with a payload in hexadecimal, such as nan(0x1)");
    payload = payload << 4 | static_cast<uint64_t>(digit);
    if (payload >> kMantissaBits != 0) return Error(begin, "the payload of this NaN does not fit in 52 bits");
  }
  if (p == end_) return Error(begin, "expected ')' after the payload of a NaN");
  if (payload == 0) return Error(begin, "the payload of a NaN must not be zero");
  return Finish(TokenKind::kDecimal, begin, p + 1);
}

// Numbers, and tokens that begin like one: `1x2` (sizes), `0_1x2_3` (padding), `01bf_...` (labels). Integers are kept
// with sign and a note of overflow, for their type is known only later.
Token Lexer::LexNumber() {
  const char* const begin = at_;
  const bool negative = *begin == '-';
  const char* const digits = negative ? begin + 1 : begin;
  const char* p = SkipDigits(digits, end_);
  // Only these can continue a number into something else than an integer.
  const char next = p < end_ ? *p : ' ';
  if (p == digits || next == '.' || next == 'e' || next == 'E' || next == 'x' || next == '_' || next == 'b' ||
      next == 'f' || next == '?') {
    if (const char* end = MatchDecimal(begin, end_)) return Finish(TokenKind::kDecimal, begin, end);
    if (const char* end = MatchDimLabels(begin, end_)) return Finish(TokenKind::kDimLabels, begin, end);
    if (const char* end = MatchDxD(begin, end_)) return Finish(TokenKind::kDxD, begin, end);
    if (const char* end = MatchPad(begin, end_)) return Finish(TokenKind::kPad, begin, end);
  }
  if (p == digits) {
    const absl::string_view rest(digits, end_ - digits);
    if (rest.substr(0, 3) == "inf") return Finish(TokenKind::kInfinity, begin, digits + 3);
    if (rest.substr(0, 3) == "nan") return LexNan(begin, digits + 3);
    return Error(begin, "'-' begins no number here");
  }
  Token token = Finish(TokenKind::kInteger, begin, p);
  token.negative = negative;
  uint64_t value = 0;
  for (const char* d = digits; d < p; ++d) {
    token.overflow |= __builtin_mul_overflow(value, uint64_t{10}, &value) ||
                      __builtin_add_overflow(value, static_cast<uint64_t>(*d - '0'), &value);
  }
  if (negative) {
    token.overflow |= value > uint64_t{1} << 63;
    value = -value;
  }
  token.integer = static_cast<int64_t>(value);
  return token;
}

Token Lexer::LexString() {
  const char* const begin = at_;
  const char quote = *begin;
  for (const char* p = begin + 1; p < end_; ++p) {
    if (*p == '\\') {
      if (++p == end_) break;
    } else if (*p == quote) {
      Token token = Finish(TokenKind::kString, begin, p + 1);
      token.text = absl::string_view(begin + 1, p - begin - 1);
      return token;
    }
  }
  at_ = end_;
  return Error(begin, "this string is not closed");
}

}  // namespace xla
