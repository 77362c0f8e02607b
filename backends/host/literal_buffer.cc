#include "backends/host/literal_buffer.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/exported_memory.h"
#include "backends/launch_checks.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The memory of an array that a caller reads.
class HostReference : public ExternalReference, public ExportsMemory {
 public:
  // Takes over one count of value->external_references().
  explicit HostReference(std::shared_ptr<HostValue> value) : value_(std::move(value)) {}
  ~HostReference() override { --value_->external_references(); }

  void* data() const override { return const_cast<void*>(value_->literal().untyped_data()); }
  absl::StatusOr<ExportedMemory> Export() const override {
    if (value_->memory().empty()) {
      return absl::UnimplementedError("the buffer is in memory of the host, which others use by its address");
    }
    return value_->memory()[0]->Export();
  }

 private:
  const std::shared_ptr<HostValue> value_;
};

// What leaves the buffer must not refer to memory that may be taken back.
absl::StatusOr<Literal> LiteralForCaller(const HostValue& value) {
  RETURN_IF_ERROR(value.BringToHost());
  if (!value.owns_elements()) return CopyElements(value.literal());
  return value.literal();
}

absl::Status CopyOut(const HostValue& value, void* destination, int64_t byte_size) {
  const Literal& literal = value.literal();
  if (literal.size_bytes() != byte_size) {
    return absl::InvalidArgumentError(absl::StrCat("a buffer of shape ", literal.shape().ToString(), " has ",
                                                   literal.size_bytes(), " bytes on the host, the destination ",
                                                   byte_size));
  }
  RETURN_IF_ERROR(value.BringToHost());
  if (byte_size > 0) std::memcpy(destination, literal.untyped_data(), byte_size);
  return absl::OkStatus();
}

}  // namespace

int64_t LiteralBuffer::size_bytes() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return value_ == nullptr ? 0 : value_->size_bytes();
}

Buffer::State LiteralBuffer::state() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return state_;
}

absl::Status LiteralBuffer::CheckLive() const { return CheckBufferState(shape_, state_); }

absl::StatusOr<std::shared_ptr<HostValue>> LiteralBuffer::Share() const {
  std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(CheckLive());
  return value_;
}

absl::StatusOr<std::shared_ptr<HostValue>> LiteralBuffer::Donate() {
  std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(CheckLive());
  if (value_->external_references() > 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the buffer of shape ", shape_.ToString(),
                     " cannot be donated while a caller holds a reference to its memory"));
  }
  state_ = State::kDonated;
  return std::move(value_);
}

void LiteralBuffer::UndoDonation(std::shared_ptr<HostValue> value) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kDonated) return;
  state_ = State::kLive;
  value_ = std::move(value);
}

void LiteralBuffer::Delete() {
  std::shared_ptr<HostValue> value;  // ends after the lock does: its end may call back
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kLive) return;
  state_ = State::kDeleted;
  value = std::move(value_);
}

// Shares the value at once, so that deleting the buffer afterwards does not matter.
Future<Literal> LiteralBuffer::ToLiteralAsync() const {
  absl::StatusOr<std::shared_ptr<HostValue>> value = Share();
  if (!value.ok()) return Future<Literal>(value.status());
  if (ready_.IsReady()) {
    if (!ready_.status().ok()) return Future<Literal>(ready_.status());
    absl::StatusOr<Literal> literal = LiteralForCaller(**value);
    return literal.ok() ? Future<Literal>(*std::move(literal)) : Future<Literal>(literal.status());
  }
  auto source = std::make_shared<EventSource>();
  auto result = std::make_shared<Literal>();
  ready_.OnReady([source, result, value = *std::move(value)](const absl::Status& status) {
    if (!status.ok()) return source->Set(status);
    absl::StatusOr<Literal> literal = LiteralForCaller(*value);
    if (literal.ok()) *result = *std::move(literal);
    source->Set(literal.status());
  });
  return Future<Literal>(source->event(), std::move(result));
}

// As ToLiteralAsync, into memory of the caller, which must live until the event is ready.
Event LiteralBuffer::CopyToHostAsync(void* destination, int64_t byte_size) const {
  absl::StatusOr<std::shared_ptr<HostValue>> value = Share();
  if (!value.ok()) return Event::Of(value.status());
  if (!shape_.IsArray()) {
    return Event::Of(absl::InvalidArgumentError(
        absl::StrCat("only an array can be copied to memory, the buffer has shape ", shape_.ToString())));
  }
  if (ready_.IsReady()) {
    if (!ready_.status().ok()) return ready_;
    return Event::Of(CopyOut(**value, destination, byte_size));
  }
  auto source = std::make_shared<EventSource>();
  ready_.OnReady([source, destination, byte_size, value = *std::move(value)](const absl::Status& status) {
    source->Set(status.ok() ? CopyOut(*value, destination, byte_size) : status);
  });
  return source->event();
}

// Copies by way of a literal, since all devices of the client are memory of the host. A pending value is copied when
// it arrives.
absl::StatusOr<std::unique_ptr<Buffer>> LiteralBuffer::CopyToDevice(Device& device) const {
  if (&device.client() != client_.get()) {
    return absl::InvalidArgumentError(
        "the device belongs to another client; copy through the host: ToLiteral, then "
        "BufferFromLiteral of that client");
  }
  if (ready_.IsReady() && ready_.status().ok()) {
    ASSIGN_OR_RETURN(Literal literal, ToLiteral());
    return client_->BufferFromLiteral(std::move(literal), device);
  }
  ASSIGN_OR_RETURN(const auto value, Share());
  return client_->BufferFromFuture(ToLiteralAsync(), shape_, device);
}

absl::StatusOr<std::unique_ptr<ExternalReference>> LiteralBuffer::AcquireExternalReference() {
  if (!shape_.IsArray()) {
    return absl::UnimplementedError(
        absl::StrCat("only the memory of an array can be shared, the buffer has shape ", shape_.ToString()));
  }
  RETURN_IF_ERROR(ready_.Await());
  ASSIGN_OR_RETURN(const std::shared_ptr<HostValue> value, Share());
  RETURN_IF_ERROR(value->BringToHost());
  std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(CheckLive());
  ++value_->external_references();
  return std::make_unique<HostReference>(value_);
}

}  // namespace xla
