// Message: bytes that travel together, from and to memory that need not be in one place.
#ifndef BACKENDS_REPLICATED_TRANSPORT_MESSAGE_H_
#define BACKENDS_REPLICATED_TRANSPORT_MESSAGE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/host/collective_work.h"

namespace xla {
namespace transport {

// Bytes [begin, end) of rows that are counted one after the other.
struct Fragment {
  char* memory;
  int64_t row_bytes;
  int64_t stride;
  int64_t begin;
  int64_t end;

  int64_t bytes() const { return end - begin; }
  bool is_in_one_place() const { return row_bytes == stride || begin / row_bytes == (end - 1) / row_bytes; }
  char* place() const { return memory + begin / row_bytes * stride + begin % row_bytes; }

  // action(place, bytes) for each part that is in one place.
  template <typename Action>
  void ForEachPlace(const Action& action) const {
    for (int64_t at = begin; at < end;) {
      const int64_t row = at / row_bytes, column = at % row_bytes;
      const int64_t count = std::min(row_bytes - column, end - at);
      action(memory + row * stride + column, count);
      at += count;
    }
  }
};

using Message = std::vector<Fragment>;

int64_t BytesOf(const Message& message);
bool IsInOnePlace(const Message& message);
void Pack(const Message& message, char* to);
void Unpack(const char* from, const Message& message);

// Messages of at most this many bytes that hold all rows: large rows alone, small ones together. Who cuts rows of the
// same sizes gets messages of the same sizes, in the same places or not.
constexpr int64_t kMaxMessageBytes = 4 << 20;
std::vector<Message> CutIntoMessages(const std::vector<CollectiveWork::Rows>& all);

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_MESSAGE_H_
