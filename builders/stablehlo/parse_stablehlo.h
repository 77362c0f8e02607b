// ParseStableHlo: StableHLO programs as HLO.
//
//   absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> modules = ParseStableHlo(contents);
//
// Text as JAX, PyTorch/XLA and StableHLO's tools print it, and portable artifacts (MLIR bytecode) of any version since
// 0.9.0, without MLIR.
#ifndef BUILDERS_STABLEHLO_PARSE_STABLEHLO_H_
#define BUILDERS_STABLEHLO_PARSE_STABLEHLO_H_

#include <functional>
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
  // Is given the parts of `contents` that have been copied into large constants and are not read again, so that whoever
  // has the contents need not keep a program's weights twice.
  std::function<void(absl::string_view)> on_copied;
};

// The programs of a file as verified modules: one for each module of a text, which lines `// -----` separate, or the
// one of an artifact, and for each of its entries. `contents` is needed no longer than the call.
// Errors: InvalidArgument with file, place and what is wrong: for text the line with a caret, for an artifact the
// offset and the section, for an operation the constraint of the StableHLO specification that does not hold;
// Unimplemented for what HLO cannot say; reaching a limit.
absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> ParseStableHlo(absl::string_view contents,
                                                                       const StableHloOptions& options = {});

// Whether `contents` begins as a StableHLO program does.
bool LooksLikeStableHlo(absl::string_view contents);
// Whether they are an artifact, or else text.
bool IsStableHloBytecode(absl::string_view contents);

}  // namespace xla

#endif  // BUILDERS_STABLEHLO_PARSE_STABLEHLO_H_
