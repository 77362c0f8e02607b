// Elements in the lanes of vectors.
#ifndef BACKENDS_CPU_CODEGEN_ELEMENT_LANES_H_
#define BACKENDS_CPU_CODEGEN_ELEMENT_LANES_H_

#include "backends/cpu/codegen/llvm_ir.h"
#include "backends/scalar_code/element.h"

namespace xla {
namespace codegen {

// What lanes of an index with a stride are ahead of lane 0.
V LaneOffsets(const Element& index, Kind kind, int lanes);

// The same with `lanes` lanes.
Element Spread(const Element& element, int lanes);

// f32, by a scalar, where LlvmIr::HasFma: the same as x / divisor, sooner (scalar_division.cc).
V DivideByScalar(V x, V divisor);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_ELEMENT_LANES_H_
