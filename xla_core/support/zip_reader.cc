// Source: PKWARE's APPNOTE.TXT; the sections are named where they are used.
#include "xla_core/support/zip_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kEndRecordBytes = 22;
constexpr int64_t kWideEndLocatorBytes = 20;
constexpr int64_t kWideEndRecordBytes = 56;
constexpr int64_t kDirectoryEntryBytes = 46;
constexpr int64_t kEntryHeaderBytes = 30;
constexpr int64_t kMaxCommentBytes = 0xFFFF;
// What stands in a field of 32 bits whose value is elsewhere, in 64.
constexpr int64_t kElsewhere = 0xFFFFFFFF;
constexpr int64_t kElsewhereInTwoBytes = 0xFFFF;
constexpr int64_t kStored = 0, kDeflated = 8;
constexpr int64_t kEncrypted = 1;
// Deflate gives at most 258 bytes for two bits.
constexpr int64_t kLargestRatio = 1032;

// A little-endian number of `width` bytes that is known to be there.
uint64_t Number(absl::string_view bytes, int64_t at, int width) {
  uint64_t value = 0;
  for (int i = width; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[static_cast<size_t>(at + i)]);
  return value;
}
int64_t Short(absl::string_view bytes, int64_t at) { return static_cast<int64_t>(Number(bytes, at, 2)); }
int64_t Long(absl::string_view bytes, int64_t at) { return static_cast<int64_t>(Number(bytes, at, 4)); }

bool BeginsWith(absl::string_view bytes, int64_t at, absl::string_view signature) {
  return absl::StartsWith(bytes.substr(static_cast<size_t>(at)), signature);
}

bool Fits(int64_t offset, int64_t count, int64_t size) {
  return offset >= 0 && count >= 0 && offset <= size && count <= size - offset;
}

struct Directory {
  int64_t offset;
  int64_t size;
  int64_t count;
};

// Finds the record that ends every archive; a comment may follow it, whose length is in its last two bytes.
// Section 4.3.16.
absl::optional<int64_t> FindEndRecord(absl::string_view bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  const int64_t first = std::max<int64_t>(0, size - kEndRecordBytes - kMaxCommentBytes);
  for (int64_t at = size - kEndRecordBytes; at >= first; --at) {
    if (BeginsWith(bytes, at, "PK\x05\x06") && Short(bytes, at + 20) == size - at - kEndRecordBytes) return at;
  }
  return absl::nullopt;
}

// Where the directory is. Large archives have it in a second record, before the end record (sections 4.3.14, 4.3.15).
absl::StatusOr<Directory> FindDirectory(absl::string_view bytes) {
  const absl::optional<int64_t> end = FindEndRecord(bytes);
  if (!end.has_value()) return absl::InvalidArgumentError("not a zip archive: it has no directory at its end");
  Directory directory{Long(bytes, *end + 16), Long(bytes, *end + 12), Short(bytes, *end + 10)};
  bool is_on_one_disk = Number(bytes, *end + 4, 4) == 0 && Short(bytes, *end + 8) == directory.count;
  int64_t directory_end = *end;
  if (directory.offset == kElsewhere || directory.size == kElsewhere || directory.count == kElsewhereInTwoBytes) {
    const int64_t locator = *end - kWideEndLocatorBytes;
    if (locator >= 0 && BeginsWith(bytes, locator, "PK\x06\x07")) {
      const auto at = static_cast<int64_t>(Number(bytes, locator + 8, 8));
      if (!Fits(at, kWideEndRecordBytes, locator) || !BeginsWith(bytes, at, "PK\x06\x06")) {
        return absl::InvalidArgumentError("damaged zip archive: its directory is not where it says");
      }
      directory = {static_cast<int64_t>(Number(bytes, at + 48, 8)), static_cast<int64_t>(Number(bytes, at + 40, 8)),
                   static_cast<int64_t>(Number(bytes, at + 32, 8))};
      is_on_one_disk = is_on_one_disk && Number(bytes, at + 16, 8) == 0 &&
                       Number(bytes, at + 24, 8) == static_cast<uint64_t>(directory.count);
      directory_end = at;
    }
  }
  if (!is_on_one_disk) return absl::InvalidArgumentError("damaged zip archive: parts of it are elsewhere");
  if (!Fits(directory.offset, directory.size, directory_end) || directory.count < 0 ||
      directory.count > directory.size / kDirectoryEntryBytes) {
    return absl::InvalidArgumentError("damaged zip archive: its directory is cut off");
  }
  return directory;
}

// What the directory says of an entry.
struct EntryRecord {
  int64_t flags, method;
  int64_t stored_size, size, header_offset;
  uint32_t checksum;
  std::string name;
};

