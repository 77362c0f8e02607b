// Rules of simplify-reductions.
//
// The order of the elements of a sum is free. Sums of f32, f64 and complex numbers are also taken apart and put
// together, which the evaluator's wide accumulators hardly notice; sums of narrower floats are not, because each sum
// rounds once. A function that is not known keeps the order of the elements that it is given.
#ifndef PASSES_ALGEBRA_REDUCTION_RULES_H_
#define PASSES_ALGEBRA_REDUCTION_RULES_H_

#include "passes/algebra/rule_families.h"

namespace xla {

const RuleList& ReduceRules();
const RuleList& ReduceWindowRules();  // reduce-window, select-and-scatter
const RuleList& SortRules();
const RuleList& TopKRules();  // of recognize-topk

}  // namespace xla

#endif  // PASSES_ALGEBRA_REDUCTION_RULES_H_
