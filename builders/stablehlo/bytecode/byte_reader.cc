#include "builders/stablehlo/bytecode/byte_reader.h"

#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"

namespace xla {
namespace stablehlo {
namespace {

constexpr char kPadding = '\xCB';

}  // namespace

absl::string_view SectionName(SectionId id) {
  switch (id) {
    case SectionId::kStrings:
      return "section 0 (strings)";
    case SectionId::kDialects:
      return "section 1 (dialects)";
    case SectionId::kAttributesAndTypes:
      return "section 2 (attributes and types)";
    case SectionId::kOffsets:
      return "section 3 (offsets of attributes and types)";
    case SectionId::kIr:
      return "section 4 (IR)";
    case SectionId::kResources:
      return "section 5 (resources)";
    case SectionId::kResourceOffsets:
      return "section 6 (offsets of resources)";
    case SectionId::kDialectVersion:
      return "section 7 (version of a dialect)";
    case SectionId::kProperties:
      return "section 8 (properties)";
    case SectionId::kFile:
      break;
  }
  return "the file";
}

bool ErrorLog::Error(size_t offset, SectionId section, absl::string_view message) {
  if (message_.empty()) {
    message_ = absl::StrCat(file_name_, file_name_.empty() ? "" : ": ", "offset ", offset, " in ", SectionName(section),
                            ": ", message);
  }
  return false;
}

absl::Status ErrorLog::ToStatus() const {
  if (MustStop()) return CheckResources(resources_);
  return ok() ? absl::OkStatus() : absl::InvalidArgumentError(message_);
}

bool ByteReader::ErrorAtEnd(uint64_t wanted) const {
  return Error(absl::StrCat("expected ", wanted, wanted == 1 ? " more byte" : " more bytes", ", found ", left(),
                            "; the file may have been cut off"));
}

bool ByteReader::ErrorIndex(absl::string_view what, uint64_t value, size_t limit) const {
  return Error(absl::StrCat("expected the number of ", what, " below ", limit, ", found ", value));
}

bool ByteReader::CheckCount(absl::string_view what, uint64_t count) const {
  if (count <= left() && count <= static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) return true;
  return Error(absl::StrCat("expected ", count, " ", what, ", found only ", left(), " bytes for them"));
}

bool ByteReader::ReadLongVarint(uint64_t* value) {
  if (at_ == end_) return ErrorAtEnd(1);
  const uint8_t first = Byte(at_);
  const int more = first == 0 ? 8 : __builtin_ctz(first);
  if (left() < static_cast<size_t>(more) + 1) return ErrorAtEnd(more + 1);
  uint64_t bits = 0;
  if (first == 0) {
    std::memcpy(&bits, data_ + at_ + 1, 8);
    *value = bits;
  } else if (left() >= sizeof(bits)) {
    // A copy of a size that the compiler knows is one instruction.
    std::memcpy(&bits, data_ + at_, sizeof(bits));
    const int unused_bits = 8 * (7 - more);
    *value = bits << unused_bits >> unused_bits >> (more + 1);
  } else {
    std::memcpy(&bits, data_ + at_, more + 1);
    *value = bits >> (more + 1);
  }
  at_ += more + 1;
  return true;
}

bool ByteReader::ReadBytes(uint64_t size, absl::string_view* bytes) {
  if (size > left()) return ErrorAtEnd(size);
  *bytes = absl::string_view(data_ + at_, size);
  at_ += size;
  return true;
}

bool ByteReader::ReadBlob(absl::string_view* bytes) {
  uint64_t size = 0;
  return ReadVarint(&size) && ReadBytes(size, bytes);
}

bool ByteReader::ReadText(absl::string_view* text) {
  const void* const zero = left() == 0 ? nullptr : std::memchr(data_ + at_, '\0', left());
  if (zero == nullptr) return Error("expected a text that a zero byte ends; the file may have been cut off");
  const size_t end = static_cast<const char*>(zero) - data_;
  *text = absl::string_view(data_ + at_, end - at_);
  at_ = end + 1;
  return true;
}

bool ByteReader::SkipPadding(uint64_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return Error(absl::StrCat("expected an alignment that is a power of two, found ", alignment));
  }
  const uint64_t past = at_ & (alignment - 1);
  absl::string_view padding;
  if (past == 0) return true;
  if (!ReadBytes(alignment - past, &padding)) return false;
  const size_t wrong = padding.find_first_not_of(kPadding);
  return wrong == absl::string_view::npos || ErrorAt(at_ - padding.size() + wrong, "expected the padding byte 0xCB");
}

bool ByteReader::ReadRange(uint64_t size, ByteReader* range) {
  if (size > left()) return ErrorAtEnd(size);
  *range = *this;
  range->end_ = at_ + size;
  at_ += size;
  return true;
}

bool ByteReader::ReadSection(ByteReader* inside) {
  const size_t begin = at_;
  uint8_t head = 0;
  uint64_t size = 0;
  if (!ReadByte(&head) || !ReadVarint(&size)) return false;
  const int id = head & 0x7F;
  if (id > static_cast<int>(SectionId::kProperties)) {
    return ErrorAt(begin, absl::StrCat("expected the number of a section from 0 to 8, found ", id));
  }
  uint64_t alignment = 1;
  const bool is_aligned = (head & 0x80) != 0;
  if (is_aligned && (!ReadVarint(&alignment) || !SkipPadding(alignment))) return false;
  if (size > left()) {
    return ErrorAt(begin, absl::StrCat(SectionName(static_cast<SectionId>(id)), " has ", size, " bytes, but only ",
                                       left(), " are left; the file may have been cut off"));
  }
  if (!ReadRange(size, inside)) return false;
  inside->section_ = static_cast<SectionId>(id);
  return true;
}

bool ByteReader::ExpectEnd(absl::string_view what) const {
  return IsAtEnd() || Error(absl::StrCat("expected the end of ", what, ", found ", left(), " more bytes"));
}

}  // namespace stablehlo
}  // namespace xla
