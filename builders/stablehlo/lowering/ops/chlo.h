// CHLO's operations where they are named by a composite.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPS_CHLO_H_
#define BUILDERS_STABLEHLO_LOWERING_OPS_CHLO_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/lowering/operation_call.h"

namespace xla {
namespace stablehlo {

// Writes a composite "chlo.erf" as the operation chlo.erf and returns true; false, and nothing is written, if there is
// no such operation, if the version is another one than this table's, or if it is given other operands or attributes.
absl::StatusOr<bool> LowerKnownComposite(OperationCall& call, absl::string_view name, int64_t version,
                                         const AttributeReader& fields);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPS_CHLO_H_
