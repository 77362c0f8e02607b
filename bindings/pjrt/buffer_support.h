// What several functions about buffers need: places, layouts, handles, values that come later.
#ifndef BINDINGS_PJRT_BUFFER_SUPPORT_H_
#define BINDINGS_PJRT_BUFFER_SUPPORT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "bindings/core/caller_check.h"
#include "bindings/pjrt/handles.h"
#include "bindings/pjrt/pjrt_api.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {
namespace pjrt {

// Where a buffer is made: in `memory` or, without one, in the default memory of `device` or of the client's first
// device. InvalidArgument if they are not the client's.
absl::StatusOr<DeviceMemorySpace*> PlaceOf(const CallerCheck& check, const ClientState& client, PJRT_Device* device,
                                           PJRT_Memory* memory);

// A valid shape of an array.
absl::StatusOr<Shape> ShapeOf(const CallerCheck& check, PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims);

// The order of the dimensions, most minor first; row-major for nullptr. Unimplemented for tiles, and for strides that
// are not those of a dense row-major array.
absl::StatusOr<std::vector<int64_t>> MinorToMajorOf(const CallerCheck& check, const PJRT_Buffer_MemoryLayout* layout,
                                                    const Shape& shape);
bool IsRowMajorOrder(absl::Span<const int64_t> minor_to_major);

// For a buffer that is not live.
absl::Status EndedError(const PJRT_Buffer& buffer);

PJRT_Buffer* MakeBuffer(std::unique_ptr<Buffer> buffer, DeviceMemorySpace* place,
                        std::vector<int64_t> minor_to_major = {});

// The value once `also` has happened, too; `change`, if given, is called with it before.
Future<Literal> ValueAfter(const Future<Literal>& value, const Event& also, std::function<void(Literal*)> change);

// Copies a dense array that lies in memory row-major, to the same in another order of its dimensions.
void CopyInOrder(const Shape& shape, const void* row_major, absl::Span<const int64_t> minor_to_major, void* to);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_BUFFER_SUPPORT_H_
