// Executions.
//
// A call returns as soon as the program is launched: what goes wrong later is in the events of its outputs. A program
// of little work whose arguments are there runs on the caller's thread, before the call returns, and tells its errors
// in the same way.
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "bindings/pjrt/buffer_support.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/call_context.h"
#include "bindings/pjrt/executable_state.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

using Row = std::vector<Buffer*>;

// A buffer of `value`'s shape that is ready when `buffer` is, and fails if that has failed.
absl::StatusOr<std::unique_ptr<Buffer>> After(const Buffer& buffer, Literal value, Device& device) {
  const Shape shape = value.shape();
  const Future<Literal> later(buffer.ready(), std::make_shared<Literal>(std::move(value)));
  return device.client().BufferFromFuture(later, shape, device);
}

// One call, read and checked.
struct Call {
  std::shared_ptr<ExecutableState> state;
  std::shared_ptr<Executable> executable;
  std::vector<PJRT_Device*> devices;                  // by row
  std::vector<absl::Span<PJRT_Buffer* const>> given;  // by row
  std::vector<Row> rows;
  BufferList tokens;  // that stand in the rows for what the client has given
  ExecuteOptions options;
  std::shared_ptr<CallContext> context;
  bool are_ready = true;  // all arguments
};

std::string ArgumentName(const Call& call, size_t d, size_t i) {
  const std::string name = absl::StrCat(call.executable->name(), ": argument ", i);
  return call.devices.size() > 1 ? absl::StrCat(name, " of ", call.devices[d]->description.to_string) : name;
}

absl::Status CheckArgument(const CallerCheck& check, const Call& call, size_t d, size_t i) {
  const PJRT_Buffer* const argument = call.given[d][i];
  // A call of a small program takes as long as some allocations: names are made only for errors.
  if (argument == nullptr || !argument->has_tag()) return check.Live(argument, ArgumentName(call, d, i));
  const auto error = [&](const std::string& message) {
    return check.Error(absl::StrCat(ArgumentName(call, d, i), message));
  };
  if (!argument->buffer->is_live()) return error(" was deleted or donated, give a buffer that is live");
  if (argument->device != call.devices[d]) {
    return error(absl::StrCat(" is on ", argument->device->description.to_string, ", the program reads it on ",
                              call.devices[d]->description.to_string));
  }
  const Shape& wanted = call.executable->program_shape().parameters[i];
  if (wanted.IsToken()) return absl::OkStatus();
  if (argument->buffer->shape().Compatible(wanted)) return absl::OkStatus();
  return error(
      absl::StrCat(" has shape ", argument->buffer->shape().ToString(), ", the program wants ", wanted.ToString()));
}

// Where the call runs: the devices of the executable, or the one that it names.
absl::Status ReadPlace(const CallerCheck& check, const PJRT_LoadedExecutable_Execute_Args& args, Call* call) {
  ExecutableState& state = *call->state;
  if (args.execute_device == nullptr) {
    call->executable = state.executable;
    call->devices = state.addressable_devices;
  } else {
    RETURN_IF_ERROR(check.Live(args.execute_device, "execute_device"));
    if (args.execute_device->client != state.client.get()) return check.Error("execute_device is of another client");
    ASSIGN_OR_RETURN(call->executable, ExecutableOn(state, *args.execute_device));
    call->devices = {args.execute_device};
  }
  if (args.num_devices == call->devices.size()) return absl::OkStatus();
  return check.Error(absl::StrCat("num_devices is ", args.num_devices, ", ", call->executable->name(), " runs on ",
                                  call->devices.size()));
}

