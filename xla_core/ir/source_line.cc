#include "xla_core/ir/source_line.h"

#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {
namespace {

// The element at a 1-based id; null if there is none.
template <typename T>
const T* At(const std::vector<T>& table, int64_t id) {
  return id >= 1 && id <= static_cast<int64_t>(table.size()) ? &table[id - 1] : nullptr;
}

}  // namespace

std::string SourceLineOf(const HloInstruction& instruction) {
  const OpMetadata& metadata = instruction.annotations().metadata;
  if (!metadata.source_file.empty()) return absl::StrCat(metadata.source_file.view(), ":", metadata.source_line);
  const HloComputation* computation = instruction.parent();
  if (computation == nullptr || computation->parent() == nullptr) return "";
  const StackFrameIndex& frames = computation->parent()->config().stack_frames;
  const auto* frame = At(frames.stack_frames, metadata.stack_frame_id);
  const auto* location = frame == nullptr ? nullptr : At(frames.file_locations, frame->file_location_id);
  const std::string* file = location == nullptr ? nullptr : At(frames.file_names, location->file_name_id);
  return file == nullptr ? "" : absl::StrCat(*file, ":", location->line);
}

}  // namespace xla
