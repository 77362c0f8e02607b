#include "backends/cpu/compile_module.h"

#include <utility>

#include "passes/base/pass_context.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

Shape RowMajor(const Shape& shape) {
  Shape result = shape.WithoutLayout();
  result.SetMissingLayoutsToDefault();
  return result;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const HloModule>> OptimizeForCpu(const HloModule& module,
                                                                const CompileOptions& options) {
  std::unique_ptr<HloModule> copy = CloneModule(module);
  ProgramShape& layout = copy->mutable_config().entry_computation_layout.emplace();
  for (const HloInstruction* parameter : copy->entry()->parameters()) {
    layout.parameters.push_back(RowMajor(parameter->shape()));
  }
  layout.result = RowMajor(copy->entry()->root()->shape());
  ASSIGN_OR_RETURN(const Pipeline pipeline, PipelineByName("cpu"));
  PassContext context;
  if (options.fast_math) context.fast_math = kAllFastMath;
  RETURN_IF_ERROR(RunPasses(pipeline, PassRunnerOptions(), context, *copy).status());
  return std::shared_ptr<const HloModule>(std::move(copy));
}

}  // namespace xla
