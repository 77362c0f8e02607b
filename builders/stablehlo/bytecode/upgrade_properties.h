// The attributes of VHLO's operations as properties of today's StableHLO.
#ifndef BUILDERS_STABLEHLO_BYTECODE_UPGRADE_PROPERTIES_H_
#define BUILDERS_STABLEHLO_BYTECODE_UPGRADE_PROPERTIES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/stablehlo/bytecode/vhlo_operations.h"
#include "builders/stablehlo/ir/module.h"

namespace xla {
namespace stablehlo {

// `given` are the operation's attributes in the order of `operation.attributes`. The properties are named as
// StableHLO's generic form names them; those with the value that stands for "not given" are left out.
// Errors: an attribute is not of the kind that it must be.
absl::StatusOr<std::vector<NamedAttribute>> UpgradeProperties(const VhloOperation& operation,
                                                              absl::Span<const AttributeId> given, Module* module);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_BYTECODE_UPGRADE_PROPERTIES_H_
