// The wire format of protobuf, field by field, for what the library does not tell: which message some bytes are, or why
// they are not one.
#ifndef XLA_CORE_PROTO_WIRE_FORMAT_H_
#define XLA_CORE_PROTO_WIRE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace google {
namespace protobuf {
class Descriptor;
}  // namespace protobuf
}  // namespace google

namespace xla {

// The low three bits of a field's tag. Source: Protobuf's encoding specification,
// protobuf.dev/programming-guides/encoding.
enum class WireType { kVarint = 0, kFixed64 = 1, kBytes = 2, kStartGroup = 3, kEndGroup = 4, kFixed32 = 5 };

// One field as WireCursor finds it; the views are into the message.
struct WireField {
  uint64_t number = 0;
  WireType type = WireType::kVarint;  // a group is one field, of type kStartGroup
  uint64_t varint = 0;                // of kVarint
  absl::string_view bytes;            // of kBytes
  absl::string_view whole;            // the field with its number and length
};

// Walks over the fields of one message.
class WireCursor {
 public:
  explicit WireCursor(absl::string_view message) : message_(message) {}
  bool AtEnd() const { return position_ == message_.size(); }
  // False if what follows is no field; then problem() says why.
  bool Next(WireField* field);
  const std::string& problem() const { return problem_; }
  size_t position() const { return position_; }

 private:
  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  bool ReadVarint(uint64_t* value);
  bool ReadValue(uint64_t tag, WireField* field);
  bool SkipGroup();

  absl::string_view message_;
  size_t position_ = 0;
  std::string problem_;
};

bool IsValidUtf8(absl::string_view text);

// What is wrong with `bytes` as a message of type `descriptor`: "computations[0].instructions[3].name: not UTF-8", or
// the offset at which the file ends too early. Empty if nothing is.
std::string FindWireProblem(absl::string_view bytes, const google::protobuf::Descriptor& descriptor);

}  // namespace xla

#endif  // XLA_CORE_PROTO_WIRE_FORMAT_H_
