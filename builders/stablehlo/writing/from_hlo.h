// Converts HLO to StableHLO: `hlo-opt --to stablehlo`.
//
// The entry becomes the function @main, whose results are the leaves of the entry's result. Computations that are
// called become private functions; those that loops, branches, reductions and the like call become their regions, once
// for each use. StableHLO's control flow has no tuples: a value that is a tuple in HLO is the list of its leaves here,
// so tuple and get-tuple-element become nothing.
//
// Layouts are dropped, except those that a custom call asks for. Metadata becomes locations, shardings and frontend
// attributes the mhlo attributes that StableHLO's readers know.
#ifndef BUILDERS_STABLEHLO_WRITING_FROM_HLO_H_
#define BUILDERS_STABLEHLO_WRITING_FROM_HLO_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "builders/stablehlo/ir/module.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace stablehlo {

// `hlo` is verified. Errors: Unimplemented for instructions that StableHLO does not have; ResourceExhausted if the
// regions, written out, are far larger than the program.
absl::StatusOr<std::unique_ptr<Module>> FromHlo(const HloModule& hlo, const ResourceContext* resources = nullptr);

// The same as text, with locations.
absl::StatusOr<std::string> StableHloText(const HloModule& hlo, const ResourceContext* resources = nullptr);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_WRITING_FROM_HLO_H_
