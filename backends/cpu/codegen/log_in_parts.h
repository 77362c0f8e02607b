// log(x) to some 65 bits, for powers.
#ifndef BACKENDS_CPU_CODEGEN_LOG_IN_PARTS_H_
#define BACKENDS_CPU_CODEGEN_LOG_IN_PARTS_H_

#include "backends/cpu/codegen/double_double.h"

namespace xla {
namespace codegen {

// Of a positive finite f64.
DoubleDouble LogInParts(V x);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_LOG_IN_PARTS_H_
