// Makes attention one fusion.
#ifndef PASSES_FUSING_FUSE_ATTENTION_H_
#define PASSES_FUSING_FUSE_ATTENTION_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Replaces two products and the softmax between them by a fusion of kind output, for backends that compute some rows of
// the scores at a time and keep them in a cache; its body is what was there before. attention_region.h says what is
// found. Left alone are attention whose scores are small enough to be written (what that is was measured), whose rows
// are too long to stay in a cache, that has only some queries for the same keys, as when texts are made word by word,
// and whose weights are read by something else, as by a gradient.
absl::StatusOr<bool> FuseAttention(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_FUSING_FUSE_ATTENTION_H_
