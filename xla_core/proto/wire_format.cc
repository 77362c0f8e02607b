#include "xla_core/proto/wire_format.h"

#include <google/protobuf/descriptor.h>

#include <cstring>
#include <map>

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// As deep as any message that is accepted.
constexpr int kMaxDepth = 2000;

// "instructions[3]" for the fourth of a repeated field; `count` is how many came before.
std::string StepName(const FieldDescriptor& field, int count) {
  return field.is_repeated() ? absl::StrCat(field.name(), "[", count, "]") : field.name();
}

// Whether there is nothing to find, which is the rule: without keeping the path to each field.
bool IsSound(absl::string_view bytes, const Descriptor& descriptor, int depth) {
  if (depth > kMaxDepth) return false;
  WireCursor cursor(bytes);
  WireField wire;
  while (!cursor.AtEnd()) {
    if (!cursor.Next(&wire)) return false;
    if (wire.type != WireType::kBytes) continue;
    const FieldDescriptor* field = descriptor.FindFieldByNumber(static_cast<int>(wire.number));
    if (field == nullptr) continue;
    if (field->type() == FieldDescriptor::TYPE_STRING && !IsValidUtf8(wire.bytes)) return false;
    if (field->type() == FieldDescriptor::TYPE_MESSAGE && !IsSound(wire.bytes, *field->message_type(), depth + 1)) {
      return false;
    }
  }
  return true;
}

// Looks for what makes protobuf's parser fail, which does not say where: a malformed field or a string that is not
// UTF-8. Returns text such as `computations[0].instructions[2].name is ...`, or "" if nothing is wrong.
std::string FindProblem(absl::string_view bytes, const Descriptor& descriptor, const std::string& path, size_t offset,
                        int depth) {
  if (depth > kMaxDepth) return absl::StrCat(path, ": nested too deep");
  WireCursor cursor(bytes);
  WireField wire;
  std::map<int, int> counts;
  while (!cursor.AtEnd()) {
    if (!cursor.Next(&wire)) return absl::StrCat("at byte ", offset + cursor.position(), ": ", cursor.problem());
    const FieldDescriptor* field = descriptor.FindFieldByNumber(static_cast<int>(wire.number));
    if (field == nullptr || wire.type != WireType::kBytes) continue;
    const std::string here = absl::StrCat(path, path.empty() ? "" : ".", StepName(*field, counts[field->number()]++));
    if (field->type() == FieldDescriptor::TYPE_STRING && !IsValidUtf8(wire.bytes)) {
      return absl::StrCat(here, " is no valid UTF-8");
    }
    if (field->type() != FieldDescriptor::TYPE_MESSAGE) continue;
    std::string problem = FindProblem(wire.bytes, *field->message_type(), here,
                                      offset + static_cast<size_t>(wire.bytes.data() - bytes.data()), depth + 1);
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace

bool WireCursor::ReadVarint(uint64_t* value) {
  *value = 0;
  constexpr int kMaxBytes = 10;
  for (int i = 0; i < kMaxBytes; ++i) {
    if (AtEnd()) return Fail("the data ends within a number");
    const auto byte = static_cast<unsigned char>(message_[position_++]);
    *value |= static_cast<uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) return true;
  }
  return Fail("a number of more than ten bytes");
}

// Reads what follows a tag of the wire format: a varint, fixed bytes or a length and bytes. Groups are passed
// through; their contents are fields of their own.
bool WireCursor::ReadValue(uint64_t tag, WireField* field) {
  field->number = tag >> 3;
  field->type = static_cast<WireType>(tag & 7);
  constexpr uint64_t kMaxFieldNumber = (uint64_t{1} << 29) - 1;
  if (field->number == 0 || field->number > kMaxFieldNumber) return Fail("no field has this number");
  uint64_t size = 0;
  switch (field->type) {
    case WireType::kVarint:
      return ReadVarint(&field->varint);
    case WireType::kStartGroup:
    case WireType::kEndGroup:
      return true;
    case WireType::kFixed64:
      size = 8;
      break;
    case WireType::kFixed32:
      size = 4;
      break;
    case WireType::kBytes:
      if (!ReadVarint(&size)) return false;
      break;
    default:
      return Fail("no field has this type");
  }
  if (size > message_.size() - position_) {
    return Fail(absl::StrCat("a field of ", size, " bytes, but only ", message_.size() - position_, " are left"));
  }
  field->bytes = message_.substr(position_, size);
  position_ += size;
  return true;
}

// After the start of a group: to the position after its end.
bool WireCursor::SkipGroup() {
  WireField inner;
  for (int depth = 1; depth > 0;) {
    uint64_t tag = 0;
    if (!ReadVarint(&tag) || !ReadValue(tag, &inner)) return false;
    depth += inner.type == WireType::kStartGroup ? 1 : inner.type == WireType::kEndGroup ? -1 : 0;
  }
  return true;
}

bool WireCursor::Next(WireField* field) {
  const size_t begin = position_;
  uint64_t tag = 0;
  if (!ReadVarint(&tag) || !ReadValue(tag, field)) return false;
  if (field->type == WireType::kEndGroup) return Fail("the end of a group that was not begun");
  if (field->type == WireType::kStartGroup && !SkipGroup()) return false;
  field->whole = message_.substr(begin, position_ - begin);
  return true;
}

// Strict UTF-8: no overlong forms, no surrogates, at most U+10FFFF, as protobuf requires of strings.
bool IsValidUtf8(absl::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    // Eight characters of ASCII at once.
    uint64_t eight;
    while (text.size() - i >= sizeof(eight)) {
      std::memcpy(&eight, text.data() + i, sizeof(eight));
      if ((eight & 0x8080808080808080) != 0) break;
      i += sizeof(eight);
    }
    if (i == text.size()) break;
    const auto lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || text.size() - i < static_cast<size_t>(more)) return false;
    uint32_t code = lead & (0x3F >> more);
    for (int k = 0; k < more; ++k) {
      const auto next = static_cast<unsigned char>(text[i++]);
      if ((next & 0xC0) != 0x80) return false;
      code = code << 6 | (next & 0x3F);
    }
    const bool too_long = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
    if (too_long || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
  }
  return true;
}

std::string FindWireProblem(absl::string_view bytes, const Descriptor& descriptor) {
  return IsSound(bytes, descriptor, 0) ? "" : FindProblem(bytes, descriptor, "", 0, 0);
}

}  // namespace xla
