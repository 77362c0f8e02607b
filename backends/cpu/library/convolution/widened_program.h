// A program of f32 for arrays of narrower floats: they become f32 first, and its result narrow in the end.
#ifndef BACKENDS_CPU_LIBRARY_CONVOLUTION_WIDENED_PROGRAM_H_
#define BACKENDS_CPU_LIBRARY_CONVOLUTION_WIDENED_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "backends/cpu/library/product/tiled_program.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// A dense array.
struct WidenedArray {
  PrimitiveType type;  // F16, BF16 or F32
  int64_t elements;
};

// `program` takes and gives dense f32, without epilogue or prologue.
std::unique_ptr<TiledProgram> WidenProgram(std::unique_ptr<TiledProgram> program, const WidenedArray& lhs,
                                           const WidenedArray& rhs, const WidenedArray& result);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_CONVOLUTION_WIDENED_PROGRAM_H_
