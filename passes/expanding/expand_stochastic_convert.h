// Writes stochastic-convert as arithmetic in f64.
#ifndef PASSES_EXPANDING_EXPAND_STOCHASTIC_CONVERT_H_
#define PASSES_EXPANDING_EXPAND_STOCHASTIC_CONVERT_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// stochastic-convert(x, random) becomes the choice between the two neighbours of x in the result type, bit for bit as
// ops/stochastic_convert.cc makes it. Left alone: results of f4, f6 and f8e8m0fnu, whose patterns have no integer type
// or no zero.
absl::StatusOr<bool> ExpandStochasticConvert(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_STOCHASTIC_CONVERT_H_
