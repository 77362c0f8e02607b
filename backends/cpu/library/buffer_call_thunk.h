// Thunks of custom calls that work on plain memory (xla_core/ops/buffer_call.h): LAPACK's.
#ifndef BACKENDS_CPU_LIBRARY_BUFFER_CALL_THUNK_H_
#define BACKENDS_CPU_LIBRARY_BUFFER_CALL_THUNK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/plan/thunk_maker.h"

namespace xla {

// In whatever layouts operands and results have; matrices in columns, for which programs of JAX ask, are not copied.
absl::StatusOr<std::unique_ptr<Thunk>> MakeBufferCallThunk(const HloInstruction& instruction, PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_BUFFER_CALL_THUNK_H_
