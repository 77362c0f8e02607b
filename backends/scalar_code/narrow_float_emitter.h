// Conversions between the floats narrower than f32 and f32, as vector code; bit for bit those of narrow_float.h.
#ifndef BACKENDS_SCALAR_CODE_NARROW_FLOAT_EMITTER_H_
#define BACKENDS_SCALAR_CODE_NARROW_FLOAT_EMITTER_H_

#include "backends/scalar_code/ir.h"
#include "xla_core/types/float_format.h"

namespace xla {
namespace codegen {

// Bits (i8 or i16) to f32, exactly.
V DecodeNarrowBits(NarrowFormat format, V bits);
// f32 or f64 to bits, rounded once.
V EncodeNarrowBits(NarrowFormat format, V wide);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_NARROW_FLOAT_EMITTER_H_
