// A token to look at, the lexer after it, and the small parsers that every larger one uses.
//
// Parsers are functions that take a TokenReader, read from its current token on, and return false after they have
// reported what is wrong. Nothing is read after a failure.
#ifndef XLA_CORE_TEXT_TOKEN_READER_H_
#define XLA_CORE_TEXT_TOKEN_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_core/support/shared_string.h"
#include "xla_core/text/diagnostics.h"
#include "xla_core/text/lexer.h"
#include "xla_core/types/shape.h"

namespace xla {

// The text and `diagnostics` outlive it. Messages go to the diagnostics with their place.
class TokenReader {
 public:
  // What is nested deeper than this is refused: the parsers recurse. Tuples of shapes and literals, sharding and origin
  // trees.
  static constexpr int kMaxNesting = Shape::kMaxNestingDepth;

  // Reads `text`, which lies within the text of `diagnostics`.
  TokenReader(absl::string_view text, Diagnostics* diagnostics) : lexer_(text), diagnostics_(diagnostics) { Next(); }

  const Token& token() const { return token_; }
  void Next() {
    token_ = lexer_.Next();
    if (--until_check_ == 0) CheckLimits();
  }
  // The token after the current one.
  Token Peek() const {
    Lexer ahead = lexer_;
    return ahead.Next();
  }
  // The character that follows the current token at once; NUL at the end.
  char CharAfterToken() const { return lexer_.position() < lexer_.end() ? *lexer_.position() : '\0'; }

  // Of the text, after the current token.
  size_t BytesLeft() const { return lexer_.end() - lexer_.position(); }

  bool Is(TokenKind kind) const { return token_.kind == kind; }
  bool Is(Keyword keyword) const { return token_.keyword == keyword; }
  bool IsWord(absl::string_view word) const { return token_.kind == TokenKind::kIdentifier && token_.text == word; }
  bool IsAttribute(absl::string_view name) const {
    return token_.kind == TokenKind::kAttributeName && token_.text == name;
  }
  // True if a shape begins here: a type, a tuple or a buffer.
  bool IsShape() const {
    return Is(TokenKind::kType) || Is(TokenKind::kLeftParen) ||
           (token_.kind == TokenKind::kIdentifier && token_.text == "b" && CharAfterToken() == '(');
  }
  bool Accept(TokenKind kind) {
    if (!Is(kind)) return false;
    Next();
    return true;
  }
  bool Accept(Keyword keyword) {
    if (!Is(keyword)) return false;
    Next();
    return true;
  }
  // Reports "expected '(' CONTEXT, found 'x'".
  bool Expect(TokenKind kind, const char* context);

  // Report an error at the current token, at another place, or "expected WHAT, found 'x'"; all return false. A token
  // that is an error by itself is reported as that.
  bool Error(std::string message) { return ErrorAt(token_.begin, std::move(message)); }
  bool ErrorAt(const char* at, std::string message);
  bool ErrorExpected(absl::string_view what);
  // "unknown WHAT 'x'; did you mean 'y'?" for the current token.
  bool ErrorUnknown(absl::string_view what, absl::Span<const absl::string_view> known);
  Diagnostics& diagnostics() { return *diagnostics_; }

  bool ParseInt(int64_t* value);
  bool ParseNonNegative(int64_t* value, absl::string_view what);
  // An int32 that is not negative: lines, columns, ids.
  bool ParseInt32(int32_t* value);
  bool ParseBool(bool* value);
  // Any number, rounded to the type.
  bool ParseDouble(double* value);
  bool ParseFloat(float* value);
  // A quoted string, its escapes resolved.
  bool ParseString(std::string* value);
  // The same. Strings of one text share their characters.
  bool ParseString(SharedString* value);
  // A name or a word. The view is into the text.
  bool ParseName(absl::string_view* name, const char* what);
  // {1,2}, blanks tolerated; one comma between entries.
  template <typename List>
  bool ParseIntList(List* list) {
    return ParseBracedList([&] {
      list->emplace_back();
      return ParseInt(&list->back());
    });
  }
  // { entry, entry } by `parse_entry`.
  template <typename Fn>
  bool ParseBracedList(Fn parse_entry) {
    return ParseList(TokenKind::kLeftBrace, TokenKind::kRightBrace, parse_entry);
  }
  // The same, and the last entry may have a comma after it.
  template <typename Fn>
  bool ParseBracedListWithTrailingComma(Fn parse_entry) {
    if (!Expect(TokenKind::kLeftBrace, "to begin a list")) return false;
    while (!Is(TokenKind::kRightBrace)) {
      if (!parse_entry()) return false;
      if (!Accept(TokenKind::kComma)) break;
    }
    return Expect(TokenKind::kRightBrace, "or ',' in a list");
  }
  template <typename Fn>
  bool ParseList(TokenKind open, TokenKind close, Fn parse_entry) {
    if (!Expect(open, "to begin a list")) return false;
    if (Accept(close)) return true;
    do {
      if (!parse_entry()) return false;
    } while (Accept(TokenKind::kComma));
    return Expect(close, "or ',' in a list");
  }
  bool ParseShapeIndex(ShapeIndex* index) { return ParseIntList(index); }
  // With the current token an opening brace: the raw text to the brace that closes it, braces included. Braces within
  // double quotes do not count.
  bool ParseBracedText(absl::string_view* text);
  // A quoted string or a braced text.
  bool ParseStringOrJson(std::string* value);

  // For a parser that reads characters by itself, from the start of the current token on: where the text ends, and how
  // to go on after what was read.
  const char* text_end() const { return lexer_.end(); }
  void ContinueAt(const char* position) {
    lexer_.set_position(position);
    Next();
    // What was read may be long.
    CheckLimits();
  }

  // Counts nesting while it lives. Usage: NestingScope scope(reader); if (!scope.ok()) return false;
  class NestingScope {
   public:
    explicit NestingScope(TokenReader& reader) : reader_(reader) { ++reader_.nesting_; }
    ~NestingScope() { --reader_.nesting_; }
    bool ok() const { return reader_.nesting_ <= kMaxNesting || reader_.Error("nested deeper than 1000 levels"); }

   private:
    TokenReader& reader_;
  };

 private:
  friend class NestingScope;

  static constexpr int kTokensPerCheck = 256;

  std::string Found() const;
  // Once a limit of the diagnostics has been reached, the text ends here.
  void CheckLimits();

  Lexer lexer_;
  Token token_;
  Diagnostics* diagnostics_;
  int nesting_ = 0;
  std::shared_ptr<SharedStrings> strings_ = std::make_shared<SharedStrings>();  // copies of the reader share it
  int until_check_ = kTokensPerCheck;
};

// Resolves C escapes. False if there is one that does not exist.
bool UnescapeString(absl::string_view escaped, std::string* out);

}  // namespace xla

#endif  // XLA_CORE_TEXT_TOKEN_READER_H_
