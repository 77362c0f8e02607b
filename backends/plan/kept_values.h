// Which values are the same in every run that is given the same weights, so that they need to be computed only once.
#ifndef BACKENDS_PLAN_KEPT_VALUES_H_
#define BACKENDS_PLAN_KEPT_VALUES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/memory/buffer_assignment.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Whether the buffer is a leaf of one of these parameters and nothing replaces it.
bool IsWeightBuffer(const AssignedBuffer& buffer, absl::Span<const int64_t> weights);

// By id of the buffer: whether an instruction of the entry computes it from weights, constants and other such buffers
// alone, and nothing else is ever there. Values that are much larger than what they are computed from are not among
// them: to keep them would cost more memory than it saves time. An error once a limit of `resources`, which may be
// nullptr, has been reached.
absl::StatusOr<std::vector<bool>> FindKeptBuffers(const HloModule& module, const BufferAssignment& assignment,
                                                  absl::Span<const int64_t> weights, const ResourceContext* resources);

}  // namespace xla

#endif  // BACKENDS_PLAN_KEPT_VALUES_H_
