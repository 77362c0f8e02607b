// What the module and the arguments of its entry say about the program as a whole.
#ifndef BUILDERS_STABLEHLO_LOWERING_MODULE_ATTRIBUTES_H_
#define BUILDERS_STABLEHLO_LOWERING_MODULE_ATTRIBUTES_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/program_lowering.h"

namespace xla {
namespace stablehlo {

// mhlo.num_replicas, mhlo.num_partitions. Errors: numbers that no program can have.
absl::Status ReadDeviceCounts(const Operation& module_operation, ProgramLowering* program);
// Frontend attributes, meshes, and aliases that a program made from HLO brings.
absl::Status ReadModuleAttributes(const ProgramLowering& program, const Operation& module_operation,
                                  HloModuleConfig* config);
// Donated and aliased arguments, wishes for layouts and memory, of the entry with these shapes.
absl::Status ReadEntryAttributes(const ProgramLowering& program, const FunctionParts& entry,
                                 absl::Span<const Shape> arguments, absl::Span<const Shape> results,
                                 HloModuleConfig* config);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_MODULE_ATTRIBUTES_H_
