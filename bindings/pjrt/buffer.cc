// Buffers: what they are, their ends, and references to their memory from outside.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bindings/pjrt/buffer_support.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/executable_state.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

// Where the value is, which waits for it. The reference stays until the buffer ends, is donated, or the last one from
// outside goes.
absl::StatusOr<void*> AddressOf(PJRT_Buffer& buffer) {
  {
    std::lock_guard<std::mutex> lock(buffer.mutex);
    if (buffer.reference != nullptr) return buffer.reference->data();
  }
  ASSIGN_OR_RETURN(std::unique_ptr<ExternalReference> reference, buffer.buffer->AcquireExternalReference());
  std::lock_guard<std::mutex> lock(buffer.mutex);
  if (buffer.reference == nullptr) buffer.reference = std::move(reference);
  return buffer.reference->data();
}

// Without copies, clients see the memory of host devices. A value that is still to come has none yet, and one in
// another order than it is told to be in must be copied.
bool IsVisible(const PJRT_Buffer& buffer) {
  return buffer.client->has_host_memory() && buffer.is_row_major() && buffer.buffer->shape().IsArray() &&
         buffer.buffer->ready().IsReady() && buffer.buffer->ready().status().ok() && buffer.buffer->is_live();
}

}  // namespace

PJRT_Error* Buffer_Destroy(PJRT_Buffer_Destroy_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    if (args->buffer == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    delete args->buffer;
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_ElementType(PJRT_Buffer_ElementType_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    args->type = args->buffer->type;
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_Dimensions(PJRT_Buffer_Dimensions_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    args->dims = args->buffer->buffer->shape().dimensions().data();
    args->num_dims = args->buffer->buffer->shape().dimensions().size();
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    const Shape& shape = args->buffer->buffer->shape();
    if (shape.IsDynamic()) {
      return absl::UnimplementedError(
          absl::StrCat(check.function(), ": the sizes of ", shape.ToString(), " are known only with its value"));
    }
    args->unpadded_dims = shape.dimensions().data();
    args->num_dims = shape.dimensions().size();
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    PJRT_Buffer& buffer = *args->buffer;
    const Shape& shape = buffer.buffer->shape();
    std::lock_guard<std::mutex> lock(buffer.mutex);
    buffer.dynamic_dimensions.clear();
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape.is_dynamic_dimension(i)) buffer.dynamic_dimensions.push_back(i);
    }
    args->dynamic_dim_indices = buffer.dynamic_dimensions.data();
    args->num_dynamic_dims = buffer.dynamic_dimensions.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    args->layout = {};
    args->layout.struct_size = offsetof(PJRT_Buffer_MemoryLayout, type) + sizeof(args->layout.type);
    args->layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    args->layout.tiled.struct_size = sizeof(args->layout.tiled);
    args->layout.tiled.minor_to_major = args->buffer->minor_to_major.data();
    args->layout.tiled.minor_to_major_size = args->buffer->minor_to_major.size();
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    args->on_device_size_in_bytes = static_cast<size_t>(args->buffer->buffer->shape().ByteSize());
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_Device(PJRT_Buffer_Device_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    args->device = args->buffer->device;
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_Memory(PJRT_Buffer_Memory_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    args->memory = args->buffer->memory;
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_Delete(PJRT_Buffer_Delete_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    args->buffer->DropUnpinnedReference();
    args->buffer->buffer->Delete();
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    args->is_deleted = !args->buffer->buffer->is_live();
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    args->is_on_cpu = IsVisible(*args->buffer);
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    const Buffer& buffer = *args->buffer->buffer;
    args->event = new PJRT_Event(buffer.is_live() ? WithPlaces(buffer.ready(), args->buffer->origin)
                                                  : Event::Of(EndedError(*args->buffer)));
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    ASSIGN_OR_RETURN(void* const address, AddressOf(*args->buffer));
    args->buffer_pointer = reinterpret_cast<uintptr_t>(address);
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    ASSIGN_OR_RETURN(args->device_memory_ptr, AddressOf(*args->buffer));
    return absl::OkStatus();
  });
}

// From here on the buffer is not donated. The reference that keeps the memory is taken at once if the value is there,
// else when its address is asked for: this function must not wait.
PJRT_Error* Buffer_IncreaseExternalReferenceCount(PJRT_Buffer_IncreaseExternalReferenceCount_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    PJRT_Buffer& buffer = *args->buffer;
    if (!buffer.buffer->is_live()) return EndedError(buffer);
    std::lock_guard<std::mutex> lock(buffer.mutex);
    if (buffer.reference == nullptr && buffer.buffer->ready().IsReady()) {
      ASSIGN_OR_RETURN(buffer.reference, buffer.buffer->AcquireExternalReference());
    }
    ++buffer.external_references;
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_DecreaseExternalReferenceCount(PJRT_Buffer_DecreaseExternalReferenceCount_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    PJRT_Buffer& buffer = *args->buffer;
    {
      std::lock_guard<std::mutex> lock(buffer.mutex);
      if (buffer.external_references == 0) return check.Error("there are no external references");
      --buffer.external_references;
    }
    buffer.DropUnpinnedReference();
    return absl::OkStatus();
  });
}

}  // namespace pjrt
}  // namespace xla

void PJRT_Buffer::DropUnpinnedReference() {
  std::unique_ptr<xla::ExternalReference> dropped;  // ends after the lock does
  std::lock_guard<std::mutex> lock(mutex);
  if (external_references == 0) dropped = std::move(reference);
}
