// Tells HLO text, protobuf text and binary protobuf apart, and the messages that can hold a module.
//
// A binary message often begins with a line feed, the tag of field 1, so looking for text first would not do; but text
// hardly ever reads as a sequence of fields to its very end.
#include "xla_core/proto/format_detection.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_core/proto/wire_format.h"

namespace xla {
namespace {

// Whether all of `message` is fields whose numbers lie in [1, max_number], of which a field `wanted` holds bytes that
// `check` accepts (if it asks for any).
template <typename Check>
bool IsMessage(absl::string_view message, uint64_t max_number, uint64_t wanted, Check&& check) {
  WireCursor cursor(message);
  WireField field;
  bool found = false;
  while (!cursor.AtEnd()) {
    if (!cursor.Next(&field)) return false;
    // Extensions and Halo's own fields have large numbers.
    if (field.number > max_number && field.number < 1000) return false;
    if (field.number != wanted) continue;
    if (field.type != WireType::kBytes || !check(field.bytes)) return false;
    found = true;
  }
  return found;
}

bool IsAnything(absl::string_view) { return true; }

// A computation has a name or instructions.
bool IsComputation(absl::string_view bytes) {
  return IsMessage(bytes, 30, 1, IsAnything) || IsMessage(bytes, 30, 2, IsAnything);
}

// A module has computations (field 3).
bool IsModule(absl::string_view bytes) { return IsMessage(bytes, 100, 3, IsComputation); }

bool IsHloProto(absl::string_view bytes) { return IsMessage(bytes, 30, 1, IsModule); }

bool HasField(absl::string_view bytes, uint64_t number) {
  WireCursor cursor(bytes);
  WireField field;
  while (!cursor.AtEnd() && cursor.Next(&field)) {
    if (field.number == number) return true;
  }
  return false;
}

// Control characters, which occur in binary files only, or a first character that begins no word of a text.
bool HasBinaryCharacters(absl::string_view contents) {
  constexpr size_t kEnough = 1 << 16;
  const absl::string_view head = contents.substr(0, kEnough);
  const absl::string_view text = absl::StripLeadingAsciiWhitespace(head);
  if (!text.empty() && !absl::ascii_isascii(static_cast<unsigned char>(text[0]))) return true;
  return std::any_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && !absl::ascii_isspace(byte)) || byte == 0x7F;
  });
}

// The fields of a module that may come first (name, entry's name, computations) and the first one of the other messages
// are these. A file that is damaged behind that is still one of them.
bool BeginsLikeMessage(absl::string_view contents) {
  constexpr absl::string_view kFirstTags("\x0a\x12\x1a");
  return !contents.empty() && kFirstTags.find(contents[0]) != absl::string_view::npos;
}

// A byte-order mark of UTF-8 or UTF-16.
bool BeginsWithByteOrderMark(absl::string_view contents) {
  return absl::StartsWith(contents, "\xEF\xBB\xBF") || absl::StartsWith(contents, "\xFF\xFE") ||
         absl::StartsWith(contents, "\xFE\xFF");
}

// Text that an editor or a transfer has damaged: its parser says where.
bool IsDamagedText(absl::string_view contents) {
  return BeginsWithByteOrderMark(contents) ||
         absl::StartsWith(absl::StripLeadingAsciiWhitespace(contents), "HloModule");
}

// Blanks and comments of protobuf text.
absl::string_view SkipBlanks(absl::string_view text) {
  while (true) {
    text = absl::StripLeadingAsciiWhitespace(text);
    if (text.empty() || text[0] != '#') return text;
    text = text.substr(std::min(text.find('\n'), text.size()));
  }
}

absl::string_view TakeIdentifier(absl::string_view* text) {
  size_t size = 0;
  while (size < text->size() && (absl::ascii_isalnum((*text)[size]) || (*text)[size] == '_')) ++size;
  const absl::string_view word = text->substr(0, size);
  text->remove_prefix(size);
  return word;
}

// `name: ...` or `name { name: ...`: HLO text has an equals sign after the first name in braces, or none at all.
bool BeginsLikeProtoText(absl::string_view contents) {
  absl::string_view rest = SkipBlanks(contents);
  if (TakeIdentifier(&rest).empty()) return false;
  rest = SkipBlanks(rest);
  if (rest.empty()) return false;
  if (rest[0] == ':') return true;
  if (rest[0] != '{' && rest[0] != '<') return false;
  rest = SkipBlanks(rest.substr(1));
  if (!rest.empty() && (rest[0] == '}' || rest[0] == '>')) return true;
  if (TakeIdentifier(&rest).empty()) return false;
  rest = SkipBlanks(rest);
  return !rest.empty() && (rest[0] == ':' || rest[0] == '{' || rest[0] == '<');
}

}  // namespace

HloProtoKind DetectBinaryKind(absl::string_view contents) {
  if (IsModule(contents)) return HloProtoKind::kModule;
  if (IsMessage(contents, 30, 1, IsHloProto)) return HloProtoKind::kSnapshot;
  if (IsHloProto(contents)) {
    return HasField(contents, 2) ? HloProtoKind::kUnoptimizedSnapshot : HloProtoKind::kHloProto;
  }
  return HloProtoKind::kModule;
}

HloProtoKind DetectTextKind(absl::string_view contents) {
  absl::string_view rest = SkipBlanks(contents);
  const absl::string_view first = TakeIdentifier(&rest);
  if (first == "hlo") return HloProtoKind::kSnapshot;
  if (first != "hlo_module") return HloProtoKind::kModule;
  // Fields of the outermost message stand at the beginning of their lines.
  const bool has_partitions = contents.find("\npartitions") != absl::string_view::npos;
  return has_partitions ? HloProtoKind::kUnoptimizedSnapshot : HloProtoKind::kHloProto;
}

HloFileFormat DetectHloFormat(absl::string_view contents) {
  if (IsModule(contents) || IsHloProto(contents) || IsMessage(contents, 30, 1, IsHloProto)) {
    return HloFileFormat::kProtoBinary;
  }
  if (IsDamagedText(contents)) return HloFileFormat::kHloText;
  if (HasBinaryCharacters(contents)) {
    return BeginsLikeMessage(contents) ? HloFileFormat::kProtoBinary : HloFileFormat::kUnknown;
  }
  return BeginsLikeProtoText(contents) ? HloFileFormat::kProtoText : HloFileFormat::kHloText;
}

}  // namespace xla
