// Rules of simplify-products: dot and convolution.
//
// Dimension numbers say where operands and results have their dimensions, so transposes of either become other
// numbers. Operand types, which may differ from that of the result, precisions and algorithms are carried over.
#ifndef PASSES_ALGEBRA_PRODUCT_RULES_H_
#define PASSES_ALGEBRA_PRODUCT_RULES_H_

#include "passes/algebra/rule_families.h"

namespace xla {

const RuleList& DotRules();
const RuleList& DotReadingRules();   // slices and sums of dots
const RuleList& DotMovementRules();  // dots with pads, concatenations and reshapes
const RuleList& ConvolutionRules();

}  // namespace xla

#endif  // PASSES_ALGEBRA_PRODUCT_RULES_H_
