// ReplicatedBuffer: a buffer of the client below, on a device of this one.
#ifndef BACKENDS_REPLICATED_REPLICATED_BUFFER_H_
#define BACKENDS_REPLICATED_REPLICATED_BUFFER_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/replicated/replicated_device.h"

namespace xla {

// A launch that begins later shares the buffer below with this object, which ends without it: so what is deleted or
// donated after the launch is there when it begins. All members are thread-safe.
class ReplicatedBuffer : public Buffer {
 public:
  ReplicatedBuffer(std::shared_ptr<Client> client, ReplicatedDevice& device, std::shared_ptr<Buffer> below)
      : client_(std::move(client)),
        device_(device),
        shape_(below->shape()),
        ready_(below->ready()),
        below_(std::move(below)) {}

  const Shape& shape() const override { return shape_; }
  Device& device() const override { return device_; }
  int64_t size_bytes() const override;
  Event ready() const override { return ready_; }
  State state() const override;
  Future<Literal> ToLiteralAsync() const override;
  Event CopyToHostAsync(void* destination, int64_t byte_size) const override;
  absl::StatusOr<std::unique_ptr<Buffer>> CopyToDevice(Device& device) const override;
  void Delete() override;
  absl::StatusOr<std::unique_ptr<ExternalReference>> AcquireExternalReference() override;

  // The buffer below, for a launch. FailedPrecondition, which says why, if this one has ended.
  absl::StatusOr<std::shared_ptr<Buffer>> Share() const;
  // The same, and this one ends as donated.
  absl::StatusOr<std::shared_ptr<Buffer>> Donate();
  // Takes a donation back: nothing was launched.
  void UndoDonation(std::shared_ptr<Buffer> below);

 private:
  const std::shared_ptr<Client> client_;  // keeps the device alive
  ReplicatedDevice& device_;
  const Shape shape_;
  const Event ready_;
  mutable std::mutex mutex_;       // guards what follows
  std::shared_ptr<Buffer> below_;  // nullptr: has ended here, as `end_` says
  State end_ = State::kLive;
};

}  // namespace xla

#endif  // BACKENDS_REPLICATED_REPLICATED_BUFFER_H_
