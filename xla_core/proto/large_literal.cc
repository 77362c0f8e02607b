#include "xla_core/proto/large_literal.h"

#include "xla_core/proto/wire_format.h"

namespace xla {
namespace {

constexpr size_t kLargeBytes = 1 << 20;

// Field numbers, as in hlo.proto: of HloInstructionProto, and those of LiteralProto that hold no elements of an array.
constexpr uint64_t kLiteral = 8;
constexpr uint64_t kShape = 1;
constexpr uint64_t kTupleLiterals = 10;

// The one field of `message` that `wanted` holds for, apart from the others.
struct Parted {
  WireField field;
  std::string others;
};
// Splits a message into the one field that `wanted` accepts and the bytes of all others. nullopt if there is not
// exactly one, if another field is large too, or if the bytes are no message: then the whole is parsed in the
// ordinary way.
template <typename Predicate>
absl::optional<Parted> Part(absl::string_view message, Predicate wanted) {
  Parted parted;
  int found = 0;
  WireCursor cursor(message);
  while (!cursor.AtEnd()) {
    WireField field;
    if (!cursor.Next(&field)) return absl::nullopt;
    if (wanted(field)) {
      parted.field = field;
      ++found;
    } else {
      if (field.whole.size() >= kLargeBytes) return absl::nullopt;
      parted.others.append(field.whole.data(), field.whole.size());
    }
  }
  if (found != 1) return absl::nullopt;
  return parted;
}

void AppendBytesField(uint64_t number, absl::string_view bytes, std::string* message) {
  message->push_back(static_cast<char>(number << 3 | static_cast<uint64_t>(WireType::kBytes)));
  uint64_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) message->push_back(static_cast<char>(size | 0x80));
  message->push_back(static_cast<char>(size));
  message->append(bytes.data(), bytes.size());
}

}  // namespace

// Takes the elements of a large constant out of an instruction's bytes, so that they are decoded straight into the
// literal and not copied through a protobuf message first.
absl::optional<SplitInstruction> SplitLargeLiteral(absl::string_view instruction) {
  if (instruction.size() < kLargeBytes) return absl::nullopt;
  absl::optional<Parted> outer = Part(
      instruction, [](const WireField& field) { return field.number == kLiteral && field.type == WireType::kBytes; });
  if (!outer.has_value()) return absl::nullopt;
  const absl::optional<Parted> literal = Part(outer->field.bytes, [](const WireField& field) {
    return field.number != kShape && field.number != kTupleLiterals && field.type == WireType::kBytes &&
           field.bytes.size() >= kLargeBytes;
  });
  if (!literal.has_value()) return absl::nullopt;
  // A few of the elements on their own would be lost.
  WireCursor others(literal->others);
  while (!others.AtEnd()) {
    WireField field;
    if (!others.Next(&field) || field.number == literal->field.number) return absl::nullopt;
  }
  SplitInstruction split{std::move(outer->others), {literal->field.number, literal->field.bytes}};
  AppendBytesField(kLiteral, literal->others, &split.message);
  return split;
}

int64_t CountVarints(absl::string_view bytes) {
  int64_t count = 0;
  for (char byte : bytes) count += (byte & 0x80) == 0 ? 1 : 0;
  return count;
}

// Decodes exactly `values.size()` varints of 7 bits a byte, least significant first. False if there are more, fewer,
// or one of more than 64 bits.
template <typename T>
bool DecodeVarints(absl::string_view bytes, absl::Span<T> values) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  for (T& value : values) {
    uint64_t decoded = 0;
    int shift = 0;
    uint8_t byte;
    do {
      if (at == end || shift > 63) return false;
      byte = static_cast<uint8_t>(*at++);
      decoded |= static_cast<uint64_t>(byte & 0x7F) << shift;
      shift += 7;
    } while ((byte & 0x80) != 0);
    value = static_cast<T>(decoded);
  }
  return at == end;
}

template bool DecodeVarints(absl::string_view, absl::Span<bool>);
template bool DecodeVarints(absl::string_view, absl::Span<int32_t>);
template bool DecodeVarints(absl::string_view, absl::Span<int64_t>);
template bool DecodeVarints(absl::string_view, absl::Span<uint32_t>);
template bool DecodeVarints(absl::string_view, absl::Span<uint64_t>);

}  // namespace xla
