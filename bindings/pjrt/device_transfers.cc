// Buffers from buffers, from nothing, and from values that come later.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bindings/pjrt/buffer_support.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/client_state.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "xla_core/support/status_macros.h"

// Of PJRT_Client_CreateAliasBuffer: what the client has promised to give. Ends when it is given.
struct PJRT_FulfillAliasBufferCallback {
  std::shared_ptr<xla::Literal> value = std::make_shared<xla::Literal>();
  xla::EventSource source;
};

namespace xla {
namespace pjrt {
namespace {

// Between clients values go through the host. A value that is to come is copied when it does.
absl::StatusOr<PJRT_Buffer*> CopyTo(const PJRT_Buffer& source, DeviceMemorySpace* place) {
  if (!source.buffer->is_live()) return EndedError(source);
  PJRT_Device& device = *place->device;
  std::unique_ptr<Buffer> copy;
  if (device.client == source.client.get()) {
    ASSIGN_OR_RETURN(copy, source.buffer->CopyToDevice(*device.device));
  } else {
    ASSIGN_OR_RETURN(copy, device.client->client->BufferFromFuture(source.buffer->ToLiteralAsync(),
                                                                   source.buffer->shape(), *device.device));
  }
  return MakeBuffer(std::move(copy), place, source.minor_to_major);
}

// Of PJRT_Buffer_DonateWithControlDependency: the value may be used once the client says so.
struct Dependency {
  EventSource is_ready;
};

void EndDependency(PJRT_Buffer_DonateWithControlDependency_Callback_Args* args) {
  const std::unique_ptr<Dependency> dependency(static_cast<Dependency*>(args->callback_data));
  dependency->is_ready.Set(StatusOf(args->error_code, args->error_message, args->error_message_size));
}

}  // namespace

PJRT_Error* Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->dst_buffer = nullptr;
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    RETURN_IF_ERROR(check.Live(args->dst_device, "dst_device"));
    ASSIGN_OR_RETURN(DeviceMemorySpace* const place,
                     PlaceOf(check, *args->dst_device->client, args->dst_device, nullptr));
    ASSIGN_OR_RETURN(args->dst_buffer, CopyTo(*args->buffer, place));
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->dst_buffer = nullptr;
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    RETURN_IF_ERROR(check.Present(args->dst_memory, "dst_memory"));
    RETURN_IF_ERROR(check.Live(AsOurs(args->dst_memory), "dst_memory"));
    ASSIGN_OR_RETURN(args->dst_buffer, CopyTo(*args->buffer, AsOurs(args->dst_memory)));
    return absl::OkStatus();
  });
}

// The same bytes as another array. The value is copied.
PJRT_Error* Buffer_Bitcast(PJRT_Buffer_Bitcast_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->out_buffer = nullptr;
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    const PJRT_Buffer& buffer = *args->buffer;
    ASSIGN_OR_RETURN(const Shape shape, ShapeOf(check, args->element_type, args->dims, args->num_dims));
    ASSIGN_OR_RETURN(const std::vector<int64_t> order, MinorToMajorOf(check, args->device_layout, shape));
    if (!buffer.is_row_major() || !IsRowMajorOrder(order)) {
      return absl::UnimplementedError(absl::StrCat(check.function(), ": of arrays that are not row-major"));
    }
    if (!buffer.buffer->shape().IsArray() || shape.ByteSize() != buffer.buffer->shape().ByteSize()) {
      return check.Error(absl::StrCat(buffer.buffer->shape().ToString(), " cannot be taken as ", shape.ToString(),
                                      ", which takes ", shape.ByteSize(), " bytes"));
    }
    if (!buffer.buffer->is_live()) return EndedError(buffer);
    const Future<Literal> future =
        ValueAfter(buffer.buffer->ToLiteralAsync(), Event(), [shape](Literal* literal) { literal->ResetShape(shape); });
    DeviceMemorySpace* const place = AsOurs(buffer.memory);
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> made,
                     buffer.client->client->BufferFromFuture(future, shape, *buffer.device->device));
    args->out_buffer = MakeBuffer(std::move(made), place);
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_DonateWithControlDependency(PJRT_Buffer_DonateWithControlDependency_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->out_buffer = nullptr;
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    PJRT_Buffer& buffer = *args->buffer;
    if (!buffer.buffer->is_live()) return EndedError(buffer);
    if (buffer.is_pinned()) return check.Error("the buffer cannot be donated while it has external references");
    auto dependency = std::make_unique<Dependency>();
    const Future<Literal> later =
        ValueAfter(buffer.buffer->ToLiteralAsync(), dependency->is_ready.event(), /*change=*/nullptr);
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> made,
                     buffer.client->client->BufferFromFuture(later, buffer.buffer->shape(), *buffer.device->device));
    args->out_buffer = MakeBuffer(std::move(made), AsOurs(buffer.memory), buffer.minor_to_major);
    buffer.DropUnpinnedReference();
    buffer.buffer->Delete();
    args->callback_data = dependency.release();
    args->dependency_ready_callback = &EndDependency;
    return absl::OkStatus();
  });
}

