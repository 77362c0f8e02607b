// ParseType: types, and the literals that are values of theirs (NNEF 1.0.4 sections 3.1 and 3.2.2).
#ifndef BUILDERS_NNEF1_LANGUAGE_PARSE_TYPE_H_
#define BUILDERS_NNEF1_LANGUAGE_PARSE_TYPE_H_

#include "absl/types/optional.h"
#include "builders/nnef1/language/token_reader.h"
#include "builders/nnef1/value.h"

namespace xla {
namespace nnef1 {

// The primitive type that a keyword names, or `?`.
absl::optional<Primitive> PrimitiveOf(const Token& token);

bool ParseType(TokenReader& in, Type* type);

// Of a parameter: literals, and arrays and tuples of them.
bool ParseDefaultValue(TokenReader& in, Value* value);

// The number that `in` stands at; a minus has been read.
bool ParseNumber(TokenReader& in, bool is_negative, Value* value);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_PARSE_TYPE_H_
