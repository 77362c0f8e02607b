// Removes converts to a wider type and back.
#ifndef PASSES_PRECISION_REMOVE_FLOAT_NORMALIZATION_H_
#define PASSES_PRECISION_REMOVE_FLOAT_NORMALIZATION_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// convert(convert(x)) where the inner convert keeps every value of x becomes one convert of x, or x. What
// normalize-narrow-floats leaves between two operations that turned out to be data movement.
absl::StatusOr<bool> RemoveFloatNormalization(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_PRECISION_REMOVE_FLOAT_NORMALIZATION_H_
