// Numbers and strings as MLIR spells them.
#ifndef BUILDERS_STABLEHLO_TEXT_PRINT_NUMBERS_H_
#define BUILDERS_STABLEHLO_TEXT_PRINT_NUMBERS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "builders/stablehlo/ir/float_kind.h"

namespace xla {
namespace stablehlo {

// A finite number with a dot, as few digits as give it back: 1.000000e+00, 1.41421354.
void AppendDecimal(double value, FloatKind kind, std::string* out);
// The float of these bits; one that is not finite as its bits: 0x7FC00000.
void AppendFloat(uint64_t bits, FloatKind kind, std::string* out);
// "text" with escapes.
void AppendString(absl::string_view text, std::string* out);
// @name, or @"odd name"
void AppendSymbol(absl::string_view name, std::string* out);
// Whether the text is a word: abc, a.b, _1
bool IsWord(absl::string_view text);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_PRINT_NUMBERS_H_
