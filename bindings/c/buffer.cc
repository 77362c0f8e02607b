// Buffers: making them, asking them, copying out.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "bindings/c/caller_array.h"
#include "bindings/c/caller_input.h"
#include "bindings/c/halo.h"
#include "bindings/c/handles.h"
#include "bindings/c/status.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

// Calls a release function of the caller once, when it is destroyed.
std::shared_ptr<void> CallAtEnd(void (*release)(void*), void* user) {
  if (release == nullptr) return nullptr;
  return std::shared_ptr<void>(nullptr, [release, user](void*) { release(user); });
}

absl::Status GiveBuffer(Literal literal, Client& client, Device& device, halo_buffer** out) {
  ASSIGN_OR_RETURN(std::unique_ptr<Buffer> made, client.BufferFromLiteral(std::move(literal), device));
  *out = new halo_buffer(std::move(made));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Buffer>> BufferFromArray(const CallerCheck& check, Client& client, halo_device* device,
                                                        const halo_array* array, halo_memory_use use,
                                                        std::shared_ptr<void> owner) {
  RETURN_IF_ERROR(check.Present(array, "array"));
  ASSIGN_OR_RETURN(Device* const place, DeviceOf(check, client, device));
  ASSIGN_OR_RETURN(const Shape shape, CheckCallerArray(*array));
  ASSIGN_OR_RETURN(const HostMemoryUse memory_use, MemoryUseOf(use));
  return client.BufferFromHost(
      array->data, shape, StridesOf(*array), memory_use, [owner]() mutable { owner.reset(); }, *place);
}

// With the layouts that tell dimensions from values when the text is read again.
void AddLayouts(Literal& value) {
  Shape shape = value.shape();
  shape.SetMissingLayoutsToDefault();
  value.ResetShape(std::move(shape));
  for (int i = 0; i < value.tuple_size(); ++i) AddLayouts(value.mutable_element(i));
}

// Destinations without memory would be written to later.
absl::Status CheckDestination(const CallerCheck& check, const halo_buffer* buffer, const void* destination,
                              size_t byte_size) {
  RETURN_IF_ERROR(check.Live(buffer, "buffer"));
  if (byte_size > 0) RETURN_IF_ERROR(check.Present(destination, "destination"));
  const Shape& shape = buffer->buffer->shape();
  if (!shape.IsArray()) {
    return check.Error(absl::StrCat("the buffer has shape ", shape.ToString(),
                                    ", and only an array can be copied to memory; see halo_buffer_tuple_element"));
  }
  if (byte_size == static_cast<size_t>(shape.ByteSize())) return absl::OkStatus();
  return check.Error(
      absl::StrCat("byte_size is ", byte_size, ", expected ", shape.ByteSize(), " for ", shape.ToString()));
}

}  // namespace
}  // namespace xla

halo_status* halo_buffer_from_host(halo_client* client, halo_device* device, const halo_array* array,
                                   halo_memory_use use, void (*release)(void* user), void* user, halo_buffer** buffer) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    std::shared_ptr<void> owner = xla::CallAtEnd(release, user);
    RETURN_IF_ERROR(check.Present(buffer, "buffer"));
    *buffer = nullptr;
    RETURN_IF_ERROR(check.Live(client, "client"));
    auto made = xla::BufferFromArray(check, *client->client, device, array, use, std::move(owner));
    if (!made.ok()) return made.status();
    *buffer = new halo_buffer(*std::move(made));
    return absl::OkStatus();
  });
}

halo_status* halo_buffer_from_text(halo_client* client, halo_device* device, const char* text, halo_buffer** buffer) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(buffer, "buffer"));
    *buffer = nullptr;
    RETURN_IF_ERROR(check.Live(client, "client"));
    RETURN_IF_ERROR(check.Present(text, "text"));
    ASSIGN_OR_RETURN(xla::Device* const place, xla::DeviceOf(check, *client->client, device));
    ASSIGN_OR_RETURN(xla::Literal literal, xla::ParseLiteralText(text));
    return xla::GiveBuffer(std::move(literal), *client->client, *place, buffer);
  });
}

halo_status* halo_buffer_from_tuple(halo_client* client, halo_device* device, const halo_buffer* const* elements,
                                    size_t element_count, halo_buffer** buffer) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(buffer, "buffer"));
    *buffer = nullptr;
    RETURN_IF_ERROR(check.Live(client, "client"));
    if (element_count > 0) RETURN_IF_ERROR(check.Present(elements, "elements"));
    ASSIGN_OR_RETURN(xla::Device* const place, xla::DeviceOf(check, *client->client, device));
    std::vector<xla::Literal> values;
    for (size_t i = 0; i < element_count; ++i) {
      RETURN_IF_ERROR(check.Live(elements[i], absl::StrCat("elements[", i, "]")));
      ASSIGN_OR_RETURN(xla::Literal value, elements[i]->buffer->ToLiteral());
      values.push_back(std::move(value));
    }
    return xla::GiveBuffer(xla::Literal::Tuple(std::move(values)), *client->client, *place, buffer);
  });
}

