// Entries of a cache folder: bytes on disk that a program takes long to make again.
//
// An entry is one file, named after its key. It is written under another name and then renamed, so that any number of
// processes may use one folder; and it carries a checksum and its whole key, so that a damaged or foreign file is
// distinguished from a good one.
#ifndef BACKENDS_HOST_CACHE_ENTRY_H_
#define BACKENDS_HOST_CACHE_ENTRY_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace xla {

// nullopt if there is none; DataLoss, with the file's name, if there is one that cannot be used.
absl::StatusOr<absl::optional<std::string>> ReadCacheEntry(const std::string& folder, absl::string_view key);
// The folder is made if it is not there. Errors: those of the file system.
absl::Status WriteCacheEntry(const std::string& folder, absl::string_view key, absl::string_view bytes);
// That a file, by its name, cannot be used.
absl::Status UnusableCacheEntry(const std::string& folder, absl::string_view key, absl::string_view why);

// A short text that stands for a key: 128 bits of hashes of it.
std::string DigestOfKey(absl::string_view key);

// 64-bit FNV-1a, from `seed` on.
uint64_t HashBytes(absl::string_view bytes, uint64_t seed = 0xcbf29ce484222325);

}  // namespace xla

#endif  // BACKENDS_HOST_CACHE_ENTRY_H_
