// Thunks of sorts that go by keys, without a call of the comparator.
#ifndef BACKENDS_CPU_LIBRARY_SORT_SORT_THUNK_H_
#define BACKENDS_CPU_LIBRARY_SORT_SORT_THUNK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backends/plan/thunk_maker.h"

namespace xla {

// A sort of row-major arrays whose comparator compares elements as they are, or with all NaN and both zeros made equal
// (xla_core/ops/comparator_keys.h); by several keys too. Stable. Refuses others.
absl::StatusOr<std::unique_ptr<Thunk>> MakeSortThunk(const HloInstruction& instruction, PlanContext& context);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_SORT_SORT_THUNK_H_
