// Elements as buffers of JavaScript hold them, where int4 and uint4 are packed, to and from literals, where each takes
// a byte.
#ifndef BUILDERS_WEBNN_PACKED_ELEMENTS_H_
#define BUILDERS_WEBNN_PACKED_ELEMENTS_H_

#include "absl/status/statusor.h"
#include "builders/webnn/data_type.h"
#include "builders/webnn/descriptor.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace webnn {

// Whether buffers hold several elements in a byte.
inline bool IsPacked(MLOperandDataType type) { return BitsOf(type) < 8; }

// A literal with a copy of the elements at `data`, ByteLengthOf(descriptor) bytes. ResourceExhausted: no memory.
absl::StatusOr<Literal> CopyElements(const MLOperandDescriptor& descriptor, const void* data);

// Writes the elements of a literal of the descriptor's shape to ByteLengthOf(descriptor) bytes at `data`.
void WriteElements(const Literal& literal, const MLOperandDescriptor& descriptor, void* data);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_PACKED_ELEMENTS_H_
