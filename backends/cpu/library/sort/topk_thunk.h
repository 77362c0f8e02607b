// Thunks of topk: the best elements of lines.
#ifndef BACKENDS_CPU_LIBRARY_SORT_TOPK_THUNK_H_
#define BACKENDS_CPU_LIBRARY_SORT_TOPK_THUNK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/plan/thunk_maker.h"

namespace xla {

// A topk of row-major arrays, and the custom call of that name.
absl::StatusOr<std::unique_ptr<Thunk>> MakeTopKThunk(const HloInstruction& instruction, PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SORT_TOPK_THUNK_H_
