// Memory of a device, given to other programs and libraries that use the device: as a file descriptor.
//
//   ASSIGN_OR_RETURN(const auto reference, buffer->AcquireExternalReference());
//   const auto* const memory = dynamic_cast<const ExportsMemory*>(reference.get());
//   if (memory != nullptr) ASSIGN_OR_RETURN(const ExportedMemory exported, memory->Export());
#ifndef BACKENDS_EXPORTED_MEMORY_H_
#define BACKENDS_EXPORTED_MEMORY_H_

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"

namespace xla {

// An allocation with an array in it. Who imports it into Vulkan says its size and type of memory again, on a device
// with these UUIDs, and makes a buffer over all of it (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT).
struct ExportedMemory {
  int file_descriptor = -1;  // the caller's, who closes or imports it
  uint64_t allocation_bytes = 0;
  uint32_t memory_type = 0;
  uint64_t offset = 0;  // of the array, which is dense and row-major
  uint64_t bytes = 0;
  std::array<uint8_t, 16> device_uuid = {};
  std::array<uint8_t, 16> driver_uuid = {};
};

// An ExternalReference is one too, if there are devices whose memory can be given away.
class ExportsMemory {
 public:
  virtual ~ExportsMemory() = default;
  // The memory must not be written to. It is the array's as long as the reference lives. Unimplemented: it is the
  // host's. FailedPrecondition: the client was not made for that.
  virtual absl::StatusOr<ExportedMemory> Export() const = 0;
};

}  // namespace xla

#endif  // BACKENDS_EXPORTED_MEMORY_H_
