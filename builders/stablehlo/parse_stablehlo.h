// ParseStableHlo: StableHLO programs as HLO.
//
//   absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> modules = ParseStableHlo(text);
//
// Text as JAX, PyTorch/XLA and StableHLO's tools print it, without MLIR.
#ifndef BUILDERS_STABLEHLO_PARSE_STABLEHLO_H_
#define BUILDERS_STABLEHLO_PARSE_STABLEHLO_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct StableHloOptions {
  std::string file_name;  // for messages
  std::string entry;      // the function that is the program; empty: @main, else every public function is one
  // Limits of the work; nullptr: none.
  const ResourceContext* resources = nullptr;
};

// The programs of a file as verified modules: one for each module of the text, which lines `// -----` separate, and for
// each of its entries.
// Errors: InvalidArgument with file, line and what is wrong, for text with a caret, for an operation with the
// constraint
//   of the StableHLO specification that does not hold; Unimplemented for what HLO cannot say; reaching a limit.
absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> ParseStableHlo(absl::string_view contents,
                                                                       const StableHloOptions& options = {});

// Whether `contents` begins as a StableHLO program does.
bool LooksLikeStableHlo(absl::string_view contents);

}  // namespace xla

#endif  // BUILDERS_STABLEHLO_PARSE_STABLEHLO_H_
