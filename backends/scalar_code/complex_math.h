// Mathematical functions of c64, computed in f64.
#ifndef BACKENDS_SCALAR_CODE_COMPLEX_MATH_H_
#define BACKENDS_SCALAR_CODE_COMPLEX_MATH_H_

#include "absl/types/optional.h"
#include "backends/scalar_code/ir.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace codegen {

// Real and imaginary part, of one kind and equal lanes.
struct ComplexParts {
  V real;
  V imaginary;
};

ComplexParts MultiplyParts(const ComplexParts& x, const ComplexParts& y);
ComplexParts DivideParts(const ComplexParts& x, const ComplexParts& y);

// A function's value in the lanes where the fast formula holds, and a mask of those where it does not. The caller
// computes the latter in another way, or drops them.
struct ComplexMath {
  ComplexParts value;
  V is_special;  // lanes whose value is not right, because of infinities, NaN, zeros or large angles: to be evaluated
};

// None if there is no code for the function. Operands are values of c64 in f64.
absl::optional<ComplexMath> EmitComplexMath(HloOpcode opcode, const ComplexParts& x, const ComplexParts& y);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_COMPLEX_MATH_H_
