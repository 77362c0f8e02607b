// The grammar of declarations: types, attributes, tensors, helpers, assertions (NNEF 2.0 sections 2.5 to 2.9, 2.13).
#ifndef BUILDERS_NNEF2_LANGUAGE_PARSE_DECLARATION_H_
#define BUILDERS_NNEF2_LANGUAGE_PARSE_DECLARATION_H_

#include <vector>

#include "builders/nnef2/language/token_reader.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

bool ParseTypeParameter(TokenReader& in, TypeParameter* type);
bool ParseParameter(TokenReader& in, Parameter* parameter);
bool ParseUsing(TokenReader& in, Using* helper);
bool ParseAssertion(TokenReader& in, Assertion* assertion);

// "[m, s..(d), ~|10]".
bool ParseShape(TokenReader& in, std::vector<Extent>* shape);
// ", i < n, j < m", as many as there are.
bool ParseIndexBounds(TokenReader& in, std::vector<IndexBound>* bounds);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LANGUAGE_PARSE_DECLARATION_H_
