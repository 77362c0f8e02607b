// What is behind the handles of halo.h.
//
// Each begins with a tag of its kind, so that a handle of another kind, or one that was freed a moment ago, is an error
// instead of a crash. Shapes and devices are Halo's own objects, without a struct here: halo_shape is a Shape, and
// halo_device a Device.
#ifndef BINDINGS_C_HANDLES_H_
#define BINDINGS_C_HANDLES_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "bindings/c/halo.h"
#include "bindings/core/tagged_handle.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

inline const halo_shape* WrapShape(const Shape* shape) { return reinterpret_cast<const halo_shape*>(shape); }
inline const Shape* UnwrapShape(const halo_shape* shape) { return reinterpret_cast<const Shape*>(shape); }
inline halo_device* WrapDevice(Device* device) { return reinterpret_cast<halo_device*>(device); }
inline Device* UnwrapDevice(halo_device* device) { return reinterpret_cast<Device*>(device); }
inline const Device* UnwrapDevice(const halo_device* device) { return reinterpret_cast<const Device*>(device); }

// The results of a program as halo.h counts them: the elements of a tuple, or the one value that is not a tuple.
inline size_t ResultCount(const Shape& result) { return result.IsTuple() ? result.tuple_size() : 1; }
// nullptr after the last.
inline const Shape* ResultShape(const Shape& result, size_t index) {
  if (index >= ResultCount(result)) return nullptr;
  return result.IsTuple() ? &result.tuple_shape(static_cast<int>(index)) : &result;
}

}  // namespace xla

// A module, the format that it was read from and the warnings of the reader. Executables share `module`, so the
// handle may be freed before them.
struct halo_module : xla::TaggedHandle<0x68616d6f> {
  static constexpr const char* kKind = "halo_module";
  std::shared_ptr<const xla::HloModule> module;
  std::string format;
  std::vector<std::string> warnings;
  // Of the entry; nullptr where an unverified module lacks one.
  std::vector<const xla::HloInstruction*> parameters;
};

// Executables and buffers share the client, so a handle may be freed before them.
struct halo_client : xla::TaggedHandle<0x6861636c> {
  static constexpr const char* kKind = "halo_client";
  explicit halo_client(std::shared_ptr<xla::Client> made) : client(std::move(made)) {}
  const std::shared_ptr<xla::Client> client;
};

// Owns one array on a device. Freeing it while an execution reads it is allowed: the execution shares the memory.
struct halo_buffer : xla::TaggedHandle<0x68616275> {
  static constexpr const char* kKind = "halo_buffer";
  explicit halo_buffer(std::unique_ptr<xla::Buffer> made) : buffer(std::move(made)) {}
  const std::unique_ptr<xla::Buffer> buffer;
};

// Owns a compiled program. The fingerprint is kept here so that halo.h can return a pointer that stays valid as long
// as the handle.
struct halo_executable : xla::TaggedHandle<0x68616578> {
  static constexpr const char* kKind = "halo_executable";
  explicit halo_executable(std::unique_ptr<xla::Executable> made) : executable(std::move(made)) {}
  const std::unique_ptr<xla::Executable> executable;
  // Made when it is first asked for.
  mutable std::once_flag fingerprint_once;
  mutable std::string fingerprint;
};

// A copy of an event: freeing it neither cancels nor waits for what it stands for.
struct halo_event : xla::TaggedHandle<0x68616576> {
  static constexpr const char* kKind = "halo_event";
  explicit halo_event(xla::Event happening) : event(std::move(happening)) {}
  const xla::Event event;
};

// Executions share the flag, so the handle may be freed while they run; they can then no longer be cancelled by it.
struct halo_cancellation : xla::TaggedHandle<0x68616361> {
  static constexpr const char* kKind = "halo_cancellation";
  const std::shared_ptr<xla::Cancellation> cancellation = std::make_shared<xla::Cancellation>();
};

#endif  // BINDINGS_C_HANDLES_H_
