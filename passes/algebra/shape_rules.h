// Rules of simplify-shapes: instructions that move elements without computing.
//
// Each kind has its place, so that rules do not undo each other. Seen from the operands, these follow one another:
//
//   slices and dynamic slices,  elementwise operations,  transposes,  reshapes,  broadcasts
//
// A slice moves towards the operands because it leaves less to do, a broadcast towards the result because it makes more
// to do, and reshapes and transposes move past elementwise operations towards the result, where they meet others and
// merge (save that a transpose moves before a conversion to a wider type). A conversion to a narrower type moves before
// pads, reversals and concatenations.
#ifndef PASSES_ALGEBRA_SHAPE_RULES_H_
#define PASSES_ALGEBRA_SHAPE_RULES_H_

#include "passes/algebra/rule_families.h"

namespace xla {

const RuleList& ReshapeRules();    // reshape, transpose, bitcast, copy
const RuleList& BroadcastRules();  // broadcast, iota
const RuleList& SliceRules();
const RuleList& PadRules();  // pad, concatenate, reverse
// Elementwise operations of what moved elements.
const RuleList& ElementwiseMovementRules();

}  // namespace xla

#endif  // PASSES_ALGEBRA_SHAPE_RULES_H_