// Takes sizes and offset from the extra field with identifier 1, which has those that do not fit in 32 bits, in this
// order. False if one is missing. Section 4.5.3.
bool ReadWideNumbers(absl::string_view extra, EntryRecord& record) {
  int64_t* const wide[] = {&record.size, &record.stored_size, &record.header_offset};
  absl::string_view values;
  while (extra.size() >= 4) {
    const int64_t identifier = Short(extra, 0), length = Short(extra, 2);
    extra.remove_prefix(4);
    if (length > static_cast<int64_t>(extra.size())) return false;
    if (identifier == 1) values = extra.substr(0, static_cast<size_t>(length));
    extra.remove_prefix(static_cast<size_t>(length));
  }
  for (int64_t* const number : wide) {
    if (*number != kElsewhere) continue;
    if (values.size() < 8) return false;
    *number = static_cast<int64_t>(Number(values, 0, 8));
    values.remove_prefix(8);
  }
  return true;
}

// The entry of the directory that `rest` begins with, which is taken off. Section 4.3.12.
absl::optional<EntryRecord> TakeRecord(absl::string_view& rest) {
  const auto available = static_cast<int64_t>(rest.size());
  if (available < kDirectoryEntryBytes || !BeginsWith(rest, 0, "PK\x01\x02")) return absl::nullopt;
  const int64_t name_bytes = Short(rest, 28), extra_bytes = Short(rest, 30), comment_bytes = Short(rest, 32);
  const int64_t bytes = kDirectoryEntryBytes + name_bytes + extra_bytes + comment_bytes;
  if (bytes > available) return absl::nullopt;
  EntryRecord record;
  record.flags = Short(rest, 8);
  record.method = Short(rest, 10);
  record.checksum = static_cast<uint32_t>(Number(rest, 16, 4));
  record.stored_size = Long(rest, 20);
  record.size = Long(rest, 24);
  record.header_offset = Long(rest, 42);
  record.name = std::string(rest.substr(kDirectoryEntryBytes, static_cast<size_t>(name_bytes)));
  const auto extra_offset = static_cast<size_t>(kDirectoryEntryBytes + name_bytes);
  if (!ReadWideNumbers(rest.substr(extra_offset, static_cast<size_t>(extra_bytes)), record)) return absl::nullopt;
  rest.remove_prefix(static_cast<size_t>(bytes));
  return record;
}

// The bytes of an entry, which follow a header of its own. Section 4.3.7.
absl::StatusOr<absl::string_view> StoredBytes(absl::string_view bytes, const EntryRecord& record) {
  const auto size = static_cast<int64_t>(bytes.size());
  const int64_t at = record.header_offset;
  if (!Fits(at, kEntryHeaderBytes, size) || !BeginsWith(bytes, at, "PK\x03\x04")) {
    return absl::InvalidArgumentError("is not where the directory says");
  }
  const int64_t begin = at + kEntryHeaderBytes + Short(bytes, at + 26) + Short(bytes, at + 28);
  if (!Fits(begin, record.stored_size, size)) return absl::InvalidArgumentError("is cut off");
  return bytes.substr(static_cast<size_t>(begin), static_cast<size_t>(record.stored_size));
}

absl::StatusOr<ZipEntry> EntryOf(absl::string_view bytes, EntryRecord record) {
  if ((record.flags & kEncrypted) != 0) return absl::InvalidArgumentError("is encrypted");
  if (record.method != kStored && record.method != kDeflated) {
    return absl::InvalidArgumentError(
        absl::StrCat("is compressed by method ", record.method, ", expected 8 (deflate) or none"));
  }
  ZipEntry entry;
  ASSIGN_OR_RETURN(entry.stored, StoredBytes(bytes, record));
  entry.is_deflated = record.method == kDeflated;
  entry.size = record.size;
  entry.checksum = record.checksum;
  const bool is_possible = entry.is_deflated ? record.size >= 0 && record.size / kLargestRatio <= record.stored_size
                                             : record.size == record.stored_size;
  if (!is_possible) {
    return absl::InvalidArgumentError(absl::StrCat("announces ", record.size, " bytes, which its ", record.stored_size,
                                                   " bytes in the archive cannot be"));
  }
  entry.name = std::move(record.name);
  return entry;
}

absl::Status InArchive(const absl::Status& status, absl::string_view archive_name) {
  return absl::Status(status.code(), absl::StrCat(archive_name, ": ", status.message()));
}

absl::Status InEntry(const absl::Status& status, absl::string_view archive_name, absl::string_view entry_name) {
  return absl::Status(status.code(), absl::StrCat(archive_name, ": entry '", entry_name, "': ", status.message()));
}

}  // namespace

// Nothing here writes entries to disk, but their names may become file names one day.
bool IsZipEntryName(absl::string_view name) {
  if (name.empty() || name.front() == '/' || absl::StrContains(name, '\\') || absl::StrContains(name, '\0'))
    return false;
  for (absl::string_view component : absl::StrSplit(name, '/')) {
    if (component == "..") return false;
  }
  return true;
}

