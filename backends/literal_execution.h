// Runs executables from literals to literals: buffers are made, used once and gone.
#ifndef BACKENDS_LITERAL_EXECUTION_H_
#define BACKENDS_LITERAL_EXECUTION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "xla_core/types/literal.h"

namespace xla {

// arguments[d][i] is parameter i of device d of the executable; the result has one literal for each device, a tuple
// where the program's result is one. Errors: those of Executable::Launch and of the run.
absl::StatusOr<std::vector<Literal>> ExecuteOnLiterals(Executable& executable,
                                                       absl::Span<const std::vector<Literal>> arguments,
                                                       const ExecuteOptions& options = {});

// Of a program for one device.
absl::StatusOr<Literal> ExecuteOnLiterals(Executable& executable, absl::Span<const Literal> arguments,
                                          const ExecuteOptions& options = {});

}  // namespace xla

#endif  // BACKENDS_LITERAL_EXECUTION_H_
