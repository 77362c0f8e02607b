// Parser: tokens as syntax trees (NNEF 1.0.4 section 3.2): of descriptions, of single fragments, of graph.quant.
#ifndef BUILDERS_NNEF1_LANGUAGE_PARSER_H_
#define BUILDERS_NNEF1_LANGUAGE_PARSER_H_

#include <memory>
#include <string>
#include <vector>

#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/document_tree.h"

namespace xla {
namespace nnef1 {

// Brackets, calls, unary operators and types deeper than this are refused, so that everything which walks over a tree
// may recurse.
inline constexpr int kMaxNesting = 200;

// Parameters, or results, of a fragment. Each of its invocations costs as much.
inline constexpr size_t kMaxParameters = 1000;

// A declaration as the operation table holds it, with or without a body and a closing semicolon. nullptr if it is
// wrong.
std::shared_ptr<Fragment> ParseFragment(const std::shared_ptr<const Source>& source, Diagnostics* diagnostics);

// A line of graph.quant: "key": operation(name = value, ...);
struct QuantizationLine {
  std::string key;
  Span key_span;
  Expression invocation;
};

// The lines that can be read; errors are E5. `allow_operators`: values may be compile-time expressions.
std::vector<QuantizationLine> ParseQuantizationLines(const std::shared_ptr<const Source>& source, bool allow_operators,
                                                     Diagnostics* diagnostics);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_PARSER_H_
