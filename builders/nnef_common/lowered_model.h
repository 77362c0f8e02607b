// LoweredModel: a model as an HLO module, with what a session needs to know of its parameters and results.
#ifndef BUILDERS_NNEF_COMMON_LOWERED_MODEL_H_
#define BUILDERS_NNEF_COMMON_LOWERED_MODEL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "builders/nnef_common/diagnostics.h"
#include "builders/nnef_common/model_format.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef {

// A module whose parameters are: the graph's inputs, then variables (those that are updated always; all with
// `variables_are_parameters`); whose result is a tuple of: the graph's outputs, extra outputs, new values of the
// updated variables (aliased to their parameters), and one PRED[] for each run-time check.
struct LoweredModel {
  const ModelFormat* format = nullptr;  // whose errors a session reports; never nullptr once it is lowered
  std::unique_ptr<HloModule> module;
  std::vector<std::string> input_names;
  // Whether the inputs may have these extents together, each of which is within its bound. Errors: the format's fed
  // error. nullptr: they may.
  std::function<absl::Status(const std::vector<std::vector<int64_t>>& extents)> check_extents;
  std::vector<std::string> output_names;  // extra ones included
  struct Variable {
    std::string label;
    int64_t parameter = 0;
    absl::optional<int64_t> result;          // where its new value is, if it is updated
    std::shared_ptr<const Literal> initial;  // nullptr if the model has no data: it can be looked at, not run
  };
  std::vector<Variable> variables;
  struct Check {
    int64_t result = 0;
    std::string message;
    ErrorClass error_class;
  };
  std::vector<Check> checks;
};

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_LOWERED_MODEL_H_
