// Buffers from the host's memory, and to it.
#include <cstring>
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

// As XLA's CPU client: memory that is aligned less is copied, so that the client may change it sooner.
constexpr uintptr_t kBorrowAlignment = 64;

absl::StatusOr<HostMemoryUse> UseOf(const CallerCheck& check, PJRT_HostBufferSemantics semantics, const void* data) {
  const bool is_aligned = reinterpret_cast<uintptr_t>(data) % kBorrowAlignment == 0;
  switch (semantics) {
    case PJRT_HostBufferSemantics_kImmutableOnlyDuringCall:
      return HostMemoryUse::kCopyNow;
    case PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes:
      return HostMemoryUse::kCopyLater;
    case PJRT_HostBufferSemantics_kImmutableZeroCopy:
      return is_aligned ? HostMemoryUse::kBorrow : HostMemoryUse::kCopyNow;
    case PJRT_HostBufferSemantics_kMutableZeroCopy:
      return is_aligned ? HostMemoryUse::kBorrowMutable : HostMemoryUse::kCopyNow;
  }
  return check.Error(absl::StrCat("host_buffer_semantics is ", static_cast<int>(semantics), ", expected 0 to 3"));
}

// The strides of the caller; nothing if the array is dense and row-major.
absl::StatusOr<absl::Span<const int64_t>> StridesOf(const CallerCheck& check,
                                                    const PJRT_Client_BufferFromHostBuffer_Args& args) {
  if (args.byte_strides == nullptr || args.num_byte_strides == 0) return absl::Span<const int64_t>();
  if (args.num_byte_strides != args.num_dims) {
    return check.Error(
        absl::StrCat("num_byte_strides is ", args.num_byte_strides, ", the array has ", args.num_dims, " dimensions"));
  }
  return absl::MakeConstSpan(args.byte_strides, args.num_byte_strides);
}

// The part of a value that a copy of bytes asks for.
absl::Status CheckRange(const CallerCheck& check, const Shape& shape, int64_t offset, int64_t size) {
  const int64_t all = shape.ByteSize();
  if (offset >= 0 && size >= 0 && offset <= all && size <= all - offset) return absl::OkStatus();
  return check.Error(absl::StrCat("offset ", offset, " and transfer_size ", size, " do not lie in the ", all,
                                  " bytes of ", shape.ToString()));
}

// Copies bytes of the value, as it lies on the device, when it is there. `destination` is told in time.
absl::StatusOr<Event> CopyBytes(const PJRT_Buffer& buffer, int64_t offset, int64_t size,
                                std::shared_ptr<void* const> destination, const Event& may_begin) {
  if (!buffer.buffer->is_live()) return EndedError(buffer);
  const Future<Literal> value = buffer.buffer->ToLiteralAsync();
  auto source = std::make_shared<EventSource>();
  const Event both[] = {value.event(), may_begin};
  const Event event = source->event();
  AllOf(both).OnReady([=, shape = buffer.buffer->shape(), order = buffer.minor_to_major](const absl::Status& status) {
    if (!status.ok() || size == 0) return source->Set(status);
    absl::StatusOr<Literal> literal = value.Await();
    if (!literal.ok()) return source->Set(literal.status());
    if (IsRowMajorOrder(order)) {
      std::memcpy(*destination, literal->data<char>() + offset, static_cast<size_t>(size));
      return source->Set(absl::OkStatus());
    }
    std::vector<char> in_order(static_cast<size_t>(shape.ByteSize()));
    CopyInOrder(shape, literal->untyped_data(), order, in_order.data());
    std::memcpy(*destination, in_order.data() + offset, static_cast<size_t>(size));
    source->Set(absl::OkStatus());
  });
  return event;
}

// The value in another order than row-major.
absl::StatusOr<Event> CopyOutInOrder(const PJRT_Buffer& buffer, std::vector<int64_t> order, void* destination) {
  const Future<Literal> value = buffer.buffer->ToLiteralAsync();
  auto source = std::make_shared<EventSource>();
  const Event event = source->event();
  value.event().OnReady([=, shape = buffer.buffer->shape()](const absl::Status& status) {
    if (!status.ok()) return source->Set(status);
    const absl::StatusOr<Literal> literal = value.Await();
    if (literal.ok()) CopyInOrder(shape, literal->untyped_data(), order, destination);
    source->Set(literal.status());
  });
  return event;
}

// Of PJRT_Buffer_CopyRawToHostFuture: the destination comes later.
struct LateDestination {
  std::shared_ptr<void*> destination = std::make_shared<void*>(nullptr);
  EventSource is_there;
};

void TakeDestination(PJRT_Buffer_CopyRawToHostFuture_Callback_Args* args) {
  const std::unique_ptr<LateDestination> late(static_cast<LateDestination*>(args->callback_data));
  *late->destination = args->dst;
  absl::Status status = StatusOf(args->error_code, args->error_message, args->error_message_size);
  if (status.ok() && args->dst == nullptr) status = absl::InvalidArgumentError("the destination is NULL");
  late->is_there.Set(std::move(status));
}

}  // namespace

