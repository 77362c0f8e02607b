// The header of a .npy file: magic, version, length, and a Python dictionary of three entries:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "xla_core/literal_io/npy.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";
// NumPy's own limit for the number of dimensions is 64.
constexpr size_t kMaxRank = 64;
// Magic, version, and the length as far as version 1 has it.
constexpr int64_t kFixedBytes = 10;
// As much as version 1 can say; only structures with fields need more.
constexpr int64_t kMaxHeaderBytes = 0xFFFF;

// Reads the dictionary from left to right. After a mismatch every step returns false.
class DictionaryReader {
 public:
  explicit DictionaryReader(absl::string_view text) : rest_(text) {}

  // Parses the Python dictionary of the header. The format fixes the three keys but not their order; others, or a
  // missing one, make the file damaged.
  bool Read(NpyHeader& header, std::string& descr) {
    bool has_descr = false, has_order = false, has_shape = false;
    if (!Skip('{')) return false;
    while (!Skip('}')) {
      std::string key;
      if (!ReadString(key) || !Skip(':')) return false;
      if (key == "descr") {
        has_descr = ReadString(descr);
        if (!has_descr) return false;
      } else if (key == "fortran_order") {
        has_order = ReadBool(header.fortran_order);
        if (!has_order) return false;
      } else if (key == "shape") {
        has_shape = ReadDimensions(header.dimensions);
        if (!has_shape) return false;
      } else {
        return false;
      }
      if (!Skip(',')) {
        if (!Skip('}')) return false;
        break;
      }
    }
    SkipBlanks();
    return has_descr && has_order && has_shape && rest_.empty();
  }

 private:
  void SkipBlanks() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  bool Skip(char c) {
    SkipBlanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool SkipWord(absl::string_view word) {
    SkipBlanks();
    if (!absl::StartsWith(rest_, word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool ReadString(std::string& value) {
    SkipBlanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == absl::string_view::npos) return false;
    value = std::string(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return true;
  }
  bool ReadBool(bool& value) {
    value = SkipWord("True");
    return value || SkipWord("False");
  }
  bool ReadDimensions(DimensionVector& dimensions) {
    if (!Skip('(')) return false;
    while (!Skip(')')) {
      SkipBlanks();
      size_t digits = 0;
      while (digits < rest_.size() && absl::ascii_isdigit(rest_[digits])) ++digits;
      int64_t size;
      if (!absl::SimpleAtoi(rest_.substr(0, digits), &size) || dimensions.size() == kMaxRank) return false;
      rest_.remove_prefix(digits);
      dimensions.push_back(size);
      SkipWord("L");  // a long integer of Python 2
      if (!Skip(',')) return Skip(')');
    }
    return true;
  }

  absl::string_view rest_;
};

absl::Status Damaged(absl::string_view name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", what));
}

uint32_t LittleEndian(absl::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return value;
}

// "<f4": byte order, kind, bytes for each element.
absl::Status ReadDescr(absl::string_view descr, absl::string_view name, NpyHeader& header) {
  absl::string_view rest = descr;
  if (!rest.empty() && absl::StrContains("<>=|", rest.substr(0, 1))) {
    header.big_endian = rest[0] == '>';
    rest.remove_prefix(1);
  }
  const bool has_kind = !rest.empty() && absl::StrContains("biufcV", rest.substr(0, 1));
  if (has_kind) header.kind = rest[0];
  const bool known = has_kind && absl::SimpleAtoi(rest.substr(1), &header.item_bytes) && [&] {
    const int bytes = header.item_bytes;
    switch (header.kind) {
      case 'b':
        return bytes == 1;
      case 'V':
        return bytes == 1 || bytes == 2;
      case 'f':
        return bytes == 2 || bytes == 4 || bytes == 8;
      case 'c':
        return bytes == 8 || bytes == 16;
      default:
        return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    }
  }();
  if (known) return absl::OkStatus();
  return Damaged(name, absl::StrCat("holds elements of NumPy type '", descr,
                                    "', expected booleans, integers, floats or complex numbers that HLO has; convert "
                                    "them with numpy's astype"));
}

}  // namespace

// The header of NumPy's .npy format, versions 1 to 3: magic, version, length of the dictionary in 2 or 4 bytes,
// dictionary, data. Checks that the file is long enough for its elements before anything is allocated for them.
absl::StatusOr<NpyHeader> ReadNpyHeader(const NpyStream& file, absl::string_view name) {
  std::string head(static_cast<size_t>(std::min(file.size, kFixedBytes)), '\0');
  RETURN_IF_ERROR(file.next(static_cast<int64_t>(head.size()), &head[0]));
  if (!absl::StartsWith(head, kMagic) || file.size < kFixedBytes) return Damaged(name, "not a .npy file");
  const int version = static_cast<unsigned char>(head[6]);
  if (version < 1 || version > 3) {
    return Damaged(name, absl::StrCat(".npy format version ", version, " is unknown, expected 1, 2 or 3"));
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  const int64_t start = 8 + static_cast<int64_t>(length_bytes);
  if (file.size < start) return Damaged(name, "the .npy file is cut off within its header");
  head.resize(static_cast<size_t>(start));
  RETURN_IF_ERROR(file.next(start - kFixedBytes, &head[static_cast<size_t>(kFixedBytes)]));
  const int64_t header_bytes = LittleEndian(absl::string_view(head).substr(8, length_bytes));
  if (header_bytes > file.size - start) return Damaged(name, "the .npy file is cut off within its header");
  if (header_bytes > kMaxHeaderBytes) {
    return Damaged(name,
                   absl::StrCat("the .npy header has ", header_bytes, " bytes, expected at most ", kMaxHeaderBytes));
  }
  std::string dictionary(static_cast<size_t>(header_bytes), '\0');
  RETURN_IF_ERROR(file.next(header_bytes, &dictionary[0]));

  NpyHeader header;
  std::string descr;
  if (!DictionaryReader(dictionary).Read(header, descr)) {
    const bool structured = absl::StrContains(dictionary, "[(");
    return Damaged(name, structured ? "holds a structure with fields, expected an array of plain numbers"
                                    : "the .npy header is damaged, expected {'descr': ..., 'fortran_order': ..., "
                                      "'shape': (...)}");
  }
  RETURN_IF_ERROR(ReadDescr(descr, name, header));
  header.data_offset = start + header_bytes;

  int64_t bytes = header.item_bytes;
  bool fits = true;
  bool empty = false;
  for (const int64_t size : header.dimensions) {
    empty |= size == 0;
    if (size != 0) fits = fits && CheckedMul(bytes, size, &bytes);
  }
  if (!fits) return Damaged(name, "the array is too large for 64 bits");
  header.data_bytes = empty ? 0 : bytes;
  const int64_t available = file.size - header.data_offset;
  if (header.data_bytes > available) {
    return Damaged(name, absl::StrCat("the .npy file is cut off: its header announces ", bytes,
                                      " bytes of elements, the file has ", available));
  }
  return header;
}

}  // namespace xla