void halo_buffer_free(halo_buffer* buffer) {
  if (buffer != nullptr && buffer->has_tag()) delete buffer;
}

const halo_shape* halo_buffer_shape(const halo_buffer* buffer) {
  return xla::Ask(buffer, static_cast<const halo_shape*>(nullptr),
                  [](const halo_buffer& handle) { return xla::WrapShape(&handle.buffer->shape()); });
}

halo_device* halo_buffer_device(const halo_buffer* buffer) {
  return xla::Ask(buffer, static_cast<halo_device*>(nullptr),
                  [](const halo_buffer& handle) { return xla::WrapDevice(&handle.buffer->device()); });
}

size_t halo_buffer_size_on_device(const halo_buffer* buffer) {
  return xla::Ask(buffer, size_t{0}, [](const halo_buffer& handle) { return handle.buffer->size_bytes(); });
}

int halo_buffer_is_live(const halo_buffer* buffer) {
  return xla::Ask(buffer, 0, [](const halo_buffer& handle) { return handle.buffer->is_live(); });
}

halo_status* halo_buffer_ready(const halo_buffer* buffer, halo_event** event) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(event, "event"));
    *event = nullptr;
    RETURN_IF_ERROR(check.Live(buffer, "buffer"));
    *event = new halo_event(buffer->buffer->ready());
    return absl::OkStatus();
  });
}

halo_status* halo_buffer_to_host(const halo_buffer* buffer, void* destination, size_t byte_size) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(xla::CheckDestination(check, buffer, destination, byte_size));
    return buffer->buffer->CopyToHost(destination, byte_size);
  });
}

halo_status* halo_buffer_to_host_async(const halo_buffer* buffer, void* destination, size_t byte_size,
                                       halo_event** done) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(done, "done"));
    *done = nullptr;
    RETURN_IF_ERROR(xla::CheckDestination(check, buffer, destination, byte_size));
    *done = new halo_event(buffer->buffer->CopyToHostAsync(destination, byte_size));
    return absl::OkStatus();
  });
}

halo_status* halo_buffer_dynamic_dimensions(const halo_buffer* buffer, int64_t* dimensions, size_t rank) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(buffer, "buffer"));
    const xla::Shape& shape = buffer->buffer->shape();
    if (!shape.IsArray() || rank != static_cast<size_t>(shape.rank())) {
      return check.Error(absl::StrCat("rank is ", rank, ", and the buffer has shape ", shape.ToString()));
    }
    if (rank > 0) RETURN_IF_ERROR(check.Present(dimensions, "dimensions"));
    ASSIGN_OR_RETURN(const xla::Literal value, buffer->buffer->ToLiteral());
    for (int i = 0; i < shape.rank(); ++i) dimensions[i] = value.dynamic_size(i);
    return absl::OkStatus();
  });
}

halo_status* halo_buffer_to_text(const halo_buffer* buffer, char** text) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(text, "text"));
    *text = nullptr;
    RETURN_IF_ERROR(check.Live(buffer, "buffer"));
    ASSIGN_OR_RETURN(xla::Literal value, buffer->buffer->ToLiteral());
    xla::AddLayouts(value);
    return xla::GiveText(xla::LiteralToString(value), text, nullptr);
  });
}

halo_status* halo_buffer_copy_to_device(const halo_buffer* buffer, halo_device* device, halo_buffer** copy) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(copy, "copy"));
    *copy = nullptr;
    RETURN_IF_ERROR(check.Live(buffer, "buffer"));
    RETURN_IF_ERROR(check.Present(device, "device"));
    ASSIGN_OR_RETURN(xla::Device* const place, xla::DeviceOf(check, buffer->buffer->device().client(), device));
    ASSIGN_OR_RETURN(std::unique_ptr<xla::Buffer> made, buffer->buffer->CopyToDevice(*place));
    *copy = new halo_buffer(std::move(made));
    return absl::OkStatus();
  });
}

halo_status* halo_buffer_tuple_element(const halo_buffer* buffer, size_t index, halo_buffer** element) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(element, "element"));
    *element = nullptr;
    RETURN_IF_ERROR(check.Live(buffer, "buffer"));
    const xla::Shape& shape = buffer->buffer->shape();
    if (!shape.IsTuple() || index >= static_cast<size_t>(shape.tuple_size())) {
      return check.Error(absl::StrCat("there is no element ", index, " in a buffer of shape ", shape.ToString()));
    }
    ASSIGN_OR_RETURN(const xla::Literal value, buffer->buffer->ToLiteral());
    xla::Device& place = buffer->buffer->device();
    return xla::GiveBuffer(value.element(static_cast<int>(index)), place.client(), place, element);
  });
}
