// What is fed to a model: checked, and padded to the shapes of its parameters.
#ifndef BUILDERS_NNEF_COMMON_FED_INPUTS_H_
#define BUILDERS_NNEF_COMMON_FED_INPUTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "builders/nnef_common/lowered_model.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {
namespace nnef {

// `inputs`, in the order of model.input_names, as values of the first of `parameters`, which are those of the module. A
// dynamic dimension takes any extent up to its bound. Errors: the format's fed error for a wrong number, type or shape,
// its bound error for an extent above the bound, and that of model.check_extents.
absl::StatusOr<std::vector<Literal>> FitInputs(const LoweredModel& model, absl::Span<const Shape> parameters,
                                               absl::Span<const Literal> inputs);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_FED_INPUTS_H_
