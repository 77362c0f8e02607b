// Bytes as hexadecimal digits.
#ifndef BUILDERS_STABLEHLO_TEXT_HEX_BYTES_H_
#define BUILDERS_STABLEHLO_TEXT_HEX_BYTES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace xla {
namespace stablehlo {

// Stores a byte for each two of the `digits` at `bytes`. Returns the first character that is no digit; nullptr: none.
const char* DecodeHex(absl::string_view digits, char* bytes);
// Appends two digits for each byte, in capitals.
void AppendHex(absl::string_view bytes, std::string* out);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_HEX_BYTES_H_
