// LiteralBuffer: a buffer in host memory.
#ifndef BACKENDS_HOST_LITERAL_BUFFER_H_
#define BACKENDS_HOST_LITERAL_BUFFER_H_

#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/backend.h"
#include "backends/host/host_value.h"

namespace xla {

// It is live until it is deleted or donated; then its value goes as soon as no execution and no external reference
// reads it. All members are thread-safe.
class LiteralBuffer : public Buffer {
 public:
  LiteralBuffer(std::shared_ptr<Client> client, Device& device, Shape shape, std::shared_ptr<HostValue> value)
      : client_(std::move(client)),
        device_(device),
        shape_(std::move(shape)),
        ready_(value->ready()),
        value_(std::move(value)) {}

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

  // The value, for an execution to read. FailedPrecondition, which says why, if the buffer is not live.
  absl::StatusOr<std::shared_ptr<HostValue>> Share() const;
  // The same, and the buffer ends as donated. FailedPrecondition also if there are references from outside.
  absl::StatusOr<std::shared_ptr<HostValue>> Donate();
  // Takes a donation back: the execution was not launched.
  void UndoDonation(std::shared_ptr<HostValue> value);

 private:
  absl::Status CheckLive() const;  // with mutex_ held

  const std::shared_ptr<Client> client_;  // keeps the device alive
  Device& device_;
  const Shape shape_;
  const Event ready_;
  mutable std::mutex mutex_;  // guards what follows
  State state_ = State::kLive;
  std::shared_ptr<HostValue> value_;  // nullptr: not live
};

}  // namespace xla

#endif  // BACKENDS_HOST_LITERAL_BUFFER_H_
