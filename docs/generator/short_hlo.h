// The HLO of an example, as short as a page of many examples needs it.
#ifndef DOCS_GENERATOR_SHORT_HLO_H_
#define DOCS_GENERATOR_SHORT_HLO_H_

#include <string>
#include <vector>

#include "xla_core/ir/hlo_module.h"

namespace xla {

// The instructions of the entry computation, a line each, without its parameters and the tuple of its results. If that
// is more than a few lines, one line counts opcodes instead: "2 broadcast, add".
std::vector<std::string> ShortHlo(const HloModule& module);

// `code`, a line or more, and the HLO as comments that begin with `mark`: after the code if it is one line and fits,
// else below. Ends with a newline.
std::string WithHloComments(std::string code, const char* mark, const std::vector<std::string>& hlo);

}  // namespace xla

#endif  // DOCS_GENERATOR_SHORT_HLO_H_