absl::Status ReadArguments(const CallerCheck& check, const PJRT_LoadedExecutable_Execute_Args& args, Call* call) {
  const size_t parameter_count = call->executable->program_shape().parameters.size();
  if (args.num_args != parameter_count) {
    return check.Error(absl::StrCat("num_args is ", args.num_args, ", ", call->executable->name(), " has ",
                                    parameter_count, " parameters"));
  }
  if (parameter_count > 0) RETURN_IF_ERROR(check.Present(args.argument_lists, "argument_lists"));
  for (size_t d = 0; d < call->devices.size(); ++d) {
    PJRT_Buffer* const* const row = parameter_count == 0 ? nullptr : args.argument_lists[d];
    if (parameter_count > 0 && row == nullptr) return check.Present(row, absl::StrCat("argument_lists[", d, "]"));
    call->given.push_back(absl::MakeConstSpan(row, parameter_count));
    call->rows.emplace_back();
    for (size_t i = 0; i < parameter_count; ++i) {
      RETURN_IF_ERROR(CheckArgument(check, *call, d, i));
      Buffer* buffer = row[i]->buffer.get();
      if (call->executable->program_shape().parameters[i].IsToken() && !buffer->shape().IsToken()) {
        ASSIGN_OR_RETURN(std::unique_ptr<Buffer> token, After(*buffer, Literal::Token(), buffer->device()));
        buffer = token.get();
        call->tokens.push_back(std::move(token));
      }
      call->rows[d].push_back(buffer);
      call->are_ready = call->are_ready && row[i]->buffer->ready().IsReady() && row[i]->buffer->ready().status().ok();
    }
  }
  return absl::OkStatus();
}