PJRT_Error* Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->buffer = nullptr;
    args->done_with_host_buffer = nullptr;
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    ClientState& client = *args->client->state;
    ASSIGN_OR_RETURN(DeviceMemorySpace* const place, PlaceOf(check, client, args->device, args->memory));
    ASSIGN_OR_RETURN(const Shape shape, ShapeOf(check, args->type, args->dims, args->num_dims));
    ASSIGN_OR_RETURN(std::vector<int64_t> order, MinorToMajorOf(check, args->device_layout, shape));
    ASSIGN_OR_RETURN(const absl::Span<const int64_t> strides, StridesOf(check, *args));
    ASSIGN_OR_RETURN(const HostMemoryUse use, UseOf(check, args->host_buffer_semantics, args->data));
    auto released = std::make_shared<EventSource>();
    auto done = std::make_unique<PJRT_Event>(released->event());
    ASSIGN_OR_RETURN(
        std::unique_ptr<Buffer> buffer,
        client.client->BufferFromHost(
            args->data, shape, strides, use, [released] { released->Set(absl::OkStatus()); }, *place->device->device));
    args->buffer = MakeBuffer(std::move(buffer), place, std::move(order));
    args->done_with_host_buffer = done.release();
    return absl::OkStatus();
  });
}

// The memory of another library, which it takes back when the value ends.
PJRT_Error* Client_CreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->buffer = nullptr;
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    ClientState& client = *args->client->state;
    PJRT_Memory* const memory = HasField(*args, args->memory) ? args->memory : nullptr;
    ASSIGN_OR_RETURN(DeviceMemorySpace* const place, PlaceOf(check, client, args->device, memory));
    ASSIGN_OR_RETURN(const Shape shape, ShapeOf(check, args->element_type, args->dims, args->num_dims));
    ASSIGN_OR_RETURN(const std::vector<int64_t> order, MinorToMajorOf(check, args->layout, shape));
    if (!IsRowMajorOrder(order)) {
      return absl::UnimplementedError(absl::StrCat(check.function(), ": memory of others must be row-major"));
    }
    std::function<void()> release;
    if (args->on_delete_callback != nullptr) {
      release = [callback = args->on_delete_callback, memory = args->device_buffer_ptr,
                 arg = args->on_delete_callback_arg] { callback(memory, arg); };
    }
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                     client.client->BufferFromHost(args->device_buffer_ptr, shape, {}, HostMemoryUse::kBorrow,
                                                   std::move(release), *place->device->device));
    args->buffer = MakeBuffer(std::move(buffer), place);
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->src, "src"));
    const PJRT_Buffer& buffer = *args->src;
    const Shape& shape = buffer.buffer->shape();
    if (!shape.IsArray()) return check.Error(absl::StrCat(shape.ToString(), " is not an array"));
    ASSIGN_OR_RETURN(std::vector<int64_t> order, MinorToMajorOf(check, args->host_layout, shape));
    const size_t size = static_cast<size_t>(shape.ByteSize());
    if (args->dst == nullptr) {
      args->dst_size = size;
      if (size > 0) return absl::OkStatus();
    }
    if (args->dst_size < size) {
      return check.Error(absl::StrCat("dst_size is ", args->dst_size, ", ", shape.ToString(), " takes ", size));
    }
    if (!buffer.buffer->is_live()) return EndedError(buffer);
    Event copied;
    if (IsRowMajorOrder(order)) {
      copied = buffer.buffer->CopyToHostAsync(args->dst, static_cast<int64_t>(size));
    } else {
      ASSIGN_OR_RETURN(copied, CopyOutInOrder(buffer, std::move(order), args->dst));
    }
    args->event = new PJRT_Event(WithPlaces(copied, buffer.origin));
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    RETURN_IF_ERROR(CheckRange(check, args->buffer->buffer->shape(), args->offset, args->transfer_size));
    if (args->transfer_size > 0) RETURN_IF_ERROR(check.Present(args->dst, "dst"));
    ASSIGN_OR_RETURN(Event copied, CopyBytes(*args->buffer, args->offset, args->transfer_size,
                                             std::make_shared<void* const>(args->dst), Event()));
    args->event = new PJRT_Event(std::move(copied));
    return absl::OkStatus();
  });
}

PJRT_Error* Buffer_CopyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    RETURN_IF_ERROR(CheckRange(check, args->buffer->buffer->shape(), args->offset, args->transfer_size));
    auto late = std::make_unique<LateDestination>();
    ASSIGN_OR_RETURN(Event copied, CopyBytes(*args->buffer, args->offset, args->transfer_size, late->destination,
                                             late->is_there.event()));
    args->event = new PJRT_Event(std::move(copied));
    args->callback_data = late.release();
    args->future_ready_callback = &TakeDestination;
    return absl::OkStatus();
  });
}

}  // namespace pjrt
}  // namespace xla
