// Numbers and texts one after the other, as files and serialised executables hold them: little-endian, texts with their
// length in front.
#ifndef BACKENDS_HOST_PACKED_BYTES_H_
#define BACKENDS_HOST_PACKED_BYTES_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace xla {

// Appends numbers (8 bytes each) and texts. Formats have no tags: PackedReader has to ask for the same things in the
// same order.
class PackedWriter {
 public:
  void Number(uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value)); }
  void Text(absl::string_view text) {
    Number(text.size());
    bytes_.append(text.data(), text.size());
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Of any bytes: what is not there reads as 0 or "", and IsDone is false then.
class PackedReader {
 public:
  explicit PackedReader(absl::string_view bytes) : bytes_(bytes) {}

  uint64_t Number() {
    uint64_t value = 0;
    if (bytes_.size() < sizeof(value)) {
      failed_ = true;
      return 0;
    }
    std::memcpy(&value, bytes_.data(), sizeof(value));
    bytes_.remove_prefix(sizeof(value));
    return value;
  }
  // How many things follow, each of which takes some bytes.
  uint64_t Count() {
    const uint64_t count = Number();
    if (count > bytes_.size()) failed_ = true;
    return failed_ ? 0 : count;
  }
  absl::string_view Text() {
    const absl::string_view text = bytes_.substr(0, Count());
    bytes_.remove_prefix(text.size());
    return text;
  }
  // Whether everything was there, and nothing is left.
  bool IsDone() const { return !failed_ && bytes_.empty(); }

 private:
  absl::string_view bytes_;
  bool failed_ = false;
};

}  // namespace xla

#endif  // BACKENDS_HOST_PACKED_BYTES_H_
