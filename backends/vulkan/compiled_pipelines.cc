#include "backends/vulkan/compiled_pipelines.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "backends/host/cache_entry.h"
#include "backends/host/packed_bytes.h"

namespace xla {
namespace vulkan {

void CompiledPipelines::ApplyTo(CompileOptions* options) const {
  options->fast_math = fast_math;
  options->weights = weights;
}

std::string EncodePipelines(const CompiledPipelines& pipelines) {
  PackedWriter content;
  content.Number(pipelines.fast_math ? 1 : 0);
  content.Number(pipelines.weights.size());
  for (const int64_t weight : pipelines.weights) content.Number(static_cast<uint64_t>(weight));
  content.Text(pipelines.data);
  const std::string bytes = content.Take();
  PackedWriter whole;
  whole.Number(HashBytes(bytes));
  whole.Text(bytes);
  return whole.Take();
}

absl::StatusOr<CompiledPipelines> DecodePipelines(absl::string_view bytes) {
  PackedReader whole(bytes);
  const uint64_t checksum = whole.Number();
  const absl::string_view content = whole.Text();
  if (!whole.IsDone() || HashBytes(content) != checksum) return absl::DataLossError("its checksum is wrong");
  PackedReader reader(content);
  CompiledPipelines result;
  const uint64_t flags = reader.Number();
  result.fast_math = flags == 1;
  for (uint64_t n = reader.Count(); n > 0; --n) result.weights.push_back(static_cast<int64_t>(reader.Number()));
  result.data = std::string(reader.Text());
  if (!reader.IsDone() || flags > 1) return absl::DataLossError("it does not hold what it should");
  return result;
}

std::string KeyOfPipelines(const DeviceFacts& facts, absl::string_view modules) {
  const absl::string_view uuid(reinterpret_cast<const char*>(facts.pipeline_cache_uuid.data()), VK_UUID_SIZE);
  return absl::StrCat("vulkan pipelines 1, ", facts.vendor_id, ":", facts.device_id, ", ", facts.driver, ", ",
                      absl::BytesToHexString(uuid), ", ", DigestOfKey(modules));
}

}  // namespace vulkan
}  // namespace xla
