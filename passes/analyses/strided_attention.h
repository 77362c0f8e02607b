// Two products, of which the second multiplies what is made, row by row, of the rows of the first: attention.
//
//   scores[b.., q, k] = queries . keys      rows = any function of scores[b.., q, :]      result = rows . values
//
// Neither `scores` nor `rows` need be in memory as a whole if both are row-major in the same way: some rows of them are
// computed, used and forgotten. What these products are in memory is as in strided_dot.h.
#ifndef PASSES_ANALYSES_STRIDED_ATTENTION_H_
#define PASSES_ANALYSES_STRIDED_ATTENTION_H_

#include <cstdint>

#include "absl/types/optional.h"
#include "passes/analyses/strided_dot.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// The two products with the names of attention. A library computes `matrix_rows` rows of scores at a time, over all
// `keys`.
struct StridedAttention {
  // m are queries in both, keys are n of the scores and k of the values; rows of scores are contiguous, and follow each
  // other. Batch dimensions need not be the same.
  StridedDot scores;
  StridedDot values;
  // Queries and rows are on the right in the dot instruction.
  bool scores_exchanged = false;
  bool values_exchanged = false;
  int64_t keys = 1;
  int64_t rows = 1;         // of all matrices together
  int64_t matrix_rows = 1;  // that follow each other with the same keys and values
};

// `result` is a dot, or a transpose of one; operand number `side` of that dot holds the rows made of the dot `scores`,
// in the same shape. nullopt if they do not go together like that.
absl::optional<StridedAttention> StridedAttentionOf(const HloInstruction& scores, const HloInstruction& result,
                                                    int side);

}  // namespace xla

#endif  // PASSES_ANALYSES_STRIDED_ATTENTION_H_
