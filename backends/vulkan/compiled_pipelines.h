// What a program's compilation leaves beside its module: how it was compiled, and what the driver made of its kernels.
//
// Both are in a serialised executable, and the latter in a cache folder. Drivers check little of what they are given:
// the bytes must come from a source that the process trusts.
#ifndef BACKENDS_VULKAN_COMPILED_PIPELINES_H_
#define BACKENDS_VULKAN_COMPILED_PIPELINES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/options.h"
#include "backends/vulkan/device/device_facts.h"

namespace xla {
namespace vulkan {

struct CompiledPipelines {
  bool fast_math = false;
  std::vector<int64_t> weights;  // numbers of parameters
  std::string data;              // of a PipelineCache

  // The options count as if the caller had given them.
  void ApplyTo(CompileOptions* options) const;
};

std::string EncodePipelines(const CompiledPipelines& pipelines);
// DataLoss: the bytes are not what EncodePipelines wrote.
absl::StatusOr<CompiledPipelines> DecodePipelines(absl::string_view bytes);

// Names an entry of a cache folder: all that the driver's code depends on. `modules`: the words of all of them.
std::string KeyOfPipelines(const DeviceFacts& facts, absl::string_view modules);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_COMPILED_PIPELINES_H_
