// From a module to what runs: the passes of the pipeline `cpu`.
#ifndef BACKENDS_CPU_COMPILE_MODULE_H_
#define BACKENDS_CPU_COMPILE_MODULE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// A copy of the verified module as it is after the pipeline. Its parameters and its result are row-major, as literals
// are, whatever the module's entry_computation_layout says. `fast_math`: groups of enum FastMath. Errors: those of
// passes; of `resources`.
absl::StatusOr<std::shared_ptr<const HloModule>> OptimizeForCpu(const HloModule& module, unsigned fast_math,
                                                                const ResourceContext& resources);

}  // namespace xla

#endif  // BACKENDS_CPU_COMPILE_MODULE_H_
