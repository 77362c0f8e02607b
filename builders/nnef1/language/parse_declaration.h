// ParseDeclaration: what a fragment takes and gives (NNEF 1.0.4 section 3.2.2).
#ifndef BUILDERS_NNEF1_LANGUAGE_PARSE_DECLARATION_H_
#define BUILDERS_NNEF1_LANGUAGE_PARSE_DECLARATION_H_

#include "builders/nnef1/declaration.h"
#include "builders/nnef1/language/token_reader.h"

namespace xla {
namespace nnef1 {

// From the position after the keyword `fragment` to the end of the results.
bool ParseDeclaration(TokenReader& in, Declaration* declaration);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_PARSE_DECLARATION_H_
