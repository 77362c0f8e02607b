// Reads a module: its imports, operators and graphs (NNEF 2.0 section 2.16).
#ifndef BUILDERS_NNEF2_LANGUAGE_PARSER_H_
#define BUILDERS_NNEF2_LANGUAGE_PARSER_H_

#include <memory>

#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// The tree of `source`, or nullptr after errors (lex, syntax, value), all of which are reported.
std::shared_ptr<const Module> ParseModule(const std::shared_ptr<const Source>& source, Diagnostics* diagnostics);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LANGUAGE_PARSER_H_
