#include "backends/replicated/replicated_buffer.h"

#include "backends/launch_checks.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<std::shared_ptr<Buffer>> ReplicatedBuffer::Share() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (below_ == nullptr) return CheckBufferState(shape_, end_);
  return below_;
}

absl::StatusOr<std::shared_ptr<Buffer>> ReplicatedBuffer::Donate() {
  const std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(CheckBufferState(shape_, below_ == nullptr ? end_ : below_->state()));
  end_ = State::kDonated;
  return std::move(below_);
}

void ReplicatedBuffer::UndoDonation(std::shared_ptr<Buffer> below) {
  const std::lock_guard<std::mutex> lock(mutex_);
  below_ = std::move(below);
}

Buffer::State ReplicatedBuffer::state() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return below_ == nullptr ? end_ : below_->state();
}

int64_t ReplicatedBuffer::size_bytes() const {
  const absl::StatusOr<std::shared_ptr<Buffer>> below = Share();
  return below.ok() ? (*below)->size_bytes() : 0;
}

Future<Literal> ReplicatedBuffer::ToLiteralAsync() const {
  const absl::StatusOr<std::shared_ptr<Buffer>> below = Share();
  return below.ok() ? (*below)->ToLiteralAsync() : Future<Literal>(below.status());
}

Event ReplicatedBuffer::CopyToHostAsync(void* destination, int64_t byte_size) const {
  const absl::StatusOr<std::shared_ptr<Buffer>> below = Share();
  return below.ok() ? (*below)->CopyToHostAsync(destination, byte_size) : Event::Of(below.status());
}

absl::StatusOr<std::unique_ptr<Buffer>> ReplicatedBuffer::CopyToDevice(Device& device) const {
  if (&device.client() != client_.get()) {
    return absl::InvalidArgumentError(
        "the device belongs to another client; copy through the host: ToLiteral, then "
        "BufferFromLiteral of that client");
  }
  auto& target = static_cast<ReplicatedDevice&>(device);
  RETURN_IF_ERROR(target.CheckIsHere("cannot copy a buffer to"));
  ASSIGN_OR_RETURN(const std::shared_ptr<Buffer> below, Share());
  ASSIGN_OR_RETURN(std::unique_ptr<Buffer> copy, below->CopyToDevice(*target.below()));
  return std::make_unique<ReplicatedBuffer>(client_, target, std::move(copy));
}

void ReplicatedBuffer::Delete() {
  std::shared_ptr<Buffer> below;  // ends after the lock does: its end may call back
  const std::lock_guard<std::mutex> lock(mutex_);
  if (below_ == nullptr || below_->state() != State::kLive) return;
  end_ = State::kDeleted;
  below = std::move(below_);
}

absl::StatusOr<std::unique_ptr<ExternalReference>> ReplicatedBuffer::AcquireExternalReference() {
  ASSIGN_OR_RETURN(const std::shared_ptr<Buffer> below, Share());
  return below->AcquireExternalReference();
}

}  // namespace xla
