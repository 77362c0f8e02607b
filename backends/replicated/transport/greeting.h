// Greeting: the first message of one process to another at a meeting. It says what the process is at, so that a
// mismatch is noticed, and holds the small values that others need before they know what travels.
#ifndef BACKENDS_REPLICATED_TRANSPORT_GREETING_H_
#define BACKENDS_REPLICATED_TRANSPORT_GREETING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/collectives.h"

namespace xla {
namespace transport {

// Operands up to this many bytes of each member travel with the greeting: one message less, and no process waits for a
// result to come back.
constexpr int64_t kSmallBytes = 32 << 10;
// What a greeting has room for beside them, for each member.
constexpr int64_t kSmallValues = 1 << 10;

constexpr uint64_t kGreetingMagic = 0x31474e495445474f;

// Operands, if they follow at once, come after the values.
struct Greeting {
  uint64_t magic = kGreetingMagic;
  uint64_t key = 0;
  uint64_t subject = 0;       // opcode, action and shapes, as a digest
  int64_t values_bytes = 0;   // of all members of the process
  int64_t operand_bytes = 0;  // likewise
  uint8_t has_values = 0;     // in this message
  uint8_t has_operands = 0;
  char at[214] = {};  // for messages: "all-reduce.3 f32[8]"
};

// Of the first message of a process, which has so many bytes; zeros where there are none.
Greeting ReadGreeting(const char* message, int64_t bytes);
// Whether the message had that many bytes.
bool IsWhole(const Greeting& greeting, int64_t bytes);

// The most that a process with so many members sends in its first message.
inline int64_t MaxGreetingBytes(size_t members) {
  return static_cast<int64_t>(sizeof(Greeting)) + static_cast<int64_t>(members) * (kSmallBytes + kSmallValues);
}

// What must be the same for all members.
uint64_t SubjectOf(const CollectiveCall& call, const std::vector<CollectiveArray>& arrays);
int64_t TotalBytes(const std::vector<CollectiveArray>& arrays);
// "f32[8]", "(f32[8], s32[])", cut to a length that fits a greeting.
std::string DescribeShapes(const std::vector<CollectiveArray>& arrays);

// From this operand on they are small values: offsets and sizes of ragged rows, the root of a broadcast.
size_t FirstValue(const CollectiveCall& call);

// Small values are those operands, and the source and the slices of a collective-permute.
void AppendValues(const CollectiveCall& call, std::string& bytes);
// Into calls like those that they are from, of which they become the values; false if the bytes do not fit. The calls'
// operands stay in `bytes`.
bool ReadValues(absl::Span<char> bytes, absl::Span<CollectiveCall* const> calls);

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_GREETING_H_
