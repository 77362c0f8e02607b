// LowerToHlo: a StableHLO program as HLO.
#ifndef BUILDERS_STABLEHLO_LOWERING_LOWER_TO_HLO_H_
#define BUILDERS_STABLEHLO_LOWERING_LOWER_TO_HLO_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/ir/module.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace stablehlo {

struct LoweringOptions {
  std::string source_name;  // for messages, and for the metadata of what has no location
  std::string entry;        // the function that is the program; empty: see LowerToHlo
  const ResourceContext* resources = nullptr;
  // Is given the elements of each large constant that does not lie in a resource once they have been copied. They are
  // not read again.
  std::function<void(absl::string_view)> on_copied;
};

// A verified module for @main or, if there is no such function, one for each public function, named after it.
// Operations are checked by the constraints of the StableHLO specification as they are written; what no single
// operation can tell, HLO's verifier checks in the end. Functions become computations that are called, regions
// computations of their own. Errors: InvalidArgument with the place, the operation and the constraint that does not
// hold; Unimplemented for what HLO cannot say; reaching a limit of `options.resources`.
absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> LowerToHlo(const Module& module,
                                                                   const LoweringOptions& options);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_LOWER_TO_HLO_H_
