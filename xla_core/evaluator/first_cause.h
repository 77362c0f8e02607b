// Which error of a run on several devices is the one to report.
#ifndef XLA_CORE_EVALUATOR_FIRST_CAUSE_H_
#define XLA_CORE_EVALUATOR_FIRST_CAUSE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "xla_core/types/literal.h"

namespace xla {

// The error that stopped a run is worth more than the echo (Aborted) on the devices that waited for it. OK if there is
// none.
inline absl::Status FirstCause(absl::Span<const absl::StatusOr<Literal>> results) {
  absl::Status error;
  for (const auto& result : results) {
    if (result.ok()) continue;
    if (error.ok() ||
        (error.code() == absl::StatusCode::kAborted && result.status().code() != absl::StatusCode::kAborted)) {
      error = result.status();
    }
  }
  return error;
}

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_FIRST_CAUSE_H_
