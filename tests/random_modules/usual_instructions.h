// Instructions as programs usually have them, with the facts that follow: products of matrices, reductions, sorts,
// single elements, computations that are called.
#ifndef TESTS_RANDOM_MODULES_USUAL_INSTRUCTIONS_H_
#define TESTS_RANDOM_MODULES_USUAL_INSTRUCTIONS_H_

#include <functional>
#include <string>

#include "absl/types/span.h"
#include "tests/random_modules/scope.h"

namespace xla {

// x[m, k] times y[k, n], or of two vectors the inner product.
Value MatrixProduct(Scope& scope, const Value& x, const Value& y);
// A sum, maximum or minimum along `dimensions`, from 0 or from the opposite end of [-limit, limit].
Value Reduced(Scope& scope, HloOpcode opcode, const Value& x, absl::Span<const int64_t> dimensions);
// Ascending, by the total order of floats.
Value Sorted(Scope& scope, const Value& x, int64_t dimension);
// All elements one after the other.
Value Flattened(Scope& scope, const Value& x);
// The element at `index` as a scalar.
Value ElementAt(Scope& scope, const Value& x, absl::Span<const int64_t> index);
// Within [-limit, limit].
Value Clamped(Scope& scope, const Value& x, double limit);

// A computation of one parameter.
HloComputation* ComputationOf(Scope& scope, const std::string& name, const Shape& shape, const Facts& facts,
                              const std::function<Value(Scope& inner, const Value& parameter)>& make);
// condition and body get the state; the result has its shape.
Value While(Scope& scope, const Value& init, const std::function<Value(Scope& inner, const Value& state)>& condition,
            const std::function<Value(Scope& inner, const Value& state)>& body);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_USUAL_INSTRUCTIONS_H_
