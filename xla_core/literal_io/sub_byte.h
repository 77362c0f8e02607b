// One element per byte of the types narrower than a byte, between files and literals.
#ifndef XLA_CORE_LITERAL_IO_SUB_BYTE_H_
#define XLA_CORE_LITERAL_IO_SUB_BYTE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// Turns `count` bytes into the elements that a Literal of `type` holds, in place: pred becomes 0 or 1, a signed integer
// is extended from its low bits. Types of a whole byte or more stay as they are.
// Errors: InvalidArgument if a byte is neither a value of the type nor one without its sign extension.
absl::Status NormalizeSubByteElements(PrimitiveType type, uint8_t* elements, int64_t count);

// The other way: clears the bits above the type's width.
void MaskSubByteElements(PrimitiveType type, uint8_t* elements, int64_t count);

}  // namespace xla

#endif  // XLA_CORE_LITERAL_IO_SUB_BYTE_H_
