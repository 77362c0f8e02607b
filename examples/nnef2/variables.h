// Data for the variables of a model that is not trained, by the formula of xla_core/literal_io/input_spec.h.
#ifndef EXAMPLES_NNEF2_VARIABLES_H_
#define EXAMPLES_NNEF2_VARIABLES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "builders/nnef2/model/model.h"

namespace xla {

// The name ("main.Net.conv1.filter.dat") and the bytes of the tensor file of each variable of a graph of reals, in the
// order of the graph; variable k has the seed k. Filters (rank 2 and more) keep the variance of what they multiply,
// variances and scales are from 0.5 to 1.5, the others from -0.1 to 0.1.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> VariableFiles(const nnef2::Model& model);

}  // namespace xla

#endif  // EXAMPLES_NNEF2_VARIABLES_H_
