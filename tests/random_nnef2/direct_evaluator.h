// Runs a composed graph of NNEF 2 by the letter of the language: statements of @lower are nested loops over the
// elements of tensors (2.12), branches and loops do what they say. It shares nothing with the lowering to HLO and is
// what that is compared with. Slow: some microseconds for each iteration of a statement.
#ifndef TESTS_RANDOM_NNEF2_DIRECT_EVALUATOR_H_
#define TESTS_RANDOM_NNEF2_DIRECT_EVALUATOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "builders/nnef2/composition/composed_graph.h"
#include "tests/random_nnef2/direct_tensor.h"

namespace xla {
namespace nnef2 {

struct DirectArguments {
  std::vector<DirectTensors> inputs;              // by input of the graph
  std::map<std::string, DirectTensor> variables;  // by scoped name
  int64_t max_iterations = 20'000'000;
};

struct DirectResults {
  std::vector<DirectTensors> outputs;             // by output of the graph
  std::map<std::string, DirectTensor> variables;  // after @update
};

// Errors: class runtime-shape or runtime-bound if the inputs do not fit the graph, the class of a check that fails,
// value for what is undefined; ResourceExhausted for too many iterations; Unimplemented for intrinsics without a
// meaning.
absl::StatusOr<DirectResults> RunDirectly(const ComposedGraph& graph, const DirectArguments& arguments);

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_DIRECT_EVALUATOR_H_
