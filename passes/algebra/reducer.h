// What is known of the functions that reductions apply.
#ifndef PASSES_ALGEBRA_REDUCER_H_
#define PASSES_ALGEBRA_REDUCER_H_

#include "absl/types/optional.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// add, multiply, maximum, minimum, and, or, xor of scalars of one type.
struct Reducer {
  HloOpcode op;
  PrimitiveType type;

  // Whether the elements may come in any order: exactly so, or as a sum.
  bool MayReorder() const;
  // Whether reducing parts and then their results is the same, exactly or as a sum in a wide type.
  bool MayRegroup() const;
  // f(x, x) = x
  bool IsIdempotent() const;
  // Whether f(x, value) = x for all x; `value` is a scalar instruction. -0 is one for sums of floats, +0 is not.
  bool IsIdentity(const HloInstruction& value) const;
  // The same if `first` is reduced as well: for sums of floats, +0 also, unless `first` could be -0.
  bool IsIdentityBeside(const HloInstruction& value, const HloInstruction& first) const;
  // A scalar that is the identity; nullptr where there is none.
  HloInstruction* MakeIdentity(InstructionBuilder& build) const;
};

// nullopt if the computation is no such operation on its two parameters, in either order.
absl::optional<Reducer> ReducerOf(const HloComputation& computation);

}  // namespace xla

#endif  // PASSES_ALGEBRA_REDUCER_H_
