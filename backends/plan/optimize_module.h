// From a module to what is planned: the passes of a backend's pipeline.
#ifndef BACKENDS_PLAN_OPTIMIZE_MODULE_H_
#define BACKENDS_PLAN_OPTIMIZE_MODULE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// A copy of the verified module as passes begin with it. Its parameters and its result are row-major, as literals are,
// whatever the module's entry_computation_layout says. If it is for several devices its header has their numbers, and
// it is one program for all of them. Errors: the verifier's, if the module does not fit the numbers; of `resources`.
absl::StatusOr<std::unique_ptr<HloModule>> PrepareForPasses(const HloModule& module, int64_t replica_count,
                                                            int64_t partition_count, const ResourceContext& resources);

// The same after the pipeline of that name. `fast_math`: groups of enum FastMath. Errors: likewise, and those of
// passes.
absl::StatusOr<std::shared_ptr<const HloModule>> OptimizeModule(const HloModule& module, absl::string_view pipeline,
                                                                int64_t replica_count, int64_t partition_count,
                                                                unsigned fast_math, const ResourceContext& resources);

}  // namespace xla

#endif  // BACKENDS_PLAN_OPTIMIZE_MODULE_H_
