// Numbers as HLO text spells them, to and from floating point, correctly rounded and without regard to the locale.
#ifndef XLA_CORE_TEXT_NUMBER_TEXT_H_
#define XLA_CORE_TEXT_NUMBER_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// The value of an integer, decimal, `inf`, `nan`, `-nan` or `nan(0x1)` as the lexer delimits them. Too small a number
// becomes zero or a denormal. False if a finite number rounds to infinity, or if the text is not a number.
// TextToFloat rounds once; a NaN payload that does not fit in 23 bits is refused too.
bool TextToDouble(absl::string_view text, double* value);
bool TextToFloat(absl::string_view text, float* value);

// The payload of a written NaN; 0 if `text` is plain `nan` or `-nan`.
uint64_t NanPayload(absl::string_view text);

// As %.6g, and if that does not read back as the same value, as %.9g (f64: %.15g and %.17g). NaNs other than the
// default one show their payload; zero with a sign is -0.0.
void AppendFloat(float value, std::string* out);
void AppendDouble(double value, std::string* out);
// The value with storage bits `bits` of a float type narrower than f32, with enough digits to identify it.
void AppendNarrow(PrimitiveType type, uint32_t bits, std::string* out);

}  // namespace xla

#endif  // XLA_CORE_TEXT_NUMBER_TEXT_H_
