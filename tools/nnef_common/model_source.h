// Where the tools read NNEF models from, and flags about how.
#ifndef TOOLS_NNEF_COMMON_MODEL_SOURCE_H_
#define TOOLS_NNEF_COMMON_MODEL_SOURCE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "builders/nnef_common/containers/container.h"
#include "builders/nnef_common/containers/tensor_file.h"
#include "builders/nnef_common/model_format.h"
#include "tools/frontends/program_source.h"
#include "tools/shared/flag_table.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// The container at a path or in standard input. Errors: those of nnef::OpenContainer.
absl::StatusOr<std::unique_ptr<nnef::Container>> OpenModelSource(const ProgramSource& source,
                                                                 const nnef::ModelFormat& format,
                                                                 const ResourceContext* resources);

// Whether what is there looks like a model of the format.
bool LooksLikeModelSource(const ProgramSource& source, const nnef::ModelFormat& format);

// What the command line says about how to read a model of any version.
struct NnefReadFlags {
  std::vector<std::string> shapes;  // "input=1,3,224,224"
  std::string scalars = "f32";
  bool simulate_quantization = false;

  // By input. Errors: InvalidArgument for shapes that cannot be understood, also for extents below `smallest`.
  absl::StatusOr<std::map<std::string, nnef::Extents>> Shapes(int64_t smallest) const;
};

void AddNnefReadFlags(NnefReadFlags* flags, FlagTable* table);

}  // namespace xla

#endif  // TOOLS_NNEF_COMMON_MODEL_SOURCE_H_
