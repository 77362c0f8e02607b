// TokenReader: the tokens of a text one by one, with errors that show where they are.
#ifndef BUILDERS_STABLEHLO_TEXT_TOKEN_READER_H_
#define BUILDERS_STABLEHLO_TEXT_TOKEN_READER_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/text/lexer.h"
#include "xla_core/text/diagnostics.h"

namespace xla {
namespace stablehlo {

// Functions that read return false after an error, which they have reported.
class TokenReader {
 public:
  TokenReader(absl::string_view text, Diagnostics* diagnostics) : lexer_(text), diagnostics_(*diagnostics) {
    Advance();
  }

  const Token& token() const { return token_; }
  void Advance() { token_ = lexer_.Next(); }
  // Goes on reading at `position`.
  void MoveTo(const char* position) {
    lexer_.set_position(position);
    Advance();
  }
  const char* text_end() const { return lexer_.end(); }

  // At the token, or at `at`. What cannot be a token at all is reported as that.
  bool Error(std::string message) {
    if (token_.Is(TokenKind::kError)) message = token_.error;
    return diagnostics_.Error(token_.begin(), std::move(message));
  }
  bool ErrorAt(const char* at, std::string message) { return diagnostics_.Error(at, std::move(message)); }
  // "expected WHAT, found 'xyz'".
  bool ErrorExpected(absl::string_view what) { return Error(absl::StrCat("expected ", what, ", found ", Found())); }
  // The token, for messages.
  std::string Found() const { return token_.Is(TokenKind::kEnd) ? "the end of the text" : Quoted(token_.text); }
  Diagnostics& diagnostics() { return diagnostics_; }

  bool ConsumeIf(char c) {
    if (!token_.Is(c)) return false;
    Advance();
    return true;
  }
  bool ConsumeIf(TokenKind kind) {
    if (!token_.Is(kind)) return false;
    Advance();
    return true;
  }
  bool ConsumeWordIf(absl::string_view word) {
    if (!token_.IsWord(word)) return false;
    Advance();
    return true;
  }
  bool Expect(char c) { return ConsumeIf(c) || ErrorExpected(absl::StrCat("'", absl::string_view(&c, 1), "'")); }
  bool ExpectArrow() { return ConsumeIf(TokenKind::kArrow) || ErrorExpected("'->'"); }
  bool ExpectWord(absl::string_view word) { return ConsumeWordIf(word) || ErrorExpected(absl::StrCat("'", word, "'")); }
  // `word =`
  bool ExpectAssignment(absl::string_view word) { return ExpectWord(word) && Expect('='); }

  // An integer, also with a minus sign or as 0x1F, that fits.
  bool ReadInteger(int64_t* value);
  // One of at least `least`.
  bool ReadIntegerFrom(int64_t least, int64_t* value);
  // A float or an integer, also with a minus sign.
  bool ReadNumber(double* value);
  bool ReadBool(bool* value);
  bool ReadString(std::string* value);
  bool ReadWord(absl::string_view what, absl::string_view* word);
  // @name or @"any string", without nested symbols.
  bool ReadSymbol(std::string* value);

  // Reads ITEM, ITEM ... up to and with `close`; the opening bracket has been read. There may be no item.
  template <typename ReadItem>
  bool ReadListUntil(char close, ReadItem read_item) {
    if (ConsumeIf(close)) return true;
    do {
      if (!read_item()) return false;
    } while (ConsumeIf(','));
    return Expect(close);
  }
  template <typename ReadItem>
  bool ReadList(char open, char close, ReadItem read_item) {
    return Expect(open) && ReadListUntil(close, read_item);
  }

  // Counts how deep the reader is in what nests, as long as it lives.
  class Nested {
   public:
    explicit Nested(TokenReader* reader) : reader_(*reader) { ++reader_.nesting_; }
    ~Nested() { --reader_.nesting_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    // False, with an error, if that is too deep.
    bool ok() const;

   private:
    TokenReader& reader_;
  };

 private:
  bool ReadDigits(bool is_negative, int64_t* value);

  Lexer lexer_;
  Token token_;
  Diagnostics& diagnostics_;
  int nesting_ = 0;
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_TOKEN_READER_H_
