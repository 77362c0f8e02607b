// log(x) to some 65 bits, or of f32 some 40, for powers.
#ifndef BACKENDS_SCALAR_CODE_LOG_IN_PARTS_H_
#define BACKENDS_SCALAR_CODE_LOG_IN_PARTS_H_

#include "backends/scalar_code/double_double.h"

namespace xla {
namespace codegen {

// Of a positive finite number.
DoubleDouble LogInParts(V x);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_LOG_IN_PARTS_H_
