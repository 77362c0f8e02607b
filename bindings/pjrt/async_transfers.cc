// Transfers to the device in parts: the client makes a manager for several buffers, and gives each its bytes bit by
// bit.
//
// A buffer is there before its value. Bytes are copied during the call that gives them; the value is complete once the
// part that the client marks as the last one, and all calls that began before, have ended.
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bindings/pjrt/buffer_support.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {

// One buffer of a manager.
struct TransferTarget {
  Shape shape;
  std::unique_ptr<PJRT_Buffer> buffer;  // until the client takes it
  std::shared_ptr<Literal> value;
  char* bytes = nullptr;  // of the value
  EventSource source;
  int writing = 0;  // calls that copy now
  bool has_last = false;
  bool is_set = false;
};

namespace {

// What is not a value in a byte (a pred other than 0 and 1, unused bits) becomes one.
void MakeValues(const Shape& shape, char* bytes) {
  const PrimitiveType type = shape.element_type();
  if (type != PRED && !IsSubByte(type)) return;
  const int64_t size = shape.ByteSize();
  for (int64_t i = 0; i < size; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    if (type == PRED) {
      bytes[i] = byte != 0;
      continue;
    }
    const int unused = 8 - BitWidth(type);
    const auto high = static_cast<uint8_t>(byte << unused);
    bytes[i] =
        IsSignedInt(type) ? static_cast<char>(static_cast<int8_t>(high) >> unused) : static_cast<char>(high >> unused);
  }
}

}  // namespace
}  // namespace pjrt
}  // namespace xla

struct PJRT_AsyncHostToDeviceTransferManager : xla::TaggedHandle<0x706a746d> {
  static constexpr const char* kKind = "PJRT_AsyncHostToDeviceTransferManager";
  std::shared_ptr<xla::pjrt::ClientState> client;
  PJRT_Device* device = nullptr;
  std::mutex mutex;
  std::vector<xla::pjrt::TransferTarget> targets;  // `writing` to `buffer` with mutex held
};

namespace xla {
namespace pjrt {
namespace {

using Manager = PJRT_AsyncHostToDeviceTransferManager;

absl::Status CheckTarget(const CallerCheck& check, const Manager* manager, int index) {
  RETURN_IF_ERROR(check.Live(manager, "transfer_manager"));
  if (index >= 0 && static_cast<size_t>(index) < manager->targets.size()) return absl::OkStatus();
  return check.Error(
      absl::StrCat("buffer_index is ", index, ", the manager has ", manager->targets.size(), " buffers"));
}

absl::Status AddTarget(const CallerCheck& check, const PJRT_ShapeSpec& spec, const PJRT_Buffer_MemoryLayout* layout,
                       DeviceMemorySpace* place, Manager* manager) {
  RETURN_IF_ERROR(CheckArgs(check, &spec, offsetof(PJRT_ShapeSpec, element_type) + sizeof(spec.element_type)));
  TransferTarget target;
  ASSIGN_OR_RETURN(target.shape, ShapeOf(check, spec.element_type, spec.dims, spec.num_dims));
  ASSIGN_OR_RETURN(const std::vector<int64_t> order, MinorToMajorOf(check, layout, target.shape));
  if (!IsRowMajorOrder(order)) {
    return absl::UnimplementedError(absl::StrCat(check.function(), ": buffers that are not row-major"));
  }
  ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(target.shape));
  RETURN_IF_ERROR(literal.MakeWritable(nullptr));
  target.value = std::make_shared<Literal>(std::move(literal));
  target.bytes = static_cast<char*>(target.value->untyped_mutable_data());
  ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                   manager->client->client->BufferFromFuture(Future<Literal>(target.source.event(), target.value),
                                                             target.shape, *place->device->device));
  target.buffer.reset(MakeBuffer(std::move(buffer), place));
  manager->targets.push_back(std::move(target));
  return absl::OkStatus();
}

// Copies `size` bytes into the value; afterwards, if all of it is there, the buffer is ready.
absl::Status Write(const CallerCheck& check, Manager& manager, int index, const void* data, int64_t offset,
                   int64_t size, bool is_last) {
  TransferTarget& target = manager.targets[index];
  const int64_t all = target.shape.ByteSize();
  if (offset < 0 || size < 0 || offset > all || size > all - offset) {
    return check.Error(absl::StrCat("offset ", offset, " and transfer_size ", size, " do not lie in the ", all,
                                    " bytes of ", target.shape.ToString()));
  }
  if (size > 0) RETURN_IF_ERROR(check.Present(data, "data"));
  {
    std::lock_guard<std::mutex> lock(manager.mutex);
    if (target.has_last || target.is_set) return check.Error("the last part of the buffer was given before");
    target.has_last = is_last;
    ++target.writing;
  }
  if (size > 0) std::memcpy(target.bytes + offset, data, static_cast<size_t>(size));
  {
    std::lock_guard<std::mutex> lock(manager.mutex);
    --target.writing;
    if (!target.has_last || target.writing > 0 || target.is_set) return absl::OkStatus();
    target.is_set = true;
  }
  MakeValues(target.shape, target.bytes);
  target.source.Set(absl::OkStatus());
  return absl::OkStatus();
}

}  // namespace

