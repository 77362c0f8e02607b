// ParseExpression: expressions and invocations (NNEF 1.0.4 sections 3.2.1 and 3.2.3), in the compositional grammar;
// what must be enabled by an extension and is not is reported.
#ifndef BUILDERS_NNEF1_LANGUAGE_PARSE_EXPRESSION_H_
#define BUILDERS_NNEF1_LANGUAGE_PARSE_EXPRESSION_H_

#include "builders/nnef1/document_tree.h"
#include "builders/nnef1/language/token_reader.h"

namespace xla {
namespace nnef1 {

// `allow_if_else`: false where an `if` goes on with something else, as the condition of a comprehension.
bool ParseExpression(TokenReader& in, Expression* expression, bool allow_if_else = true);

// An operation with its arguments. Inside of another expression it takes an extension.
bool ParseInvocation(TokenReader& in, bool is_nested, Expression* expression);
bool AtInvocation(const TokenReader& in);

// What goes on with an expression. In a flat document `[` does not: there a semicolon is missing before it.
bool AtOperator(const TokenReader& in);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_PARSE_EXPRESSION_H_
