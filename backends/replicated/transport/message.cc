#include "backends/replicated/transport/message.h"

#include <cstring>
#include <utility>

namespace xla {
namespace transport {
namespace {

// Less in one place is packed together with what is elsewhere.
constexpr int64_t kDirectBytes = 64 << 10;
constexpr int64_t kPackedBytes = 1 << 20;

}  // namespace

int64_t BytesOf(const Message& message) {
  int64_t bytes = 0;
  for (const Fragment& fragment : message) bytes += fragment.bytes();
  return bytes;
}

bool IsInOnePlace(const Message& message) { return message.size() == 1 && message[0].is_in_one_place(); }

void Pack(const Message& message, char* to) {
  for (const Fragment& fragment : message) {
    fragment.ForEachPlace([&to](const char* place, int64_t bytes) {
      std::memcpy(to, place, bytes);
      to += bytes;
    });
  }
}

void Unpack(const char* from, const Message& message) {
  for (const Fragment& fragment : message) {
    fragment.ForEachPlace([&from](char* place, int64_t bytes) {
      std::memcpy(place, from, bytes);
      from += bytes;
    });
  }
}

std::vector<Message> CutIntoMessages(const std::vector<CollectiveWork::Rows>& all) {
  std::vector<Message> messages;
  Message packed;
  int64_t packed_bytes = 0;
  const auto flush = [&] {
    if (!packed.empty()) messages.push_back(std::move(packed));
    packed.clear();
    packed_bytes = 0;
  };
  for (const CollectiveWork::Rows& rows : all) {
    Fragment whole = {const_cast<char*>(rows.from), rows.row_bytes, rows.stride, 0, rows.rows * rows.row_bytes};
    if (rows.rows == 1 || rows.stride == rows.row_bytes) whole.row_bytes = whole.stride = whole.end;
    const bool direct = whole.row_bytes == whole.stride && whole.bytes() >= kDirectBytes;
    const int64_t limit = direct ? kMaxMessageBytes : kPackedBytes;
    for (int64_t begin = 0; begin < whole.end;) {
      Fragment part = whole;
      part.begin = begin;
      part.end = std::min(whole.end, begin + (direct ? limit : limit - packed_bytes));
      begin = part.end;
      if (direct) {
        messages.push_back({part});
        continue;
      }
      packed.push_back(part);
      packed_bytes += part.bytes();
      if (packed_bytes == kPackedBytes) flush();
    }
  }
  flush();
  return messages;
}

}  // namespace transport
}  // namespace xla
