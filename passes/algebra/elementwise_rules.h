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
const RuleList& MultiplicationRules();
// divide, remainder.
const RuleList& DivisionRules();
// maximum, minimum, clamp.
const RuleList& ExtremumRules();
// and, or, xor, not, shifts; arithmetic of predicates.
const RuleList& BitwiseRules();
// negate, abs, sign, roundings, parts of complex numbers, power.
const RuleList& FunctionRules();
// What changes the last bit, all with the fast-math group `approximate`: quotients, exp and log, roots, powers.
const RuleList& ApproximationRules();

// compare, and what combines comparisons.
const RuleList& ComparisonRules();
// select.
const RuleList& SelectionRules();

// convert, bitcast-convert, reduce-precision.
const RuleList& ConversionRules();

}  // namespace xla

#endif  // PASSES_ALGEBRA_ELEMENTWISE_RULES_H_
