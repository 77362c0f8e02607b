// Numbers in the texts of NNEF 1 and SkriptND, which are written alike.
#ifndef BUILDERS_NNEF_COMMON_NUMBER_TOKEN_H_
#define BUILDERS_NNEF_COMMON_NUMBER_TOKEN_H_

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace xla {

struct NumberToken {
  size_t size = 0;                  // in characters
  bool is_integer = true;           // no point, no exponent
  bool lacks_its_exponent = false;  // an "e" that no digits follow
};

// The number at the beginning of `text`, whose first character, a digit or a sign, the caller has looked at. What
// follows it does not matter.
inline NumberToken ReadNumberToken(absl::string_view text) {
  NumberToken number;
  number.size = 1;
  const auto peek = [&] { return number.size < text.size() ? text[number.size] : '\0'; };
  const auto skip_digits = [&] {
    const size_t begin = number.size;
    while (absl::ascii_isdigit(static_cast<unsigned char>(peek()))) ++number.size;
    return number.size > begin;
  };
  skip_digits();
  if (peek() == '.') {
    number.is_integer = false;
    ++number.size;
    skip_digits();
  }
  if (peek() == 'e' || peek() == 'E') {
    number.is_integer = false;
    ++number.size;
    if (peek() == '+' || peek() == '-') ++number.size;
    number.lacks_its_exponent = !skip_digits();
  }
  return number;
}

}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_NUMBER_TOKEN_H_
