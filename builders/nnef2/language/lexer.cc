#include "builders/nnef2/language/lexer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "builders/nnef_common/number_token.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kKeywordTable[] = {
    "import", "graph", "public", "operator", "optional", "type",  "arith", "num",   "int",   "real",
    "bool",   "str",   "inf",    "pi",       "true",     "false", "as",    "is",    "in",    "if",
    "then",   "elif",  "else",   "do",       "for",      "while", "with",  "yield", "unroll"};

// Longer ones before those that they begin with.
constexpr absl::string_view kSymbolTable[] = {"...", "<-", "->", "<=", ">=", "=>", "==", "!=", "<>", "<<", ">>", "+=",
                                              "*=",  "&=", "|=", ":=", "&&", "||", "**", "??", "..", "+",  "-",  "*",
                                              "/",   "\\", "%",  "^",  "!",  "<",  ">",  "=",  "?",  ",",  ".",  ":",
                                              ";",   "`",  "~",  "(",  ")",  "[",  "]",  "{",  "}",  "|"};

// What looks like an operator but is none here, and what to do.
struct StrangeSymbol {
  absl::string_view symbol;
  absl::string_view advice;
};
constexpr absl::string_view kLaterLanguage =
    "the document is written in a later language than draft 6 of NNEF 2.0, in which minimum is << and maximum is >>, "
    "and <= and >= where they accumulate";
constexpr StrangeSymbol kStrangeSymbols[] = {
    {"===", "write == to compare values, 'is' for identity"},
    {"<?=", kLaterLanguage},
    {">?=", kLaterLanguage},
    {"<?", kLaterLanguage},
    {">?", kLaterLanguage},
};

