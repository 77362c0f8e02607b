// Brings convolutions to one order of dimensions.
#ifndef PASSES_EXPANDING_CANONICALIZE_CONVOLUTIONS_H_
#define PASSES_EXPANDING_CANONICALIZE_CONVOLUTIONS_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Operands and result are transposed so that dim_labels are b01..f_01..io->b01..f: batch first, features last. Option
// strided-kernels: kernels stay where they are, in whatever order, and transposes of them are folded into dim_labels;
// but not those of windows that are as large as images.
absl::StatusOr<bool> CanonicalizeConvolutions(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_CANONICALIZE_CONVOLUTIONS_H_
