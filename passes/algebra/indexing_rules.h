// Rules of simplify-indexing: elements read and written at positions that are values.
#ifndef PASSES_ALGEBRA_INDEXING_RULES_H_
#define PASSES_ALGEBRA_INDEXING_RULES_H_

#include "passes/algebra/rule_families.h"

namespace xla {

const RuleList& DynamicSliceRules();  // dynamic-slice, dynamic-update-slice
const RuleList& GatherRules();        // gather, scatter, get-dimension-size

}  // namespace xla

#endif  // PASSES_ALGEBRA_INDEXING_RULES_H_
