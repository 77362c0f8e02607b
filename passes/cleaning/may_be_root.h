// When the root of a computation may be replaced.
#ifndef PASSES_CLEANING_MAY_BE_ROOT_H_
#define PASSES_CLEANING_MAY_BE_ROOT_H_

#include "xla_core/ir/hlo_module.h"

namespace xla {

// Whether `root`, if it is one, may be replaced by `replacement`: the root of a fusion must have no users in the
// fusion.
bool MayBeRoot(const HloInstruction& replacement, const HloInstruction& root);

}  // namespace xla

#endif  // PASSES_CLEANING_MAY_BE_ROOT_H_
