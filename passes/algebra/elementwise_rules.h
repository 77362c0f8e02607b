// Rules for elementwise operations, one list for each file NAME_rules.cc.
//
// All hold bit for bit on the evaluator's arithmetic (xla_core/ops/elementwise.def) for every element type that their
// conditions admit, payloads of NaN aside, unless their row names a fast-math group.
#ifndef PASSES_ALGEBRA_ELEMENTWISE_RULES_H_
#define PASSES_ALGEBRA_ELEMENTWISE_RULES_H_

#include "passes/algebra/rule_families.h"

namespace xla {

// Constants: one value instead of an array of equal ones, results of operations on them, their place in operations.
const RuleList& ConstantRules();
// add, subtract.
const RuleList& AdditionRules();

}  // namespace xla

#endif  // PASSES_ALGEBRA_ELEMENTWISE_RULES_H_
