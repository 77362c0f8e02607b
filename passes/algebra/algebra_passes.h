// The rows of the pass table for the passes of this folder.
#ifndef PASSES_ALGEBRA_ALGEBRA_PASSES_H_
#define PASSES_ALGEBRA_ALGEBRA_PASSES_H_

#include "absl/types/span.h"
#include "passes/base/pass.h"

namespace xla {

absl::Span<const Pass> AlgebraPasses();

}  // namespace xla

#endif  // PASSES_ALGEBRA_ALGEBRA_PASSES_H_
