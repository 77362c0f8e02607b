// Expressions and shapes as text, in the form in which modules are printed.
#ifndef BUILDERS_NNEF2_LANGUAGE_PRINT_EXPRESSION_H_
#define BUILDERS_NNEF2_LANGUAGE_PRINT_EXPRESSION_H_

#include <string>
#include <vector>

#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

std::string PrintExpression(const Expression& expression);
// "[m, s..(d)]".
std::string PrintShape(const std::vector<Extent>& shape);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LANGUAGE_PRINT_EXPRESSION_H_
