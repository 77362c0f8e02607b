// One element of an array, between text and storage, for every element type.
#ifndef XLA_CORE_TEXT_ELEMENT_TEXT_H_
#define XLA_CORE_TEXT_ELEMENT_TEXT_H_

#include <cstdint>
#include <string>

#include "xla_core/text/lexer.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// Stores the number or truth value `token` of a real `type` at `out` (ByteWidth bytes). On failure *error says what is
// wrong with the token.
bool StoreElement(PrimitiveType type, const Token& token, void* out, std::string* error);

// Reads numbers of a real `type`, separated by blanks and commas, from the characters [begin, end), and stores them one
// after the other at `out` until `count` are stored or anything else comes up: a comment, a word, a brace, a number
// that StoreElement would refuse. Returns how many were stored; *stopped_at is after the last of them and the blanks
// and commas that follow it.
int64_t StoreElements(PrimitiveType type, const char* begin, const char* end, void* out, int64_t count,
                      const char** stopped_at);

// Appends `count` elements from `data` on with ", " between them; pred as 1 and 0.
void AppendElements(PrimitiveType type, const void* data, int64_t count, std::string* out);
// A scalar: as above, but pred as true and false.
void AppendScalar(PrimitiveType type, const void* data, std::string* out);

}  // namespace xla

#endif  // XLA_CORE_TEXT_ELEMENT_TEXT_H_
