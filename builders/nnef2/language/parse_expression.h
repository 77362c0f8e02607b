// The grammar of expressions (NNEF 2.0 section 2.4, 2.16).
#ifndef BUILDERS_NNEF2_LANGUAGE_PARSE_EXPRESSION_H_
#define BUILDERS_NNEF2_LANGUAGE_PARSE_EXPRESSION_H_

#include "builders/nnef2/language/token_reader.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

bool ParseExpression(TokenReader& in, ExpressionPtr* expression);

// A name or a literal with the indices, members and accesses that follow it.
bool ParsePrimary(TokenReader& in, ExpressionPtr* expression);

// Adjacent strings, which are one.
bool ParseStrings(TokenReader& in, ExpressionPtr* expression);

// "(n)" after "..", if there is one; else *expression stays nullptr.
bool ParseCount(TokenReader& in, ExpressionPtr* expression);

// "real", "T".
bool ParseTypeReference(TokenReader& in, TypeReference* type);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LANGUAGE_PARSE_EXPRESSION_H_
