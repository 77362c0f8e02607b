// The cycles of an NNEF model that hlo-run runs, with its variables kept from one to the next.
#ifndef TOOLS_NNEF_COMMON_RUN_CYCLES_H_
#define TOOLS_NNEF_COMMON_RUN_CYCLES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "builders/nnef_common/lowered_model.h"
#include "tools/nnef_common/fed_tensors.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

// Runs the module of the model once, on all parameters; the result is its tuple.
using RunModule = std::function<absl::StatusOr<Literal>(const std::vector<Literal>& arguments)>;

// All cycles, from the variables' initial values: the tensors of `model.output_names`, cycle by cycle. What is fed
// comes from `fed`, of `cycles` cycles, or is `inputs` in each if that is empty; `parameters` are those of the module.
// Errors: those of `run` and nnef::FitInputs; a variable has no data; the error of a run-time check that fails.
absl::StatusOr<std::vector<std::vector<Literal>>> RunCycles(const nnef::LoweredModel& model,
                                                            absl::Span<const Shape> parameters, const FedCycles& fed,
                                                            const std::vector<Literal>& inputs, int64_t cycles,
                                                            const RunModule& run);

// Numbers of parameters that are the same in every cycle.
std::vector<int64_t> WeightParameters(const nnef::LoweredModel& model);

}  // namespace xla

#endif  // TOOLS_NNEF_COMMON_RUN_CYCLES_H_
