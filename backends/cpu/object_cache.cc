#include "backends/cpu/object_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "backends/cpu/packed_bytes.h"
#include "xla_core/support/files.h"

namespace xla {
namespace {

constexpr absl::string_view kMagic = "halo objects 1\n";

}  // namespace

uint64_t HashBytes(absl::string_view bytes, uint64_t seed) {
  uint64_t hash = seed;
  for (const char c : bytes) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  return hash;
}

std::string EncodeImage(const CompiledKernels::Image& image) {
  PackedWriter writer;
  writer.Number(image.objects.size());
  for (const std::string& object : image.objects) writer.Text(object);
  writer.Number(image.symbols.size());
  for (size_t i = 0; i < image.symbols.size(); ++i) {
    writer.Text(image.symbols[i]);
    writer.Number(image.phase_counts[i]);
  }
  return writer.Take();
}

absl::StatusOr<CompiledKernels::Image> DecodeImage(absl::string_view bytes) {
  PackedReader reader(bytes);
  CompiledKernels::Image image;
  for (uint64_t n = reader.Count(); n > 0; --n) image.objects.emplace_back(reader.Text());
  for (uint64_t n = reader.Count(); n > 0; --n) {
    image.symbols.emplace_back(reader.Text());
    image.phase_counts.push_back(static_cast<int>(reader.Number()));
  }
  if (reader.IsDone()) return image;
  return absl::InvalidArgumentError("the compiled code is damaged");
}

std::string DigestOfKey(absl::string_view key) {
  // Two hashes from different beginnings.
  return absl::StrCat(absl::Hex(HashBytes(key), absl::kZeroPad16),
                      absl::Hex(HashBytes(key, 0x9e3779b97f4a7c15), absl::kZeroPad16));
}

std::string ObjectCache::PathOf(absl::string_view key) const {
  // The key in the file decides in any case.
  return absl::StrCat(folder_, "/", DigestOfKey(key), ".halo");
}

// Reads an entry. Absent entries are nullopt without an error; a damaged one, or one whose full key differs (two keys
// with one hash), is an error that names the file, and is compiled again.
absl::StatusOr<absl::optional<CompiledKernels::Image>> ObjectCache::Find(absl::string_view key) const {
  const std::string path = PathOf(key);
  if (access(path.c_str(), F_OK) != 0) return absl::optional<CompiledKernels::Image>();
  const auto unusable = [&path](absl::string_view why) {
    return absl::DataLossError(absl::StrCat("the cache entry ", path, " is ignored: ", why));
  };
  const absl::StatusOr<FileContents> file = ReadFile(path);
  if (!file.ok()) return unusable(file.status().message());
  absl::string_view bytes = file->data();
  if (bytes.substr(0, kMagic.size()) != kMagic) return unusable("it is not a file of this cache");
  PackedReader reader(bytes.substr(kMagic.size()));
  const uint64_t checksum = reader.Number();
  const absl::string_view found_key = reader.Text();
  const absl::string_view encoded = reader.Text();
  if (!reader.IsDone() || HashBytes(encoded) != checksum) return unusable("it is damaged");
  if (found_key != key) return unusable("it belongs to another program or processor");
  absl::StatusOr<CompiledKernels::Image> image = DecodeImage(encoded);
  if (!image.ok()) return unusable(image.status().message());
  return absl::optional<CompiledKernels::Image>(*std::move(image));
}

absl::Status ObjectCache::Store(absl::string_view key, const CompiledKernels::Image& image) const {
  const std::string encoded = EncodeImage(image);
  PackedWriter writer;
  writer.Number(HashBytes(encoded));
  writer.Text(key);
  writer.Text(encoded);
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
    return absl::UnavailableError(absl::StrCat("cannot make the cache folder ", folder_, ": ", std::strerror(errno)));
  }
  return WriteFile(PathOf(key), absl::StrCat(kMagic, writer.Take()));
}

}  // namespace xla
