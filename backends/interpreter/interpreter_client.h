// The interpreter as a client: devices that are shares of the host, buffers that are literals, executables that the
// evaluator runs. Registered as "interpreter"; nothing else of this folder is for others.
#ifndef BACKENDS_INTERPRETER_INTERPRETER_CLIENT_H_
#define BACKENDS_INTERPRETER_INTERPRETER_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/host/feed_station.h"
#include "backends/host/host_value.h"
#include "backends/host/launch_queue.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/support/thread_pool.h"

namespace xla {

class InterpreterDevice : public Device {
 public:
  InterpreterDevice(Client& client, int64_t id, std::shared_ptr<MemoryBudget> memory)
      : client_(client), id_(id), memory_(memory), feeds_(std::move(memory)) {}

  Client& client() const override { return client_; }
  int64_t id() const override { return id_; }
  std::string kind() const override { return "interpreter"; }
  std::string description() const override;
  DeviceMemory memory() const override;
  absl::Status TransferToInfeed(Literal value, const TransferOptions& options) override;
  absl::StatusOr<Literal> TransferFromOutfeed(const Shape& shape, const TransferOptions& options) override;

  FeedStation& feeds() { return feeds_; }

 private:
  Client& client_;
  const int64_t id_;
  const std::shared_ptr<MemoryBudget> memory_;
  FeedStation feeds_;
};

class InterpreterClient : public Client, public std::enable_shared_from_this<InterpreterClient> {
 public:
  static absl::StatusOr<std::shared_ptr<Client>> Create(const ClientOptions& options);
  // Stops executions that still run: their results went with the last reference to the client.
  ~InterpreterClient() override { has_ended_->store(true); }

  const std::string& platform_name() const override;
  const std::string& platform_version() const override;
  absl::Span<Device* const> devices() const override { return device_list_; }
  absl::Span<Device* const> addressable_devices() const override { return device_list_; }
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
  LaunchQueue& launches() { return launches_; }
  std::shared_ptr<const std::atomic<bool>> has_ended() const { return has_ended_; }

 private:
  explicit InterpreterClient(const ClientOptions& options);
  // By replica, then partition.
  absl::StatusOr<std::vector<InterpreterDevice*>> AssignDevices(int64_t replicas, int64_t partitions,
                                                                const CompileOptions& options) const;
  absl::Status CheckPlace(const Device& device, const Shape& shape) const;

  const std::shared_ptr<MemoryBudget> memory_;
  const std::shared_ptr<ThreadPool> pool_;
  const std::shared_ptr<std::atomic<bool>> has_ended_ = std::make_shared<std::atomic<bool>>(false);
  std::vector<std::unique_ptr<InterpreterDevice>> devices_;
  std::vector<Device*> device_list_;
  LaunchQueue launches_;  // last: its end waits for executions, which use the rest
};

}  // namespace xla

#endif  // BACKENDS_INTERPRETER_INTERPRETER_CLIENT_H_
