// Which operations are done on the terms of sums.
#ifndef PASSES_PARTITIONING_SUM_OF_RESULT_H_
#define PASSES_PARTITIONING_SUM_OF_RESULT_H_

#include "absl/types/optional.h"
#include "passes/base/pass_context.h"
#include "passes/partitioning/factor_choice.h"
#include "passes/partitioning/factor_rule.h"
#include "passes/partitioning/pending_sum.h"
#include "passes/partitioning/sharded_values.h"

namespace xla {

// The sum whose terms the instruction gives when it is done on those of its operands, which are used as they are cut;
// its factors have been chosen, and its operands are those of the global program. nullopt: no operand is pending, or
// they have to be added up first. That is so where terms give something else or take more bytes than the sum, and
// where something else reads the sum, too.
//
//   moved elements                           always
//   sums of sums, in additions and reduces   integers; of f32, f64 and complex, only the order of a sum changes
//   maxima of maxima and the like            always
//   integers: negated, subtracted, multiplied by what is not a sum, converted to fewer bits
//   floats: likewise, also divided           if fast math allows to reassociate, and signed zeros to change
absl::optional<PendingSum> SumOfResult(const HloInstruction& instruction, const FactorRule& rule,
                                       const FactorChoice& choice, const ShardedValues& values,
                                       const PassContext& context);

}  // namespace xla

#endif  // PASSES_PARTITIONING_SUM_OF_RESULT_H_
