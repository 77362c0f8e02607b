#include "backends/host/cache_entry.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "backends/host/packed_bytes.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

constexpr absl::string_view kMagic = "halo objects 1\n";

// The key in the file decides in any case.
std::string PathOf(const std::string& folder, absl::string_view key) {
  return absl::StrCat(folder, "/", DigestOfKey(key), ".halo");
}

}  // namespace

uint64_t HashBytes(absl::string_view bytes, uint64_t seed) {
  uint64_t hash = seed;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

std::string DigestOfKey(absl::string_view key) {
  // Two hashes from different beginnings.
  return absl::StrCat(absl::Hex(HashBytes(key), absl::kZeroPad16),
                      absl::Hex(HashBytes(key, 0x9e3779b97f4a7c15), absl::kZeroPad16));
}

absl::Status UnusableCacheEntry(const std::string& folder, absl::string_view key, absl::string_view why) {
  return absl::DataLossError(absl::StrCat("the cache entry ", PathOf(folder, key), " is ignored: ", why));
}

// Two keys with one hash are two programs: the entry is of the one that was written last.
absl::StatusOr<absl::optional<std::string>> ReadCacheEntry(const std::string& folder, absl::string_view key) {
  const std::string path = PathOf(folder, key);
  if (access(path.c_str(), F_OK) != 0) return absl::optional<std::string>();
  const absl::StatusOr<FileContents> file = ReadFile(path);
  if (!file.ok()) return UnusableCacheEntry(folder, key, file.status().message());
  const absl::string_view bytes = file->data();
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return UnusableCacheEntry(folder, key, "it is not a file of this cache");
  }
  PackedReader reader(bytes.substr(kMagic.size()));
  const uint64_t checksum = reader.Number();
  const absl::string_view found_key = reader.Text();
  const absl::string_view encoded = reader.Text();
  if (!reader.IsDone() || HashBytes(encoded) != checksum) return UnusableCacheEntry(folder, key, "it is damaged");
  if (found_key != key) return UnusableCacheEntry(folder, key, "it belongs to another program or processor");
  return absl::optional<std::string>(std::string(encoded));
}

absl::Status WriteCacheEntry(const std::string& folder, absl::string_view key, absl::string_view bytes) {
  PackedWriter writer;
  writer.Number(HashBytes(bytes));
  writer.Text(key);
  writer.Text(bytes);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::UnavailableError(absl::StrCat("cannot make the cache folder ", folder, ": ", std::strerror(errno)));
  }
  return WriteFile(PathOf(folder, key), absl::StrCat(kMagic, writer.Take()));
}

}  // namespace xla
