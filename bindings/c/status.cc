#include "bindings/c/status.h"

#include <cstdlib>
#include <cstring>
#include <string>

struct halo_status {
  halo_code code;
  std::string message;
};

namespace xla {
namespace {

// What MakeStatus gives when there is no memory for a status. Never destroyed.
halo_status& OutOfMemory() {
  static auto& status = *new halo_status{HALO_RESOURCE_EXHAUSTED, "out of memory"};
  return status;
}
// Made while there is memory.
halo_status* const kOutOfMemory = &OutOfMemory();

}  // namespace

halo_status* MakeStatus(const absl::Status& status) noexcept {
  if (status.ok()) return nullptr;
  try {
    return new halo_status{static_cast<halo_code>(status.code()), std::string(status.message())};
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  }
}

absl::Status GiveText(absl::string_view text, char** out, size_t* size) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return absl::ResourceExhaustedError("out of memory");
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  *out = copy;
  if (size != nullptr) *size = text.size();
  return absl::OkStatus();
}

}  // namespace xla

halo_code halo_status_code(const halo_status* status) { return status == nullptr ? HALO_OK : status->code; }

const char* halo_status_message(const halo_status* status) { return status == nullptr ? "" : status->message.c_str(); }

void halo_status_free(halo_status* status) {
  if (status != xla::kOutOfMemory) delete status;
}

void halo_free(void* memory) { std::free(memory); }
