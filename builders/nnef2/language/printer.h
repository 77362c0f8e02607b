// Writes a module in one form: a statement on each line, comments kept.
#ifndef BUILDERS_NNEF2_LANGUAGE_PRINTER_H_
#define BUILDERS_NNEF2_LANGUAGE_PRINTER_H_

#include <string>

#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// The module formatted. Parsed and printed again, the text stays as it is. A comment after a statement stays there,
// one inside a statement moves before it.
std::string PrintModule(const Module& module);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LANGUAGE_PRINTER_H_
