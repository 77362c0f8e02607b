// Attention as programs write it: dot, a softmax over the last dimension, dot.
#ifndef PASSES_FUSING_ATTENTION_REGION_H_
#define PASSES_FUSING_ATTENTION_REGION_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "passes/fusing/fusion_clusters.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

struct AttentionLimits {
  int64_t min_score_bytes = 0;   // of all scores: fewer stay in a cache anyway
  int64_t min_rows = 1;          // with the same keys and values
  int64_t max_keys = 0;          // a row of scores has to stay in a cache
  int64_t max_features = 0;      // of a key, and of a value
  int64_t max_members = 0;       // instructions
};

// What computes `dot`, if that multiplies values by weights that are made of scores, row by row, with a sum over the
// row and an exponential function: from the product that makes the scores to `dot`, and the transpose that is its only
// user. Scales and masks on the way are members, of any shape that broadcasts; arrays that do not depend on the scores
// are inputs, unless nothing else needs them. nullopt if there is no such thing, if something else uses scores, weights
// or sums, or if it is not within the limits.
absl::optional<PlannedFusion> FindAttention(HloInstruction* dot, const AttentionLimits& limits);

}  // namespace xla

#endif  // PASSES_FUSING_ATTENTION_REGION_H_
