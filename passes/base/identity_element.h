// The element that an associative operation leaves every other element with.
#ifndef PASSES_BASE_IDENTITY_ELEMENT_H_
#define PASSES_BASE_IDENTITY_ELEMENT_H_

#include "absl/status/statusor.h"
#include "xla_core/ir/opcode.h"
#include "xla_core/types/literal.h"

namespace xla {

// The operation on bits that one of numbers is on predicates: `or` for add, `and` for multiply; others stay.
HloOpcode OnPredicates(HloOpcode op);

// A scalar such that op(x, it) has the bits of x, for an opcode with the trait kAssociative. -0 for sums, because +0
// would change a sum of -0. InvalidArgument where the type has no such element: the extremes and products of complex
// numbers (1 turns an infinity into NaN), and sums of f8e8m0fnu, which has no zero.
absl::StatusOr<Literal> IdentityElement(HloOpcode op, PrimitiveType type);

}  // namespace xla

#endif  // PASSES_BASE_IDENTITY_ELEMENT_H_
