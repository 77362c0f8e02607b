// Clients, devices, and the queues of devices.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "backends/backend.h"
#include "bindings/c/caller_input.h"
#include "bindings/c/halo.h"
#include "bindings/c/handles.h"
#include "bindings/c/status.h"
#include "bindings/c/struct_size.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

// The names as they were at the first call: what halo_backend_name gives lives for ever.
const std::vector<std::string>& Backends() {
  static const auto& names = *new std::vector<std::string>(BackendNames());
  return names;
}

absl::StatusOr<ClientOptions> ClientOptionsOf(const CallerCheck& check, const halo_client_options* given) {
  halo_client_options read;
  RETURN_IF_ERROR(ReadOptions(check, given, &read));
  ClientOptions options;
  options.device_count = read.device_count;
  options.threads = read.threads;
  options.max_memory_bytes = read.max_memory_bytes;
  options.process_index = read.process_index;
  if (read.process_count != 0) options.process_count = read.process_count;
  ASSIGN_OR_RETURN(options.settings, SettingsOf(check, read.setting_names, read.setting_values, read.setting_count));
  return options;
}

}  // namespace
}  // namespace xla

size_t halo_backend_count(void) { return xla::Backends().size(); }

const char* halo_backend_name(size_t index) {
  return index < xla::Backends().size() ? xla::Backends()[index].c_str() : nullptr;
}

halo_status* halo_client_create(const char* backend, const halo_client_options* options, halo_client** client) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(client, "client"));
    *client = nullptr;
    RETURN_IF_ERROR(check.Present(backend, "backend"));
    ASSIGN_OR_RETURN(const xla::ClientOptions read, xla::ClientOptionsOf(check, options));
    ASSIGN_OR_RETURN(std::shared_ptr<xla::Client> made, xla::GetClient(backend, read));
    *client = new halo_client(std::move(made));
    return absl::OkStatus();
  });
}

void halo_client_free(halo_client* client) {
  if (client != nullptr && client->has_tag()) delete client;
}

const char* halo_client_platform_name(const halo_client* client) {
  return xla::Ask(client, "", [](const halo_client& handle) { return handle.client->platform_name().c_str(); });
}

const char* halo_client_platform_version(const halo_client* client) {
  return xla::Ask(client, "", [](const halo_client& handle) { return handle.client->platform_version().c_str(); });
}

size_t halo_client_device_count(const halo_client* client) {
  return xla::Ask(client, size_t{0},
                  [](const halo_client& handle) { return handle.client->addressable_devices().size(); });
}

halo_device* halo_client_device(const halo_client* client, size_t index) {
  if (index >= halo_client_device_count(client)) return nullptr;
  return xla::WrapDevice(client->client->addressable_devices()[index]);
}

int64_t halo_device_id(const halo_device* device) { return device == nullptr ? -1 : xla::UnwrapDevice(device)->id(); }

const char* halo_device_kind(const halo_device* device) {
  return device == nullptr ? "" : xla::KeptText([&] { return xla::UnwrapDevice(device)->kind(); });
}

const char* halo_device_description(const halo_device* device) {
  return device == nullptr ? "" : xla::KeptText([&] { return xla::UnwrapDevice(device)->description(); });
}

halo_status* halo_device_get_memory(const halo_device* device, halo_device_memory* memory) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(device, "device"));
    const xla::DeviceMemory now = xla::UnwrapDevice(device)->memory();
    halo_device_memory values = HALO_DEVICE_MEMORY_INIT;
    values.bytes_in_use = now.bytes_in_use;
    values.peak_bytes_in_use = now.peak_bytes_in_use;
    values.bytes_limit = now.bytes_limit;
    return xla::WriteValues(check, values, memory, "memory");
  });
}

halo_status* halo_device_infeed(halo_device* device, const halo_buffer* value) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(device, "device"));
    RETURN_IF_ERROR(check.Live(value, "value"));
    ASSIGN_OR_RETURN(xla::Literal literal, value->buffer->ToLiteral());
    return xla::UnwrapDevice(device)->TransferToInfeed(std::move(literal));
  });
}

halo_status* halo_device_outfeed(halo_device* device, const char* shape, double timeout_seconds,
                                 const halo_cancellation* cancellation, halo_buffer** value) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(value, "value"));
    *value = nullptr;
    RETURN_IF_ERROR(check.Present(device, "device"));
    RETURN_IF_ERROR(check.Present(shape, "shape"));
    ASSIGN_OR_RETURN(const xla::Shape parsed, xla::ParseShapeText(shape));
    xla::TransferOptions options;
    ASSIGN_OR_RETURN(options.deadline, xla::DeadlineAfter(check, timeout_seconds));
    if (cancellation != nullptr) {
      RETURN_IF_ERROR(check.Live(cancellation, "cancellation"));
      options.cancellation = cancellation->cancellation;
    }
    xla::Device& place = *xla::UnwrapDevice(device);
    ASSIGN_OR_RETURN(xla::Literal literal, place.TransferFromOutfeed(parsed, options));
    ASSIGN_OR_RETURN(auto buffer, place.client().BufferFromLiteral(std::move(literal), place));
    *value = new halo_buffer(std::move(buffer));
    return absl::OkStatus();
  });
}
