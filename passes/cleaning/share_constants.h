// The pass share-constants.
#ifndef PASSES_CLEANING_SHARE_CONSTANTS_H_
#define PASSES_CLEANING_SHARE_CONSTANTS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Keeps the value of equal constants of at least min-bytes in memory once, wherever in the module they stand (within a
// computation merge-equal leaves one of them). The program, as it is visible, does not change: never true.
absl::StatusOr<bool> ShareConstants(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_CLEANING_SHARE_CONSTANTS_H_
