// Activation functions of neural networks.
//
//   Shapes: T[d0..dn] -> T[d0..dn]; T: float unless stated
//   Errors: another element type.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_ACTIVATIONS_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_ACTIVATIONS_H_

#include <cstdint>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// max(x, 0); min(max(x, 0), 6). T: int, float.
//   Example: Relu({-1, 7}) = {0, 7}; Relu6({-1, 7}) = {0, 6}
//   HLO: maximum; clamp
XlaOp Relu(XlaOp x, SourceLocation loc = SourceLocation::Current());
XlaOp Relu6(XlaOp x, SourceLocation loc = SourceLocation::Current());
// x where x >= 0, else alpha x.
//   HLO: select, multiply
XlaOp LeakyRelu(XlaOp x, double alpha = 0.01, SourceLocation loc = SourceLocation::Current());
// x where x > 0, else alpha (e^x - 1).
//   HLO: select, exponential-minus-one
XlaOp Elu(XlaOp x, double alpha = 1, SourceLocation loc = SourceLocation::Current());
// Elu scaled so that activations tend to mean 0 and variance 1.
//   HLO: as Elu
//   Source: G. Klambauer et al., Self-Normalizing Neural Networks (2017), equation 14
XlaOp Selu(XlaOp x, SourceLocation loc = SourceLocation::Current());
// x Phi(x), Phi the distribution function of the normal distribution; or its approximation by tanh.
//   HLO: erf; tanh
//   Source: D. Hendrycks and K. Gimpel, Gaussian Error Linear Units (2016)
XlaOp Gelu(XlaOp x, bool approximate = false, SourceLocation loc = SourceLocation::Current());
// log(1 + e^x), without overflow.
//   HLO: maximum, log-plus-one, exponential
XlaOp Softplus(XlaOp x, SourceLocation loc = SourceLocation::Current());
// x / (1 + e^-x).
//   HLO: multiply, logistic
XlaOp Swish(XlaOp x, SourceLocation loc = SourceLocation::Current());

// e^x / sum(e^x) along `axis`, and its logarithm; the greatest element is taken out before, so that nothing overflows.
//   Errors: an axis out of range.
//   Example: Softmax({0, 0}, 0) = {0.5, 0.5}; LogSoftmax({1000, 0}, 0) = {0, -1000}
//   HLO: reduce of maximum, exponential, reduce of add, divide
XlaOp Softmax(XlaOp x, int64_t axis, SourceLocation loc = SourceLocation::Current());
XlaOp LogSoftmax(XlaOp x, int64_t axis, SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_ACTIVATIONS_H_