absl::StatusOr<std::vector<ZipEntry>> ReadZipDirectory(absl::string_view bytes, absl::string_view archive_name) {
  const absl::StatusOr<Directory> directory = FindDirectory(bytes);
  if (!directory.ok()) return InArchive(directory.status(), archive_name);
  absl::string_view rest = bytes.substr(static_cast<size_t>(directory->offset), static_cast<size_t>(directory->size));
  std::vector<ZipEntry> entries;
  absl::flat_hash_set<std::string> names;
  for (int64_t i = 0; i < directory->count; ++i) {
    absl::optional<EntryRecord> record = TakeRecord(rest);
    if (!record.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(archive_name, ": damaged zip archive: entry ", i, " of its directory makes no sense"));
    }
    const std::string name = record->name;
    if (absl::EndsWith(name, "/")) continue;
    if (!IsZipEntryName(name)) {
      return InEntry(absl::InvalidArgumentError("the name leads out of the archive"), archive_name, name);
    }
    if (!names.insert(name).second) {
      return InEntry(absl::InvalidArgumentError("the name occurs twice"), archive_name, name);
    }
    absl::StatusOr<ZipEntry> entry = EntryOf(bytes, *std::move(record));
    if (!entry.ok()) return InEntry(entry.status(), archive_name, name);
    entries.push_back(*std::move(entry));
  }
  return entries;
}

// zlib counts in 32 bits: it is given at most this much at a time.
constexpr int64_t kPieceBytes = int64_t{1} << 30;

struct ZipEntryReader::Inflater {
  z_stream z = {};
  absl::string_view rest;  // of the stored bytes that zlib has not been given

  // 15 bits of window, negative: without a header of zlib's own.
  explicit Inflater(absl::string_view stored) : rest(stored) { CHECK(inflateInit2(&z, -15) == Z_OK); }
  ~Inflater() { inflateEnd(&z); }

  // One call of zlib for at most `count` more bytes; returns how many came. Sets `is_end` once there are no more.
  absl::StatusOr<int64_t> Step(int64_t count, char* to, bool& is_end) {
    if (z.avail_in == 0) {
      const size_t piece = std::min(rest.size(), static_cast<size_t>(kPieceBytes));
      z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
      z.avail_in = static_cast<uInt>(piece);
      rest.remove_prefix(piece);
    }
    const bool has_input = z.avail_in > 0;
    const int64_t piece = std::min(count, kPieceBytes);
    z.next_out = reinterpret_cast<Bytef*>(to);
    z.avail_out = static_cast<uInt>(piece);
    const int result = inflate(&z, Z_NO_FLUSH);
    const int64_t got = piece - static_cast<int64_t>(z.avail_out);
    is_end = result == Z_STREAM_END || (result == Z_BUF_ERROR && !has_input);
    if (result == Z_OK || result == Z_BUF_ERROR || result == Z_STREAM_END) return got;
    return absl::InvalidArgumentError(absl::StrCat("is damaged: ", z.msg != nullptr ? z.msg : "wrong data"));
  }
};

ZipEntryReader::ZipEntryReader(const ZipEntry& entry) : entry_(entry), remaining_(entry.size) {
  if (entry.is_deflated) inflater_ = std::make_unique<Inflater>(entry.stored);
}

ZipEntryReader::~ZipEntryReader() = default;

absl::Status ZipEntryReader::Read(int64_t count, char* to) {
  if (count > remaining_) {
    return absl::InvalidArgumentError(
        absl::StrCat("ends after ", entry_.size, " bytes, expected ", count - remaining_, " more"));
  }
  if (count == 0) return absl::OkStatus();
  if (inflater_ != nullptr) {
    RETURN_IF_ERROR(Inflate(count, to));
  } else {
    std::memcpy(to, entry_.stored.data() + (entry_.size - remaining_), static_cast<size_t>(count));
  }
  checksum_ = static_cast<uint32_t>(crc32_z(checksum_, reinterpret_cast<const Bytef*>(to), static_cast<size_t>(count)));
  remaining_ -= count;
  return remaining_ == 0 ? CheckEnd() : absl::OkStatus();
}

absl::Status ZipEntryReader::Inflate(int64_t count, char* to) {
  bool is_end = false;
  while (count > 0 && !is_end) {
    ASSIGN_OR_RETURN(const int64_t got, inflater_->Step(count, to, is_end));
    to += got;
    count -= got;
  }
  if (count == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("inflates to fewer than the ", entry_.size, " bytes announced"));
}

// Whether the entry ends where the directory says: one more byte would be too much.
absl::Status ZipEntryReader::CheckEnd() {
  bool is_end = inflater_ == nullptr;
  while (!is_end) {
    char more;
    ASSIGN_OR_RETURN(const int64_t got, inflater_->Step(1, &more, is_end));
    if (got == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat("inflates to more than the ", entry_.size, " bytes announced"));
  }
  if (checksum_ != entry_.checksum) return absl::InvalidArgumentError("is damaged: its checksum is wrong");
  return absl::OkStatus();
}

}  // namespace xla
