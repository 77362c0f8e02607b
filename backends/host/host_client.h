// HostClient: what clients have in common whose devices are shares of the host and whose buffers are literals, in the
// host's memory or in one that a ValuePlacer chooses. What they compile, and how it runs, is theirs.
#ifndef BACKENDS_HOST_HOST_CLIENT_H_
#define BACKENDS_HOST_HOST_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/host/device_threads.h"
#include "backends/host/host_device.h"
#include "backends/host/host_value.h"
#include "backends/host/launch_queue.h"
#include "backends/host/value_memory.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/support/thread_pool.h"

namespace xla {

// A backend derives from it and overrides CompileWithCode. Buffers, executables and executions in flight hold
// references to the client, so devices outlive them. Everything public is thread-safe. `memory()` counts buffers and
// values of all devices together.
class HostClient : public Client, public std::enable_shared_from_this<HostClient> {
 public:
  // Stops executions that still run: their results went with the last reference to the client.
  ~HostClient() override { has_ended_->store(true); }

  const std::string& platform_name() const override { return name_; }
  const std::string& platform_version() const override { return version_; }
  absl::Span<Device* const> devices() const override { return device_list_; }
  absl::Span<Device* const> addressable_devices() const override { return device_list_; }
  // What the evaluator can do.
  InstructionSupport Supports(const HloInstruction& instruction) const override;
  absl::StatusOr<std::unique_ptr<Executable>> CompileShared(std::shared_ptr<const HloModule> module,
                                                            const CompileOptions& options) override;
  absl::StatusOr<std::unique_ptr<Executable>> Deserialize(absl::string_view serialized,
                                                          const CompileOptions& options) override;
  absl::StatusOr<std::unique_ptr<Buffer>> BufferFromLiteral(Literal literal, Device& device) override;
  absl::StatusOr<std::unique_ptr<Buffer>> BufferFromHost(const void* data, const Shape& shape,
                                                         absl::Span<const int64_t> byte_strides, HostMemoryUse use,
                                                         std::function<void()> release, Device& device) override;
  absl::StatusOr<std::unique_ptr<Buffer>> BufferFromFuture(Future<Literal> value, const Shape& shape,
                                                           Device& device) override;
  absl::StatusOr<std::unique_ptr<Buffer>> UninitializedBuffer(const Shape& shape, Device& device) override;

  // ---- For executables of this client.
  std::unique_ptr<Buffer> MakeBuffer(Device& device, Shape shape, std::shared_ptr<HostValue> value);
  const std::shared_ptr<MemoryBudget>& memory() const { return memory_; }
  const std::shared_ptr<ThreadPool>& pool() const { return pool_; }
  const std::shared_ptr<DeviceThreads>& device_threads() const { return device_threads_; }
  LaunchQueue& launches() { return launches_; }
  std::shared_ptr<const std::atomic<bool>> has_ended() const { return has_ended_; }

 protected:
  // By replica, then partition.
  using DeviceList = std::vector<HostDevice*>;

  // `version` is platform_version(), and changes with what Serialize writes. `options` have passed CheckClientOptions.
  // `placer`: of devices with memory of their own; nullptr: values are literals.
  HostClient(std::string name, std::string version, const ClientOptions& options,
             std::shared_ptr<const ValuePlacer> placer = nullptr);

  // CompileShared, or Deserialize: then `code` is what HostProgram::SerializedCode said, unless it was damaged on its
  // way. `module` is not nullptr, and its options have passed CheckCompileOptions; it is for each device, whatever
  // CompileOptions::spmd says. The result is a HostExecutable.
  virtual absl::StatusOr<std::unique_ptr<Executable>> CompileWithCode(std::shared_ptr<const HloModule> module,
                                                                      const CompileOptions& options,
                                                                      absl::string_view code) = 0;

  // `who` is the backend for people: "the interpreter".
  static absl::Status CheckClientOptions(const std::string& who, const ClientOptions& options);
  // Arrays lie row-major in buffers whatever layout is asked for, but the shapes must be those of the program.
  static absl::Status CheckLayouts(const CompileOptions& options, const HloComputation& entry);
  // Those that this client has of the program (CompileOptions::own_devices), by position.
  absl::StatusOr<DeviceList> AssignDevices(int64_t replicas, int64_t partitions, const CompileOptions& options) const;

 private:
  // CompileOptions::spmd.
  absl::StatusOr<std::unique_ptr<Executable>> CompilePartitioned(const HloModule& whole, const CompileOptions& options);
  // What can be said before the module is verified; settings are not looked at.
  static absl::Status CheckCompileOptions(const CompileOptions& options, const HloModule& module);
  static absl::Status CheckOwnDevices(const std::vector<int64_t>& own, int64_t program_count);
  absl::Status CheckPlace(const Device& device, const Shape& shape) const;
  // The position of one of its own devices.
  int64_t PositionOf(const Device& device) const { return device.id() - device_list_[0]->id(); }

  const std::string name_;
  const std::string version_;
  const std::shared_ptr<const ValuePlacer> placer_;
  const std::shared_ptr<MemoryBudget> memory_;
  const std::shared_ptr<ThreadPool> pool_;
  const std::shared_ptr<DeviceThreads> device_threads_ = std::make_shared<DeviceThreads>();
  const std::shared_ptr<std::atomic<bool>> has_ended_ = std::make_shared<std::atomic<bool>>(false);
  std::vector<std::unique_ptr<HostDevice>> devices_;
  std::vector<Device*> device_list_;
  LaunchQueue launches_;  // last: its end waits for executions, which use the rest
};

}  // namespace xla

#endif  // BACKENDS_HOST_HOST_CLIENT_H_
