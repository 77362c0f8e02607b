// Hashes of what instructions are made of, for finding equal ones; the same in every run unless a comment says
// otherwise.
#ifndef XLA_CORE_IR_STRUCTURE_HASH_H_
#define XLA_CORE_IR_STRUCTURE_HASH_H_

#include <cstdint>

#include "xla_core/support/mix_hash.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// Element types and dimensions at any depth; layouts do not count.
inline uint64_t HashOfShape(const Shape& shape, uint64_t state) { return MixHash(state, shape.StructureHash()); }

// The elements of an array without dynamic sizes. Another run of the program may compute another hash.
uint64_t HashOfElements(const Literal& array);

}  // namespace xla

#endif  // XLA_CORE_IR_STRUCTURE_HASH_H_
