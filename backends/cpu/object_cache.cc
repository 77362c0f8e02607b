#include "backends/cpu/object_cache.h"

#include "backends/host/cache_entry.h"
#include "backends/host/packed_bytes.h"
#include "xla_core/support/status_macros.h"

namespace xla {

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

absl::StatusOr<absl::optional<CompiledKernels::Image>> ObjectCache::Find(absl::string_view key) const {
  ASSIGN_OR_RETURN(const absl::optional<std::string> bytes, ReadCacheEntry(folder_, key));
  if (!bytes.has_value()) return absl::optional<CompiledKernels::Image>();
  absl::StatusOr<CompiledKernels::Image> image = DecodeImage(*bytes);
  if (!image.ok()) return UnusableCacheEntry(folder_, key, image.status().message());
  return absl::optional<CompiledKernels::Image>(*std::move(image));
}

absl::Status ObjectCache::Store(absl::string_view key, const CompiledKernels::Image& image) const {
  return WriteCacheEntry(folder_, key, EncodeImage(image));
}

}  // namespace xla