PJRT_Error* Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->buffer = nullptr;
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    ClientState& client = *args->client->state;
    ASSIGN_OR_RETURN(DeviceMemorySpace* const place, PlaceOf(check, client, args->device, args->memory));
    ASSIGN_OR_RETURN(const Shape shape,
                     ShapeOf(check, args->shape_element_type, args->shape_dims, args->shape_num_dims));
    ASSIGN_OR_RETURN(std::vector<int64_t> order, MinorToMajorOf(check, args->shape_layout, shape));
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, client.client->UninitializedBuffer(shape, *place->device->device));
    args->buffer = MakeBuffer(std::move(buffer), place, std::move(order));
    return absl::OkStatus();
  });
}

PJRT_Error* Client_CreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->buffer = nullptr;
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    ClientState& client = *args->client->state;
    RETURN_IF_ERROR(CheckList(check, args->error_message, args->error_message_size, "error_message"));
    const absl::Status status = StatusOf(args->error_code, args->error_message, args->error_message_size);
    if (status.ok()) return check.Error("error_code is 0, which is no error");
    ASSIGN_OR_RETURN(DeviceMemorySpace* const place, PlaceOf(check, client, nullptr, args->memory));
    ASSIGN_OR_RETURN(const Shape shape,
                     ShapeOf(check, args->shape_element_type, args->shape_dims, args->shape_num_dims));
    ASSIGN_OR_RETURN(std::vector<int64_t> order, MinorToMajorOf(check, args->shape_layout, shape));
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                     client.client->BufferFromFuture(Future<Literal>(status), shape, *place->device->device));
    args->buffer = MakeBuffer(std::move(buffer), place, std::move(order));
    return absl::OkStatus();
  });
}

PJRT_Error* Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->alias_buffer = nullptr;
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    ClientState& client = *args->client->state;
    ASSIGN_OR_RETURN(DeviceMemorySpace* const place, PlaceOf(check, client, nullptr, args->memory));
    ASSIGN_OR_RETURN(const Shape shape,
                     ShapeOf(check, args->shape_element_type, args->shape_dims, args->shape_num_dims));
    ASSIGN_OR_RETURN(std::vector<int64_t> order, MinorToMajorOf(check, args->shape_layout, shape));
    auto promise = std::make_unique<PJRT_FulfillAliasBufferCallback>();
    const Future<Literal> value(promise->source.event(), promise->value);
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                     client.client->BufferFromFuture(value, shape, *place->device->device));
    args->alias_buffer = MakeBuffer(std::move(buffer), place, std::move(order));
    args->fulfill_alias_buffer_cb = promise.release();
    return absl::OkStatus();
  });
}

PJRT_Error* Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    RETURN_IF_ERROR(check.Present(args->fulfill_alias_buffer_cb, "fulfill_alias_buffer_cb"));
    RETURN_IF_ERROR(CheckList(check, args->error_message, args->error_message_size, "error_message"));
    const absl::Status status = StatusOf(args->status_code, args->error_message, args->error_message_size);
    if (status.ok()) {
      RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
      if (!args->buffer->buffer->is_live()) return EndedError(*args->buffer);
    }
    const std::shared_ptr<PJRT_FulfillAliasBufferCallback> promise(args->fulfill_alias_buffer_cb);
    if (!status.ok()) {
      promise->source.Set(status);
      return absl::OkStatus();
    }
    const Future<Literal> value = ValueAfter(args->buffer->buffer->ToLiteralAsync(), Event(),
                                             [promise](Literal* literal) { *promise->value = std::move(*literal); });
    value.event().OnReady([promise](const absl::Status& arrived) { promise->source.Set(arrived); });
    return absl::OkStatus();
  });
}

}  // namespace pjrt
}  // namespace xla
