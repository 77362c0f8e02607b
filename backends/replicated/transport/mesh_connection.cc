#include "backends/replicated/transport/mesh_connection.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"

namespace xla {
namespace transport {
namespace {

constexpr uint32_t kMagic = 0x6d6c6168;
enum Kind : uint32_t { kMessage = 1, kExpected = 2 };
// What others wait for meanwhile is not delayed by more than that.
constexpr int64_t kReadAtOnce = 2 << 20;
constexpr int64_t kWriteAtOnce = 4 << 20;
// Frames that travel with one call of the system.
constexpr int kFramesAtATime = 16;
// Of messages that are not expected yet: a process that runs as it should is never that far ahead.
constexpr int64_t kMaxKeptBytes = int64_t{1} << 30;
constexpr size_t kMaxExpected = 1 << 20;
constexpr char kGivenUp[] = "the connections between the processes are closed";

iovec PartOf(const void* data, int64_t bytes) { return {const_cast<void*>(data), static_cast<size_t>(bytes)}; }

}  // namespace

MeshConnection::MeshConnection(int peer, Socket socket)
    : peer_(peer), socket_(std::move(socket)), stage_(new char[kStageBytes]) {}

void MeshConnection::Finish(End* end, const absl::Status& status) {
  end->is_over = true;
  end->status = status;
  some_are_over_ = true;
}

void MeshConnection::Lose(const absl::Status& why) {
  if (!loss_.ok()) return;
  loss_ = why;
  for (const Outgoing& frame : outgoing_) {
    if (frame.end != nullptr) Finish(frame.end, why);
  }
  for (const auto& [slot, end] : held_) Finish(end, why);
  for (const auto& [slot, end] : receivers_) Finish(end, why);
  if (receiver_ != nullptr) Finish(receiver_, why);
  outgoing_.clear();
  held_.clear();
  receivers_.clear();
  receiver_ = nullptr;
  socket_.Close();
}

void MeshConnection::Violation(absl::string_view what) {
  Lose(absl::InternalError(absl::StrCat("rank ", peer_, " sent ", what)));
}

// ---- Outgoing

void MeshConnection::Send(End* end) {
  if (!loss_.ok()) return Finish(end, loss_);
  if (end->delivery == Delivery::kAtOnce || expected_.erase(end->slot) > 0) {
    Enqueue(kMessage, end->slot, end);
  } else {
    held_[end->slot] = end;
  }
}

void MeshConnection::Enqueue(uint32_t kind, uint64_t slot, End* end) {
  const uint64_t bytes = end == nullptr ? 0 : static_cast<uint64_t>(end->bytes);
  outgoing_.push_back({{kMagic, kind, slot, bytes}, end});
  // Otherwise there is no room, and whoever waits writes when there is.
  if (outgoing_.size() == 1) Write();
}

void MeshConnection::Write() {
  for (int64_t written = 0; written < kWriteAtOnce && !outgoing_.empty();) {
    iovec parts[2 * kFramesAtATime];
    int count = 0;
    int64_t skipped = sent_;  // of the first frame
    for (size_t f = 0; f < outgoing_.size() && f < kFramesAtATime; ++f, skipped = 0) {
      const Outgoing& frame = outgoing_[f];
      const int64_t of_header = std::min<int64_t>(skipped, sizeof(Header)), of_bytes = skipped - of_header;
      if (of_header < static_cast<int64_t>(sizeof(Header))) {
        parts[count++] = PartOf(reinterpret_cast<const char*>(&frame.header) + of_header,
                              static_cast<int64_t>(sizeof(Header)) - of_header);
      }
      if (frame.end != nullptr && frame.end->bytes > of_bytes) {
        parts[count++] = PartOf(frame.end->data + of_bytes, frame.end->bytes - of_bytes);
      }
    }
    std::string error;
    const int64_t sent = SendSome(socket_, absl::MakeSpan(parts, count), &error);
    // What came before the other side left may still be read, and reading tells the loss.
    if (sent <= 0) return;
    written += sent;
    sent_ += sent;
    while (!outgoing_.empty()) {
      const Outgoing& frame = outgoing_.front();
      const int64_t whole = static_cast<int64_t>(sizeof(Header)) + static_cast<int64_t>(frame.header.bytes);
      if (sent_ < whole) break;
      sent_ -= whole;
      if (frame.end != nullptr) Finish(frame.end, absl::OkStatus());
      outgoing_.pop_front();
    }
  }
}

void MeshConnection::HearExpected() {
  const auto it = held_.find(header_.slot);
  if (it == held_.end()) {
    expected_.insert(header_.slot);
    if (expected_.size() > kMaxExpected) Violation("more than it can expect");
    return;
  }
  End* const end = it->second;
  held_.erase(it);
  Enqueue(kMessage, end->slot, end);
}

// ---- Incoming

void MeshConnection::Receive(End* end) {
  const auto it = kept_.find(end->slot);
  if (it != kept_.end()) {
    const Kept kept = std::move(it->second);
    kept_.erase(it);
    kept_bytes_ -= kept.bytes;
    if (kept.bytes > end->bytes) {
      return Finish(end, absl::InternalError(absl::StrCat("rank ", peer_, " sent ", kept.bytes,
                                                          " bytes in a message, expected at most ", end->bytes)));
    }
    std::memcpy(end->data, kept.data.get(), kept.bytes);
    end->bytes = kept.bytes;
    return Finish(end, absl::OkStatus());
  }
  if (!loss_.ok()) return Finish(end, loss_);
  receivers_[end->slot] = end;
  if (end->delivery == Delivery::kWhenExpected) Enqueue(kExpected, end->slot, nullptr);
}

void MeshConnection::Read() {
  for (int64_t budget = kReadAtOnce; budget > 0 && loss_.ok();) {
    const bool directly = is_in_message_ && Remaining() >= kStageBytes / 2;
    char* const place = directly ? target_ + arrived_ : stage_.get();
    const int64_t room = directly ? std::min(Remaining(), budget) : kStageBytes;
    std::string gone;
    const int64_t count = ReceiveSome(socket_, place, room, &gone);
    if (!gone.empty()) {
      Lose(absl::UnavailableError(absl::StrCat("the connection with rank ", peer_, " is lost: ", gone)));
    }
    if (count <= 0) break;
    budget -= count;
    if (directly) {
      arrived_ += count;
      if (Remaining() == 0) EndMessage();
    } else {
      staged_begin_ = 0;
      staged_end_ = count;
      TakeStaged();
    }
    if (count < room) break;
  }
}

void MeshConnection::TakeStaged() {
  while (staged_begin_ < staged_end_ && loss_.ok()) {
    const char* const from = stage_.get() + staged_begin_;
    const int64_t staged = staged_end_ - staged_begin_;
    if (is_in_message_) {
      const int64_t count = std::min(staged, Remaining());
      std::memcpy(target_ + arrived_, from, count);
      arrived_ += count;
      staged_begin_ += count;
      if (Remaining() == 0) EndMessage();
      continue;
    }
    const int64_t count = std::min<int64_t>(staged, static_cast<int64_t>(sizeof(Header)) - header_bytes_);
    std::memcpy(reinterpret_cast<char*>(&header_) + header_bytes_, from, count);
    header_bytes_ += count;
    staged_begin_ += count;
    if (header_bytes_ == static_cast<int64_t>(sizeof(Header))) BeginFrame();
  }
}

void MeshConnection::BeginFrame() {
  header_bytes_ = 0;
  if (header_.magic != kMagic) return Violation("what is not a message");
  if (header_.kind == kExpected && header_.bytes == 0) return HearExpected();
  if (header_.kind == kMessage && header_.bytes > 0) return BeginMessage();
  Violation("a message of an unknown kind");
}

void MeshConnection::BeginMessage() {
  const auto it = receivers_.find(header_.slot);
  const int64_t most = it != receivers_.end() ? it->second->bytes : kMaxKeptBytes - kept_bytes_;
  if (header_.bytes > static_cast<uint64_t>(most)) {
    return Violation(absl::StrCat(header_.bytes, " bytes in a message, expected at most ", most));
  }
  arriving_bytes_ = static_cast<int64_t>(header_.bytes);
  arrived_ = 0;
  if (it != receivers_.end()) {
    receiver_ = it->second;
    receivers_.erase(it);
    target_ = receiver_->data;
  } else if (kept_.count(header_.slot) > 0) {
    return Violation("a message twice");
  } else {
    kept_now_.data.reset(new (std::nothrow) char[arriving_bytes_]);
    if (kept_now_.data == nullptr) {
      return Lose(
          absl::ResourceExhaustedError(absl::StrCat("no memory for ", arriving_bytes_, " bytes of other processes")));
    }
    kept_now_.bytes = arriving_bytes_;
    kept_bytes_ += arriving_bytes_;
    target_ = kept_now_.data.get();
  }
  is_in_message_ = true;
}

void MeshConnection::EndMessage() {
  is_in_message_ = false;
  if (receiver_ != nullptr) {
    receiver_->bytes = arriving_bytes_;
    Finish(receiver_, absl::OkStatus());
    receiver_ = nullptr;
    return;
  }
  kept_[header_.slot] = std::move(kept_now_);
  // It may have been expected while it came.
  const auto it = receivers_.find(header_.slot);
  if (it == receivers_.end()) return;
  End* const end = it->second;
  receivers_.erase(it);
  Receive(end);
}

// ---- Ending early

void MeshConnection::Forget(End* end) {
  if (end->is_over) return;
  if (!end->is_sender) {
    receivers_.erase(end->slot);
    if (receiver_ == end) Lose(absl::UnavailableError(kGivenUp));
    return;
  }
  held_.erase(end->slot);
  const auto it =
      std::find_if(outgoing_.begin(), outgoing_.end(), [end](const Outgoing& frame) { return frame.end == end; });
  if (it == outgoing_.end()) return;
  if (it == outgoing_.begin() && sent_ > 0) return Lose(absl::UnavailableError(kGivenUp));
  outgoing_.erase(it);
}

}  // namespace transport
}  // namespace xla
