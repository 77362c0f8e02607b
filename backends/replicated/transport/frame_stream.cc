#include "backends/replicated/transport/frame_stream.h"

#include <cstring>

namespace xla {
namespace transport {
namespace {

// The last character counts versions.
constexpr absl::string_view kOpening = "haloctl1";
constexpr size_t kLengthBytes = sizeof(uint32_t);
constexpr int64_t kReadAtOnce = 64 << 10;
constexpr int kReadsAtATime = 16;
// Bytes that have been sent are erased when they are so many.
constexpr size_t kForgottenAtOnce = 1 << 20;

}  // namespace

FrameStream::FrameStream(Socket socket, int64_t max_frame)
    : socket_(std::move(socket)), max_frame_(max_frame), unsent_(kOpening) {}

void FrameStream::Receive(absl::FunctionRef<bool(absl::string_view)> take) {
  char buffer[kReadAtOnce];
  std::string gone;
  for (int i = 0; i < kReadsAtATime && is_open_; ++i) {
    const int64_t count = ReceiveSome(socket_, buffer, kReadAtOnce, &gone);
    if (count > 0) received_.append(buffer, static_cast<size_t>(count));
    is_open_ = gone.empty() && (count <= 0 || TakeFrames(take));
    if (count < kReadAtOnce) return;
  }
}

// False if the other side has broken the protocol.
bool FrameStream::TakeFrames(absl::FunctionRef<bool(absl::string_view)> take) {
  absl::string_view rest = received_;
  if (!has_opened_) {
    const absl::string_view opening = rest.substr(0, kOpening.size());
    if (opening != kOpening.substr(0, opening.size())) return false;
    if (opening.size() < kOpening.size()) return true;
    has_opened_ = true;
    rest.remove_prefix(kOpening.size());
  }
  while (rest.size() >= kLengthBytes) {
    uint32_t length;
    std::memcpy(&length, rest.data(), kLengthBytes);
    if (length > max_frame_) return false;
    if (rest.size() - kLengthBytes < length) break;
    if (!take(rest.substr(kLengthBytes, length))) return false;
    rest.remove_prefix(kLengthBytes + length);
  }
  received_.erase(0, received_.size() - rest.size());
  return true;
}

void FrameStream::Send(absl::string_view frame) {
  const auto length = static_cast<uint32_t>(frame.size());
  unsent_.append(reinterpret_cast<const char*>(&length), kLengthBytes);
  unsent_.append(frame.data(), frame.size());
  Flush();
}

// What has come before the other side left is still to be read, so only reading tells that it has left.
void FrameStream::Flush() {
  std::string gone;
  while (is_open_ && sent_ < unsent_.size()) {
    iovec part = {&unsent_[sent_], unsent_.size() - sent_};
    const int64_t count = SendSome(socket_, absl::MakeSpan(&part, 1), &gone);
    if (count < 0) break;
    sent_ += static_cast<size_t>(count);
  }
  if (sent_ < unsent_.size() && sent_ < kForgottenAtOnce) return;
  unsent_.erase(0, sent_);
  sent_ = 0;
}

}  // namespace transport
}  // namespace xla
