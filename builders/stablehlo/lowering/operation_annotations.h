// What operations and arguments of StableHLO carry besides their meaning, as HLO carries it.
#ifndef BUILDERS_STABLEHLO_LOWERING_OPERATION_ANNOTATIONS_H_
#define BUILDERS_STABLEHLO_LOWERING_OPERATION_ANNOTATIONS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "builders/stablehlo/ir/attribute.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "xla_core/ir/annotations.h"

namespace xla {
namespace stablehlo {

struct OperationAnnotations {
  absl::optional<Sharding> sharding;
  FrontendAttributes frontend_attributes;
};

// From mhlo.sharding and mhlo.frontend_attributes, and from attributes of sdy, which are also kept as frontend
// attributes xla.sdy.sharding and xla.sdy.sharding_rule. A program of one partition needs no shardings of sdy. Errors:
// a sharding that is not one, an unknown mesh.
absl::StatusOr<OperationAnnotations> AnnotationsOf(const ProgramLowering& program,
                                                   absl::Span<const NamedAttribute> attributes);
// A dictionary of strings.
absl::StatusOr<FrontendAttributes> FrontendAttributesOf(const Module& module, const Attribute& dictionary);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_OPERATION_ANNOTATIONS_H_
