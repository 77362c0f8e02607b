// The element types of the PJRT API and of HLO, which number them differently.
#ifndef BINDINGS_PJRT_ELEMENT_TYPES_H_
#define BINDINGS_PJRT_ELEMENT_TYPES_H_

#include "absl/status/statusor.h"
#include "bindings/pjrt/pjrt_api.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace pjrt {

// InvalidArgument if `type` is not that of an array's elements.
absl::StatusOr<PrimitiveType> FromPjrt(PJRT_Buffer_Type type);
// PJRT_Buffer_Type_INVALID for what PJRT has no type for.
PJRT_Buffer_Type ToPjrt(PrimitiveType type);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_ELEMENT_TYPES_H_
