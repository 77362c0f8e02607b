// Reads what JAX writes about shardings into frontend attributes, in the syntax of the MLIR dialect sdy:
//
//   xla.sdy.meshes={mesh = #sdy.mesh<["data"=2, "model"=4]>}               of the module
//   xla.sdy.sharding="#sdy.sharding<@mesh, [{\"data\"}, {?}]>"              of a parameter
//   xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{}, {\"model\"}]>]>"   of a custom call, one for each result
//   xla.sdy.manual_axes="#sdy<manual_axes{\"data\"}>"                       of the custom calls around a manual body
#ifndef PASSES_PARTITIONING_SDY_TEXT_H_
#define PASSES_PARTITIONING_SDY_TEXT_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/annotations.h"
#include "xla_core/ir/mesh.h"

namespace xla {

using SdyMeshes = std::map<std::string, Mesh>;

// Of all of these the error is InvalidArgument, with the text and what was expected where in it.
absl::StatusOr<SdyMeshes> ParseSdyMeshes(absl::string_view text);
// One, or one for each value. Priorities of dimensions are passed over.
absl::StatusOr<std::vector<Sharding>> ParseSdyShardings(absl::string_view text, const SdyMeshes& meshes);
// Their names.
absl::StatusOr<std::vector<std::string>> ParseSdyManualAxes(absl::string_view text);

}  // namespace xla

#endif  // PASSES_PARTITIONING_SDY_TEXT_H_
