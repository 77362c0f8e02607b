// ByteReader: reads the primitives of MLIR's bytecode from a range of a file.
#ifndef BUILDERS_STABLEHLO_BYTECODE_BYTE_READER_H_
#define BUILDERS_STABLEHLO_BYTECODE_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace stablehlo {

// By their numbers in the file.
enum class SectionId : uint8_t {
  kStrings = 0,
  kDialects = 1,
  kAttributesAndTypes = 2,
  kOffsets = 3,
  kIr = 4,
  kResources = 5,
  kResourceOffsets = 6,
  kDialectVersion = 7,
  kProperties = 8,
  kFile = 9,  // the header and what is between sections; not in a file
};

// For messages: "section 4 (IR)".
absl::string_view SectionName(SectionId id);

// The first error of a file.
class ErrorLog {
 public:
  ErrorLog(std::string file_name, const ResourceContext* resources)
      : file_name_(std::move(file_name)), resources_(resources) {}

  // Always false.
  bool Error(size_t offset, SectionId section, absl::string_view message);
  bool ok() const { return message_.empty(); }
  bool MustStop() const { return resources_ != nullptr && resources_->IsOver(); }
  // That of the resources, if a limit has been reached; else InvalidArgument: "FILE: offset 12 in section 4 (IR): ...".
  absl::Status ToStatus() const;

 private:
  const std::string file_name_;
  const ResourceContext* const resources_;
  std::string message_;
};

// Functions that read return false after an error, which they have reported; what they should have set is then
// undefined.
class ByteReader {
 public:
  ByteReader() = default;
  // `file` and `errors` outlive it.
  ByteReader(absl::string_view file, SectionId section, ErrorLog* errors)
      : ByteReader(file, 0, file.size(), section, errors) {}

  size_t offset() const { return at_; }
  size_t left() const { return end_ - at_; }
  bool IsAtEnd() const { return at_ == end_; }
  SectionId section() const { return section_; }
  ErrorLog& errors() const { return *errors_; }

  bool Error(absl::string_view message) const { return ErrorAt(at_, message); }
  bool ErrorAt(size_t offset, absl::string_view message) const { return errors_->Error(offset, section_, message); }

  bool ReadByte(uint8_t* value) {
    if (at_ == end_) return ErrorAtEnd(1);
    *value = Byte(at_++);
    return true;
  }
  // Of up to 64 bits: the number of zeros below the lowest one of the first byte says how many bytes follow.
  bool ReadVarint(uint64_t* value) {
    if (at_ != end_ && (Byte(at_) & 1) != 0) {
      *value = Byte(at_++) >> 1;
      return true;
    }
    return ReadLongVarint(value);
  }
  // Zig-zag.
  bool ReadSignedVarint(int64_t* value) {
    uint64_t bits = 0;
    if (!ReadVarint(&bits)) return false;
    *value = static_cast<int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
    return true;
  }
  bool ReadFlagged(uint64_t* value, bool* flag) {
    uint64_t bits = 0;
    if (!ReadVarint(&bits)) return false;
    *value = bits >> 1;
    *flag = (bits & 1) != 0;
    return true;
  }
  // The number of what follows, each at least a byte, so that no list is longer than what is left.
  bool ReadCount(absl::string_view what, uint64_t* count) { return ReadVarint(count) && CheckCount(what, *count); }
  bool CheckCount(absl::string_view what, uint64_t count) const;
  // A number below `limit`.
  bool ReadIndex(absl::string_view what, size_t limit, uint32_t* index) {
    uint64_t value = 0;
    return ReadVarint(&value) && CheckIndex(what, value, limit, index);
  }
  bool CheckIndex(absl::string_view what, uint64_t value, size_t limit, uint32_t* index) const {
    *index = static_cast<uint32_t>(value);
    return value < limit || ErrorIndex(what, value, limit);
  }
  bool ReadBytes(uint64_t size, absl::string_view* bytes);
  // A varint and so many bytes.
  bool ReadBlob(absl::string_view* bytes);
  // Up to a zero byte, which is read too.
  bool ReadText(absl::string_view* text);
  // Skips the bytes that bring the offset in the file to a multiple of `alignment`.
  bool SkipPadding(uint64_t alignment);
  // The next `size` bytes as a range of their own.
  bool ReadRange(uint64_t size, ByteReader* range);
  // A section with its head. `inside` is a reader of its content.
  bool ReadSection(ByteReader* inside);
  bool ExpectEnd(absl::string_view what) const;

 private:
  ByteReader(absl::string_view file, size_t begin, size_t end, SectionId section, ErrorLog* errors)
      : data_(file.data()), at_(begin), end_(end), section_(section), errors_(errors) {}

  uint8_t Byte(size_t offset) const { return static_cast<uint8_t>(data_[offset]); }
  bool ReadLongVarint(uint64_t* value);
  bool ErrorAtEnd(uint64_t wanted) const;
  bool ErrorIndex(absl::string_view what, uint64_t value, size_t limit) const;

  const char* data_ = nullptr;  // of the whole file
  size_t at_ = 0;
  size_t end_ = 0;
  SectionId section_ = SectionId::kFile;
  ErrorLog* errors_ = nullptr;
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_BYTECODE_BYTE_READER_H_