PJRT_Error* Client_CreateBuffersForAsyncHostToDevice(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    args->transfer_manager = nullptr;
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    RETURN_IF_ERROR(CheckList(check, args->shape_specs, args->num_shape_specs, "shape_specs"));
    if (args->num_device_layouts != 0 && args->num_device_layouts != args->num_shape_specs) {
      return check.Error(absl::StrCat("num_device_layouts is ", args->num_device_layouts, ", num_shape_specs is ",
                                      args->num_shape_specs));
    }
    RETURN_IF_ERROR(CheckList(check, args->device_layouts, args->num_device_layouts, "device_layouts"));
    ASSIGN_OR_RETURN(DeviceMemorySpace* const place, PlaceOf(check, *args->client->state, nullptr, args->memory));
    auto manager = std::make_unique<Manager>();
    manager->client = args->client->state;
    manager->device = place->device;
    manager->targets.reserve(args->num_shape_specs);
    for (size_t i = 0; i < args->num_shape_specs; ++i) {
      const PJRT_Buffer_MemoryLayout* const layout = args->num_device_layouts == 0 ? nullptr : args->device_layouts[i];
      RETURN_IF_ERROR(AddTarget(check, args->shape_specs[i], layout, place, manager.get()));
    }
    args->transfer_manager = manager.release();
    return absl::OkStatus();
  });
}

// Buffers without a last part never get a value: they fail.
PJRT_Error* AsyncHostToDeviceTransferManager_Destroy(PJRT_AsyncHostToDeviceTransferManager_Destroy_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    if (args->transfer_manager == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(check.Live(args->transfer_manager, "transfer_manager"));
    delete args->transfer_manager;
    return absl::OkStatus();
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_TransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckTarget(check, args->transfer_manager, args->buffer_index));
    auto done = std::make_unique<PJRT_Event>(Event());
    RETURN_IF_ERROR(Write(check, *args->transfer_manager, args->buffer_index, args->data, args->offset,
                          args->transfer_size, args->is_last_transfer));
    args->done_with_h2d_transfer = done.release();
    return absl::OkStatus();
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_TransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckTarget(check, args->transfer_manager, args->buffer_index));
    const Shape& wanted = args->transfer_manager->targets[args->buffer_index].shape;
    ASSIGN_OR_RETURN(const Shape shape,
                     ShapeOf(check, args->shape_element_type, args->shape_dims, args->shape_num_dims));
    if (!shape.Compatible(wanted)) {
      return check.Error(absl::StrCat("the literal has shape ", shape.ToString(), ", the buffer ", wanted.ToString()));
    }
    ASSIGN_OR_RETURN(const std::vector<int64_t> order, MinorToMajorOf(check, args->shape_layout, shape));
    if (!IsRowMajorOrder(order)) {
      return absl::UnimplementedError(absl::StrCat(check.function(), ": literals that are not row-major"));
    }
    auto done = std::make_unique<PJRT_Event>(Event());
    RETURN_IF_ERROR(Write(check, *args->transfer_manager, args->buffer_index, args->data, 0, shape.ByteSize(),
                          /*is_last=*/true));
    args->done_with_h2d_transfer = done.release();
    return absl::OkStatus();
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_RetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckTarget(check, args->transfer_manager, args->buffer_index));
    std::lock_guard<std::mutex> lock(args->transfer_manager->mutex);
    std::unique_ptr<PJRT_Buffer>& buffer = args->transfer_manager->targets[args->buffer_index].buffer;
    if (buffer == nullptr) return check.Error(absl::StrCat("buffer ", args->buffer_index, " was retrieved before"));
    args->buffer_out = buffer.release();
    return absl::OkStatus();
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_Device(PJRT_AsyncHostToDeviceTransferManager_Device_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->transfer_manager, "transfer_manager"));
    args->device_out = args->transfer_manager->device;
    return absl::OkStatus();
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_BufferCount(PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->transfer_manager, "transfer_manager"));
    args->buffer_count = args->transfer_manager->targets.size();
    return absl::OkStatus();
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_BufferSize(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckTarget(check, args->transfer_manager, args->buffer_index));
    args->buffer_size = static_cast<size_t>(args->transfer_manager->targets[args->buffer_index].shape.ByteSize());
    return absl::OkStatus();
  });
}

PJRT_Error* AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckTarget(check, args->transfer_manager, args->buffer_index));
    RETURN_IF_ERROR(CheckList(check, args->error_message, args->error_message_size, "error_message"));
    const absl::Status status = StatusOf(args->error_code, args->error_message, args->error_message_size);
    if (status.ok()) return check.Error("error_code is 0, which is no error");
    TransferTarget& target = args->transfer_manager->targets[args->buffer_index];
    {
      std::lock_guard<std::mutex> lock(args->transfer_manager->mutex);
      if (target.is_set) return check.Error("the buffer has its value or its error");
      target.is_set = true;
    }
    target.source.Set(status);
    return absl::OkStatus();
  });
}

// Metadata is for tools that watch transfers, of which there are none.
PJRT_Error* AsyncHostToDeviceTransferManager_AddMetadata(PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->transfer_manager, "transfer_manager"));
    return CheckList(check, args->transfer_metadata, args->num_metadata, "transfer_metadata");
  });
}

}  // namespace pjrt
}  // namespace xla
