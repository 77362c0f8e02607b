#include "backends/replicated/transport/greeting.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/mix_hash.h"

namespace xla {
namespace transport {
namespace {

void Append(std::string& bytes, int64_t value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof(value)); }

class ValueReader {
 public:
  explicit ValueReader(absl::Span<char> bytes) : bytes_(bytes) {}

  int64_t Next() {
    int64_t value = 0;
    if (char* const place = Take(sizeof(value))) std::memcpy(&value, place, sizeof(value));
    return value;
  }
  std::vector<int64_t> List() {
    const int64_t count = Next();
    if (count < 0 || count > static_cast<int64_t>(bytes_.size() / sizeof(int64_t))) failed_ = true;
    std::vector<int64_t> list;
    for (int64_t i = 0; i < count && !failed_; ++i) list.push_back(Next());
    return list;
  }
  char* Take(int64_t count) {
    if (failed_ || count > static_cast<int64_t>(bytes_.size())) {
      failed_ = true;
      return nullptr;
    }
    char* const place = bytes_.data();
    bytes_.remove_prefix(count);
    return place;
  }
  bool ok() const { return !failed_ && bytes_.empty(); }
  bool failed() const { return failed_; }

 private:
  absl::Span<char> bytes_;
  bool failed_ = false;
};

void ReadValuesOf(ValueReader& reader, CollectiveCall& call) {
  call.source = reader.Next();
  const int64_t slices = reader.Next();
  call.slices.clear();
  for (int64_t i = 0; i < slices && !reader.failed(); ++i) {
    CollectiveCall::Slice slice;
    slice.array = static_cast<int>(reader.Next());
    slice.from = reader.List();
    slice.to = reader.List();
    call.slices.push_back(std::move(slice));
  }
  for (size_t k = FirstValue(call); k < call.operands.size(); ++k) {
    call.operands[k].data = reader.Take(call.operands[k].shape->ByteSize());
  }
}

}  // namespace

Greeting ReadGreeting(const char* message, int64_t bytes) {
  Greeting greeting;
  std::memset(static_cast<void*>(&greeting), 0, sizeof(greeting));
  std::memcpy(&greeting, message, std::min<int64_t>(bytes, sizeof(greeting)));
  greeting.at[sizeof(greeting.at) - 1] = 0;
  return greeting;
}

bool IsWhole(const Greeting& greeting, int64_t bytes) {
  if (greeting.magic != kGreetingMagic || greeting.values_bytes < 0 || greeting.operand_bytes < 0) return false;
  int64_t left = bytes - static_cast<int64_t>(sizeof(greeting));
  if (greeting.has_values != 0 && (left -= greeting.values_bytes) < 0) return false;
  if (greeting.has_operands != 0) left -= greeting.operand_bytes;
  return left == 0;
}

uint64_t SubjectOf(const CollectiveCall& call, const std::vector<CollectiveArray>& arrays) {
  // Who sends has no instruction, perhaps.
  const bool is_transfer =
      call.action == CollectiveCall::Action::kSend || call.action == CollectiveCall::Action::kReceive;
  uint64_t digest = arrays.size();
  if (!is_transfer) {
    digest = MixHash(digest, static_cast<uint64_t>(call.instruction->opcode()));
    digest = MixHash(digest, static_cast<uint64_t>(call.action));
  }
  for (const CollectiveArray& array : arrays) {
    digest = MixHash(digest, static_cast<uint64_t>(array.shape->element_type()));
    for (int d = 0; d < array.shape->rank(); ++d) digest = MixHash(digest, array.shape->dimension(d));
    digest = MixHash(digest, array.shape->rank());
  }
  return digest;
}

int64_t TotalBytes(const std::vector<CollectiveArray>& arrays) {
  int64_t bytes = 0;
  for (const CollectiveArray& array : arrays) bytes += array.shape->ByteSize();
  return bytes;
}

size_t FirstValue(const CollectiveCall& call) {
  if (call.action == CollectiveCall::Action::kMove) {
    if (call.instruction->opcode() == HloOpcode::kRaggedAllToAll) return 2;
    if (call.instruction->opcode() == HloOpcode::kCollectiveBroadcast) return call.results.size();
  }
  return call.operands.size();
}

void AppendValues(const CollectiveCall& call, std::string& bytes) {
  Append(bytes, call.source);
  Append(bytes, static_cast<int64_t>(call.slices.size()));
  for (const CollectiveCall::Slice& slice : call.slices) {
    Append(bytes, slice.array);
    Append(bytes, static_cast<int64_t>(slice.from.size()));
    for (const int64_t i : slice.from) Append(bytes, i);
    Append(bytes, static_cast<int64_t>(slice.to.size()));
    for (const int64_t i : slice.to) Append(bytes, i);
  }
  for (size_t k = FirstValue(call); k < call.operands.size(); ++k) {
    bytes.append(static_cast<const char*>(call.operands[k].data), call.operands[k].shape->ByteSize());
  }
}

bool ReadValues(absl::Span<char> bytes, absl::Span<CollectiveCall* const> calls) {
  ValueReader reader(bytes);
  for (CollectiveCall* call : calls) ReadValuesOf(reader, *call);
  return reader.ok();
}

std::string DescribeShapes(const std::vector<CollectiveArray>& arrays) {
  const auto add = [](std::string* out, const CollectiveArray& array) {
    absl::StrAppend(out, array.shape->ToString());
  };
  constexpr size_t kMost = 150;
  if (arrays.size() == 1) return arrays[0].shape->ToString().substr(0, kMost);
  // As many as fit.
  const size_t count = std::min<size_t>(arrays.size(), 16);
  std::string text = absl::StrJoin(arrays.begin(), arrays.begin() + count, ", ", add);
  if (count < arrays.size() || text.size() > kMost) text = absl::StrCat(text.substr(0, kMost), ", ...");
  return absl::StrCat("(", text, ")");
}

}  // namespace transport
}  // namespace xla
