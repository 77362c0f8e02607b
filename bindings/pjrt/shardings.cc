// The extension Shardings: how the parameters and outputs of a program for several devices are cut.
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/executable_state.h"
#include "bindings/pjrt/extensions.h"
#include "bindings/pjrt/handles.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

// Of both functions of the extension: `count` is the number of parameters or outputs.
template <typename Args>
PJRT_Error* GiveShardings(const char* function, Args* args, size_t Args::*count, ValueTable ExecutableState::*table) {
  return Guarded(function, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, sizeof(Args)));
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    const ExecutableState& state = *args->executable->state;
    const ValueTable& values = state.*table;
    args->*count = values.values.size();
    args->shardings = state.has_shardings ? values.shardings.data() : nullptr;
    args->sharding_sizes = state.has_shardings ? values.sharding_sizes.data() : nullptr;
    return absl::OkStatus();
  });
}

PJRT_Error* ParameterShardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args) {
  return GiveShardings("PJRT_Shardings_PJRT_Executable_ParameterShardings", args,
                       &PJRT_Shardings_PJRT_Executable_ParameterShardings_Args::num_parameters,
                       &ExecutableState::parameters);
}

PJRT_Error* OutputShardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args) {
  return GiveShardings("PJRT_Shardings_PJRT_Executable_OutputShardings", args,
                       &PJRT_Shardings_PJRT_Executable_OutputShardings_Args::num_outputs, &ExecutableState::outputs);
}

}  // namespace

PJRT_Extension_Base* ShardingsExtension(PJRT_Extension_Base* next) {
  static auto& extension = *new PJRT_Shardings_Extension{
      {sizeof(PJRT_Shardings_Extension), PJRT_Extension_Type_Shardings, next},
      &ParameterShardings,
      &OutputShardings,
  };
  return &extension.base;
}

}  // namespace pjrt
}  // namespace xla
