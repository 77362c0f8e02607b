// Session: a model on a client, run cycle after cycle with its variables kept between them.
#ifndef BUILDERS_NNEF_COMMON_SESSION_H_
#define BUILDERS_NNEF_COMMON_SESSION_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "builders/nnef_common/lowered_model.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef {

// One Session runs one cycle at a time; several sessions may run side by side.
class Session {
 public:
  // Compiles the model for `client`, which outlives the session. Errors: InvalidArgument for a model without data.
  static absl::StatusOr<std::unique_ptr<Session>> Create(Client* client, LoweredModel model,
                                                         const CompileOptions& options);
  virtual ~Session() = default;

  // One cycle: `inputs` in the order of input_names, results in that of output_names; those of dynamic shape have
  // dynamic sizes. Variables take their new values when all of it has worked. Errors: those of FitInputs; the classes
  // of run-time checks that fail, in which case variables keep their values. When the backend fails (out of
  // memory) while it works on them in place, they are lost: FailedPrecondition from then on. Reaching a limit of
  // `resources` is an error, too, after which they may be lost in the same way; nullptr: there are none.
  virtual absl::StatusOr<std::vector<Literal>> Run(absl::Span<const Literal> inputs,
                                                   const ResourceContext* resources = nullptr) = 0;

  // Without its module, which the executable has.
  virtual const LoweredModel& model() const = 0;
  // The value that a variable has now. Errors: NotFound; a variable that became a constant has none.
  virtual absl::StatusOr<Literal> VariableValue(absl::string_view label) const = 0;
};

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_SESSION_H_
