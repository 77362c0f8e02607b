#include "tools/nnef_common/model_source.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<std::pair<std::string, nnef::Extents>> ParseShape(const std::string& text, int64_t smallest) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('=', 1));
  nnef::Extents extents;
  bool fits = !parts.first.empty() && absl::StrContains(text, "=");  // a scalar has no extents: NAME=
  if (!parts.second.empty()) {
    for (const absl::string_view part : absl::StrSplit(parts.second, ',')) {
      int64_t extent = 0;
      fits = fits && absl::SimpleAtoi(part, &extent) && extent >= smallest;
      extents.push_back(extent);
    }
  }
  if (fits) return std::make_pair(std::string(parts.first), std::move(extents));
  return absl::InvalidArgumentError(
      absl::StrCat("--shape: expected NAME=EXTENTS, as input=1,3,224,224, got '", text, "'"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<nnef::Container>> OpenModelSource(const ProgramSource& source,
                                                                 const nnef::ModelFormat& format,
                                                                 const ResourceContext* resources) {
  const int64_t max_bytes = nnef::DefaultMaxContainerBytes();
  if (!source.is_standard_input()) return nnef::OpenContainer(source.path(), format, max_bytes, resources);
  ASSIGN_OR_RETURN(const absl::string_view contents, source.Contents());
  return nnef::OpenContainerInMemory(contents, source.name(), format, max_bytes, resources);
}

bool LooksLikeModelSource(const ProgramSource& source, const nnef::ModelFormat& format) {
  if (!source.is_standard_input()) return nnef::LooksLikeModel(source.path(), format);
  const absl::StatusOr<absl::string_view> contents = source.Contents();
  return contents.ok() && nnef::LooksLikeModelInMemory(*contents, format);
}

absl::StatusOr<std::map<std::string, nnef::Extents>> NnefReadFlags::Shapes(int64_t smallest) const {
  std::map<std::string, nnef::Extents> by_input;
  for (const std::string& text : shapes) {
    ASSIGN_OR_RETURN(auto shape, ParseShape(text, smallest));
    by_input[shape.first] = std::move(shape.second);
  }
  return by_input;
}

void AddNnefReadFlags(NnefReadFlags* flags, FlagTable* table) {
  table->List("shape", "NAME=EXTENTS", &flags->shapes,
              "replace the declared extents of an input, as input=4,3,224,224; may be repeated");
  table->Choice("scalars", {"f32", "f64", "f16", "bf16"}, &flags->scalars,
                "compute scalars in this type (default: f32)");
  table->Switch("simulate-quantization", &flags->simulate_quantization,
                "round tensors as the model's quantization specifies");
}

}  // namespace xla