bool StartsWord(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool ContinuesWord(char c) { return StartsWord(c) || IsDigit(c); }
bool IsPrintable(char c) { return c >= ' ' && c <= '~'; }

absl::string_view NearestBlock(absl::string_view word) {
  static const auto* const names = [] {
    auto* const all = new std::vector<absl::string_view>;
    for (int i = 0; i < kNumBlockKinds; ++i) all->push_back(BlockName(static_cast<BlockKind>(i)));
    return all;
  }();
  return NearestWord(word, *names);
}

bool IsBlockName(absl::string_view word) {
  for (int i = 0; i < kNumBlockKinds; ++i) {
    if (word == BlockName(static_cast<BlockKind>(i))) return true;
  }
  return false;
}

class Lexer {
 public:
  Lexer(const std::shared_ptr<const Source>& source, const LexerRange& range, std::vector<Comment>* comments,
        Diagnostics* diagnostics)
      : source_(source),
        text_(absl::string_view(source->text).substr(0, range.end)),
        comments_(comments),
        diagnostics_(*diagnostics),
        position_(range.begin),
        line_(range.line),
        column_(range.column) {}

  // All tokens up to the end; errors are reported and the rest is read nevertheless.
  std::vector<Token> Run() {
    while (!diagnostics_.IsOver() && SkipBlanks()) {
      const char c = text_[position_];
      if (StartsWord(c)) {
        const size_t size = WordSize(0);
        Push(IsKeyword(text_.substr(position_, size)) ? TokenKind::kKeyword : TokenKind::kIdentifier, size);
      } else if (IsDigit(c)) {
        Number();
      } else if (c == '\'' || c == '"') {
        String(c);
      } else if (c == '@') {
        Block();
      } else {
        Symbol();
      }
    }
    Push(TokenKind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  char Peek(size_t offset) const { return position_ + offset < text_.size() ? text_[position_ + offset] : '\0'; }

  size_t WordSize(size_t begin) const {
    size_t size = begin;
    while (ContinuesWord(Peek(size))) ++size;
    return size;
  }

  void Advance(size_t size) {
    for (const char c : text_.substr(position_, size)) {
      if (c == '\n') {
        ++line_;
        column_ = 1;
      } else {
        ++column_;
      }
    }
    position_ += size;
  }

  // False at the end of the text.
  bool SkipBlanks() {
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (c == '#') {
        const size_t end = std::min(text_.find('\n', position_), text_.size());
        if (comments_ != nullptr) comments_->push_back(Comment{position_, text_.substr(position_, end - position_)});
        Advance(end - position_);
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        Advance(1);
      } else {
        return true;
      }
    }
    return false;
  }

  Span Here(size_t size) const {
    const size_t line = std::min(size, text_.substr(position_, size).find('\n'));
    return Span{line_, column_, std::max(1, static_cast<int>(line))};
  }

  void Push(TokenKind kind, size_t size) {
    tokens_.push_back(Token{kind, text_.substr(position_, size), Here(size)});
    Advance(size);
  }

  void Invalid(size_t size, std::string message, absl::string_view suggestion = "") {
    diagnostics_.Error(ErrorClass::kLex, At(source_, Here(size)), std::move(message), "2.4", std::string(suggestion));
    Push(TokenKind::kInvalid, size);
  }

  // A number and a word after it are two tokens: `1a` is an error of the grammar.
  void Number() {
    const NumberToken number = ReadNumberToken(text_.substr(position_));
    if (number.lacks_its_exponent) {
      const absl::string_view text = text_.substr(position_, number.size);
      return Invalid(number.size, absl::StrCat("expected digits in the exponent of '", text, "'"));
    }
    Push(number.is_integer ? TokenKind::kInteger : TokenKind::kReal, number.size);
  }

  void String(char quote) {
    for (size_t size = 1; position_ + size < text_.size(); ++size) {
      const char c = text_[position_ + size];
      if (c == quote) return Push(TokenKind::kString, size + 1);
      if (c == '\\') ++size;
    }
    // The rest of the line stands for the string, so that what follows is read.
    const size_t size = std::min(text_.find('\n', position_), text_.size()) - position_;
    Invalid(size, absl::StrCat("the string has no closing ", absl::string_view(&quote, 1)),
            "the quotes at both ends of a string are the same character");
  }

  void Block() {
    const size_t size = WordSize(1);
    const absl::string_view word = text_.substr(position_, size);
    if (IsBlockName(word)) return Push(TokenKind::kBlock, size);
    const absl::string_view nearest = size == 1 ? "" : NearestBlock(word);
    Invalid(size, absl::StrCat("expected the name of a block after @, got '", word, "'"),
            nearest.empty() ? "the blocks are @dtype, @attrib, @input, @output, @constant, @variable, @using, @assert, "
                              "@lower, @compose, @update and @quantize"
                            : absl::StrCat("did you mean '", nearest, "'?"));
  }

  // The longest symbol that fits. Several strange bytes in sequence are one error, for they often are one character of
  // UTF-8.
  void Symbol() {
    for (const StrangeSymbol& strange : kStrangeSymbols) {
      if (text_.substr(position_, strange.symbol.size()) != strange.symbol) continue;
      return Invalid(strange.symbol.size(), absl::StrCat("'", strange.symbol, "' is not an operator"), strange.advice);
    }
    for (const absl::string_view symbol : kSymbolTable) {
      if (text_.substr(position_, symbol.size()) == symbol) return Push(TokenKind::kSymbol, symbol.size());
    }
    size_t size = 1;
    while (!IsPrintable(Peek(size - 1)) && position_ + size < text_.size() && !IsPrintable(Peek(size)) &&
           !absl::ascii_isspace(static_cast<unsigned char>(Peek(size)))) {
      ++size;
    }
    const char c = text_[position_];
    if (text_.substr(position_, 3) == "\xEF\xBB\xBF") {
      return Invalid(3, "a byte order mark is not part of the language", "save the file as plain ASCII");
    }
    if (IsPrintable(c)) return Invalid(size, absl::StrCat("unexpected character '", absl::string_view(&c, 1), "'"));
    Invalid(size, absl::StrFormat("unexpected byte 0x%02X", static_cast<unsigned char>(c)),
            "names consist of the letters a to z and A to Z, digits and _");
  }

  const std::shared_ptr<const Source>& source_;
  const absl::string_view text_;
  std::vector<Comment>* const comments_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  size_t position_;
  int line_;
  int column_;
};

}  // namespace

std::vector<Token> Tokenize(const std::shared_ptr<const Source>& source, const LexerRange& range,
                            std::vector<Comment>* comments, Diagnostics* diagnostics) {
  return Lexer(source, range, comments, diagnostics).Run();
}

bool IsKeyword(absl::string_view word) {
  return std::find(std::begin(kKeywordTable), std::end(kKeywordTable), word) != std::end(kKeywordTable);
}

}  // namespace nnef2
}  // namespace xla
