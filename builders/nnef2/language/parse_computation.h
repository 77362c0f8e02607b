// The grammar of what is computed: @lower, @compose, @update and @quantize (NNEF 2.0 sections 2.10 to 2.14).
#ifndef BUILDERS_NNEF2_LANGUAGE_PARSE_COMPUTATION_H_
#define BUILDERS_NNEF2_LANGUAGE_PARSE_COMPUTATION_H_

#include "builders/nnef2/language/token_reader.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

bool ParseLowering(TokenReader& in, Lowering* lowering);
bool ParseComponent(TokenReader& in, Component* component);
bool ParseQuantization(TokenReader& in, Quantization* quantization);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LANGUAGE_PARSE_COMPUTATION_H_
