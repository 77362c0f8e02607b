// Operations on complex numbers in the type of their parts, corners included: for generators that have neither a wider
// type nor the interpreter.
#ifndef BACKENDS_SCALAR_CODE_COMPLEX_IN_PARTS_H_
#define BACKENDS_SCALAR_CODE_COMPLEX_IN_PARTS_H_

#include "backends/scalar_code/complex_math.h"
#include "backends/scalar_code/ir.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace codegen {

// Of any arithmetic operation or function of complex numbers in elementwise.def; y: like x for unary ones. Of kAbs the
// real part is the result. The error is some units in the last place of the modulus, more where a function is steep. A
// part is NaN where one of the interpreter's is.
ComplexParts EmitComplexInParts(HloOpcode opcode, const ComplexParts& x, const ComplexParts& y);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_COMPLEX_IN_PARTS_H_
