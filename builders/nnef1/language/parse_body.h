// ParseBody: the assignments of a graph or of a fragment (NNEF 1.0.4 section 3.2.1).
#ifndef BUILDERS_NNEF1_LANGUAGE_PARSE_BODY_H_
#define BUILDERS_NNEF1_LANGUAGE_PARSE_BODY_H_

#include <vector>

#include "builders/nnef1/document_tree.h"
#include "builders/nnef1/language/token_reader.h"

namespace xla {
namespace nnef1 {

// With its braces. After a wrong assignment it goes on after the next semicolon; false only if the end is missing.
bool ParseBody(TokenReader& in, std::vector<Assignment>* body);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_PARSE_BODY_H_
