// Sums and functions of complex numbers in the type of their parts, corners included: for generators that have neither
// a wider type nor the interpreter.
#ifndef BACKENDS_SCALAR_CODE_COMPLEX_IN_PARTS_H_
#define BACKENDS_SCALAR_CODE_COMPLEX_IN_PARTS_H_

#include "backends/scalar_code/complex_math.h"
#include "backends/scalar_code/ir.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace codegen {

// Of add and subtract, with the interpreter's bits, and of any function of complex numbers in elementwise.def, with an
// error of some units in the last place of the modulus, more where a function is steep; a part is NaN where one of the
// interpreter's is. Not of multiply, divide, abs and sign, which are exact in the op table. y: like x for unary ones.
ComplexParts EmitComplexInParts(HloOpcode opcode, const ComplexParts& x, const ComplexParts& y);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_COMPLEX_IN_PARTS_H_
