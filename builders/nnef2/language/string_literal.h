// Strings of a document: escapes, and the expressions inside braces (NNEF 2.0 section 2.4, "String formatting").
#ifndef BUILDERS_NNEF2_LANGUAGE_STRING_LITERAL_H_
#define BUILDERS_NNEF2_LANGUAGE_STRING_LITERAL_H_

#include "builders/nnef2/language/token_reader.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// Adds what the string token `token` says to `string`, a kString, which becomes a kFormat with the first expression.
bool AppendString(TokenReader& in, const Token& token, Expression* string);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LANGUAGE_STRING_LITERAL_H_
