#include "builders/stablehlo/lowering/location_metadata.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace xla {
namespace stablehlo {
namespace {

int32_t AsLine(int64_t line) {
  return static_cast<int32_t>(std::clamp<int64_t>(line, 0, std::numeric_limits<int32_t>::max()));
}

// Where `metadata` names no file, that of `other`.
void FillPlace(const OpMetadata& other, OpMetadata* metadata) {
  if (!metadata->source_file.empty() || other.source_file.empty()) return;
  metadata->source_file = other.source_file;
  metadata->source_line = other.source_line;
  metadata->source_end_line = other.source_end_line;
  metadata->source_column = other.source_column;
  metadata->source_end_column = other.source_end_column;
}

}  // namespace

LocationMetadata::LocationMetadata(const Module& module) {
  metadata_.reserve(module.location_count());
  for (int i = 0; i < module.location_count(); ++i) metadata_.push_back(MakeMetadata(module.location(LocationId{i})));
}

// Parts come before the locations that have them.
OpMetadata LocationMetadata::MakeMetadata(const Location& location) const {
  OpMetadata metadata;
  switch (location.kind) {
    case LocationKind::kUnknown:
      break;
    case LocationKind::kFile:
      metadata.source_file = location.text;
      metadata.source_line = AsLine(location.line);
      metadata.source_column = AsLine(location.column);
      metadata.source_end_line = AsLine(location.end_line);
      metadata.source_end_column = AsLine(location.end_column);
      break;
    case LocationKind::kName:
      if (location.child.ok()) metadata = Of(location.child);
      metadata.op_name = location.text;
      break;
    case LocationKind::kCallSite:
      if (location.child.ok()) metadata = Of(location.child);
      if (location.caller.ok()) FillPlace(Of(location.caller), &metadata);
      break;
    case LocationKind::kFused:
      for (const LocationId part : location.parts) {
        if (metadata.op_name.empty()) metadata.op_name = Of(part).op_name;
        FillPlace(Of(part), &metadata);
      }
      break;
  }
  return metadata;
}

}  // namespace stablehlo
}  // namespace xla
