// Mathematical functions as code: see the essay in math_emitter.cc.
#ifndef BACKENDS_SCALAR_CODE_MATH_EMITTER_H_
#define BACKENDS_SCALAR_CODE_MATH_EMITTER_H_

#include "absl/types/optional.h"
#include "backends/scalar_code/ir.h"
#include "xla_core/ir/opcode.h"

namespace xla {
namespace codegen {

// `opcode` of x (and y), f32 or f64; nullopt if there is no code for it.
absl::optional<V> EmitMath(HloOpcode opcode, V x, V y);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_MATH_EMITTER_H_
