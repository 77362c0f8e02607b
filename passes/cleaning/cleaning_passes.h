// The rows of the pass table for the passes of this folder.
#ifndef PASSES_CLEANING_CLEANING_PASSES_H_
#define PASSES_CLEANING_CLEANING_PASSES_H_

#include "absl/types/span.h"
#include "passes/base/pass.h"

namespace xla {

absl::Span<const Pass> CleaningPasses();

}  // namespace xla

#endif  // PASSES_CLEANING_CLEANING_PASSES_H_
