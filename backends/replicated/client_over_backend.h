// ClientOverBackend: the one implementation of ReplicatedClient (replicated_client.h).
#ifndef BACKENDS_REPLICATED_CLIENT_OVER_BACKEND_H_
#define BACKENDS_REPLICATED_CLIENT_OVER_BACKEND_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "backends/host/launch_queue.h"
#include "backends/replicated/process_group.h"
#include "backends/replicated/replicated_client.h"
#include "backends/replicated/replicated_device.h"
#include "xla_core/support/cancellation.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/support/thread_pool.h"

namespace xla {

// On which devices a program runs, by number (replica * partition_count + partition).
struct ProgramPlacement {
  int64_t replica_count = 1;
  int64_t partition_count = 1;
  std::vector<int64_t> process_of_device;
  // Of this process: numbers, ascending, and the ids of these devices.
  std::vector<int64_t> own_numbers;
  std::vector<int64_t> own_ids;
};

class ClientOverBackend : public ReplicatedClient, public std::enable_shared_from_this<ClientOverBackend> {
 public:
  // `group` is nullptr in one process. Errors: those of ReplicatedSettings::Read, and of the client below.
  static absl::StatusOr<std::shared_ptr<ClientOverBackend>> Create(const ClientOptions& options,
                                                                   std::shared_ptr<ProcessGroup> group);
  // Stops launches that have not ended: their results went with the last reference to the client.
  ~ClientOverBackend() override { ending_->Cancel(); }

  ProcessGroup* group() const override { return group_.get(); }

  const std::string& platform_name() const override { return name_; }
  const std::string& platform_version() const override { return version_; }
  int64_t process_index() const override { return process_index_; }
  int64_t process_count() const override { return process_count_; }
  absl::Span<Device* const> devices() const override { return device_list_; }
  absl::Span<Device* const> addressable_devices() const override {
    return absl::MakeConstSpan(device_list_).subspan(process_index_ * devices_per_process_, devices_per_process_);
  }
  InstructionSupport Supports(const HloInstruction& instruction) const override {
    return below_->Supports(instruction);
  }
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
  Client& below() const { return *below_; }
  const std::shared_ptr<ProcessGroup>& shared_group() const { return group_; }
  const std::shared_ptr<ThreadPool>& pool() const { return pool_; }
  // For values on their way between devices.
  const std::shared_ptr<MemoryBudget>& memory() const { return memory_; }
  // Infinite in one process, unless it was set.
  absl::Duration collective_timeout() const { return collective_timeout_; }
  // Cancelled when the client ends.
  std::shared_ptr<const Cancellation> ending() const { return ending_; }
  LaunchQueue& launches() { return launches_; }
  // The number of a launch that was given none: they count down from -1.
  int64_t NextLaunchId() { return --last_launch_id_; }
  std::unique_ptr<Buffer> Wrap(Device& device, std::unique_ptr<Buffer> below);

 private:
  ClientOverBackend(const ClientOptions& options, std::shared_ptr<Client> below, std::shared_ptr<ProcessGroup> group,
                    std::shared_ptr<ThreadPool> pool, absl::Duration collective_timeout);

  absl::StatusOr<ReplicatedDevice*> OwnDevice(Device& device) const;
  absl::StatusOr<ProgramPlacement> Place(int64_t replica_count, int64_t partition_count,
                                         const std::vector<int64_t>& assignment) const;
  absl::StatusOr<std::unique_ptr<Executable>> MakeExecutable(ProgramPlacement placement, const CompileOptions& options,
                                                             std::unique_ptr<Executable> below);

  const std::string name_ = "replicated";
  const std::string version_;
  const int64_t process_index_;
  const int64_t process_count_;
  const int64_t devices_per_process_;
  const std::shared_ptr<Client> below_;
  const std::shared_ptr<ProcessGroup> group_;
  const std::shared_ptr<ThreadPool> pool_;
  const std::shared_ptr<MemoryBudget> memory_;
  const absl::Duration collective_timeout_;
  const std::shared_ptr<Cancellation> ending_ = std::make_shared<Cancellation>();
  std::vector<std::unique_ptr<ReplicatedDevice>> devices_;
  std::vector<Device*> device_list_;
  std::atomic<int64_t> last_launch_id_{0};
  LaunchQueue launches_;  // last: its end waits for launches, which use the rest
};

}  // namespace xla

#endif  // BACKENDS_REPLICATED_CLIENT_OVER_BACKEND_H_