absl::Status ReadOptions(const CallerCheck& check, const PJRT_ExecuteOptions* given, Call* call) {
  call->options.seed = call->state->launches++;
  if (given == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(CheckArgs(check, given, offsetof(PJRT_ExecuteOptions, launch_id) + sizeof(given->launch_id)));
  const PJRT_ExecuteOptions& options = *given;
  if (options.num_send_ops > 0 || options.num_recv_ops > 0) {
    return absl::UnimplementedError(absl::StrCat(
        check.function(), ": send and receive callbacks; the programs of this plugin call the host by custom calls"));
  }
  // Clients give any 32 bits.
  call->options.launch_id = static_cast<uint32_t>(options.launch_id);
  if (HasField(options, options.num_non_donatable_input_indices)) {
    RETURN_IF_ERROR(CheckList(check, options.non_donatable_input_indices, options.num_non_donatable_input_indices,
                              "options.non_donatable_input_indices"));
    call->options.non_donatable_parameters.assign(
        options.non_donatable_input_indices,
        options.non_donatable_input_indices + options.num_non_donatable_input_indices);
  }
  if (HasField(options, options.context) && options.context != nullptr) {
    RETURN_IF_ERROR(check.Live(options.context, "options.context"));
    call->context = options.context->context;
  }
  return absl::OkStatus();
}

// Whether the argument must stay as it is although the program lets it be donated: its memory has another user, or it
// stands in several places.
bool MustStay(const Call& call, size_t parameter) {
  for (size_t d = 0; d < call.rows.size(); ++d) {
    PJRT_Buffer& argument = *call.given[d][parameter];
    argument.DropUnpinnedReference();
    if (argument.is_pinned() || absl::c_count(call.rows[d], argument.buffer.get()) > 1) return true;
  }
  return false;
}

void KeepWhatIsUsed(Call* call) {
  for (const int64_t parameter : call->executable->donated_parameters()) {
    if (absl::c_linear_search(call->options.non_donatable_parameters, parameter)) continue;
    if (MustStay(*call, static_cast<size_t>(parameter))) call->options.non_donatable_parameters.push_back(parameter);
  }
}

// Outputs that never come, because the run has failed.
absl::StatusOr<Execution> FailedExecution(const Call& call, const absl::Status& status) {
  Execution execution;
  execution.done = Event::Of(status);
  for (PJRT_Device* const device : call.devices) {
    execution.results.emplace_back();
    for (const ProgramValue& output : call.state->outputs.values) {
      ASSIGN_OR_RETURN(
          execution.results.back().emplace_back(),
          call.state->client->client->BufferFromFuture(Future<Literal>(status), output.shape, *device->device));
    }
  }
  return execution;
}

absl::StatusOr<Execution> Launch(Call& call) {
  std::vector<absl::Span<Buffer* const>> rows(call.rows.begin(), call.rows.end());
  const bool is_inline = call.state->is_small && call.are_ready && call.state->client->has_host_memory();
  call.options.mode = is_inline ? ExecutionMode::kInline : ExecutionMode::kAsync;
  absl::StatusOr<Execution> execution = LaunchInContext(*call.executable, rows, call.options, call.context);
  if (is_inline && !execution.ok()) return FailedExecution(call, WithPlace(execution.status(), *call.state));
  // The end of a client waits for what runs. A run keeps it, so that no function that frees a handle does: it may be
  // called with a lock held, such as Python's, that a function of the program waits for.
  if (!is_inline && execution.ok()) execution->done.OnReady([keep = call.state](const absl::Status&) {});
  return execution;
}

// What clients get for the tokens among the results.
absl::Status ReplaceTokens(Execution* execution) {
  for (BufferList& results : execution->results) {
    for (std::unique_ptr<Buffer>& result : results) {
      if (!result->shape().IsToken()) continue;
      ASSIGN_OR_RETURN(Literal stand_in, Literal::Zeros(ShapeForClient(result->shape())));
      ASSIGN_OR_RETURN(result, After(*result, std::move(stand_in), result->device()));
    }
  }
  return absl::OkStatus();
}

// All handles, or none if memory runs out.
void GiveOutputs(const Call& call, Execution& execution, PJRT_Buffer** const* output_lists,
                 PJRT_Event** complete_events) {
  std::vector<std::vector<std::unique_ptr<PJRT_Buffer>>> outputs(execution.results.size());
  std::vector<std::unique_ptr<PJRT_Event>> events;
  for (size_t d = 0; d < execution.results.size(); ++d) {
    for (size_t i = 0; i < execution.results[d].size(); ++i) {
      const ProgramValue& value = call.state->outputs.values[i];
      DeviceMemorySpace* const place = AsOurs(call.devices[d]->memories[value.memory_kind]);
      outputs[d].emplace_back(MakeBuffer(std::move(execution.results[d][i]), place, value.minor_to_major));
      outputs[d].back()->origin = call.state;
    }
    if (complete_events != nullptr)
      events.push_back(std::make_unique<PJRT_Event>(WithPlaces(execution.done, call.state)));
  }
  for (size_t d = 0; d < outputs.size(); ++d) {
    for (size_t i = 0; i < outputs[d].size(); ++i) output_lists[d][i] = outputs[d][i].release();
    if (complete_events != nullptr) complete_events[d] = events[d].release();
  }
}

}  // namespace

PJRT_Error* LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    Call call;
    call.state = args->executable->state;
    if (args->executable->is_deleted) {
      return check.Error(absl::StrCat(call.state->executable->name(), " was deleted and cannot be run any more"));
    }
    RETURN_IF_ERROR(ReadPlace(check, *args, &call));
    RETURN_IF_ERROR(ReadArguments(check, *args, &call));
    RETURN_IF_ERROR(ReadOptions(check, args->options, &call));
    if (!call.state->outputs.values.empty()) {
      RETURN_IF_ERROR(check.Present(args->output_lists, "output_lists"));
      for (size_t d = 0; d < call.devices.size(); ++d) {
        if (args->output_lists[d] == nullptr) return check.Present(nullptr, absl::StrCat("output_lists[", d, "]"));
      }
    }
    KeepWhatIsUsed(&call);
    ASSIGN_OR_RETURN(Execution execution, Launch(call));
    RETURN_IF_ERROR(ReplaceTokens(&execution));
    GiveOutputs(call, execution, args->output_lists, args->device_complete_events);
    return absl::OkStatus();
  });
}

}  // namespace pjrt
}  // namespace xla
