// Which parameters of a program are weights: the same arrays in run after run.
#ifndef TOOLS_SHARED_WEIGHT_PARAMETERS_H_
#define TOOLS_SHARED_WEIGHT_PARAMETERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/json.h"
#include "xla_core/types/shape.h"

namespace xla {

// Numbers and ranges of numbers of parameters, "3-160" or "0,2,5-7", ascending. InvalidArgument: it is neither, or
// there are only `parameter_count` parameters. `other_values` are the further values of --weights, for that message.
absl::StatusOr<std::vector<int64_t>> ParseWeightNumbers(absl::string_view text, int64_t parameter_count,
                                                        absl::string_view other_values);

// The parameters of which every array has "role": "weight" in a file of inputs (ParseInputSpecs), whose first device
// counts.
std::vector<int64_t> WeightsByRole(const JsonValue& inputs, const std::vector<Shape>& parameters);

}  // namespace xla

#endif  // TOOLS_SHARED_WEIGHT_PARAMETERS_H_
