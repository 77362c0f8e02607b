// Running executables, on buffers and on arrays in the caller's memory.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "backends/backend.h"
#include "bindings/c/caller_array.h"
#include "bindings/c/caller_input.h"
#include "bindings/c/halo.h"
#include "bindings/c/handles.h"
#include "bindings/c/status.h"
#include "bindings/c/struct_size.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The options of one run, and where its report goes.
struct RunSetup {
  ExecuteOptions options;
  ExecutionReport report;
  halo_execution_report* report_out = nullptr;
};

absl::StatusOr<ExecutionMode> ModeOf(const CallerCheck& check, halo_execution_mode mode) {
  switch (mode) {
    case HALO_EXECUTE_DEFAULT:
      return ExecutionMode::kDefault;
    case HALO_EXECUTE_INLINE:
      return ExecutionMode::kInline;
    case HALO_EXECUTE_ASYNC:
      return ExecutionMode::kAsync;
    default:
      return check.Error(absl::StrCat("options.mode is ", mode, ", expected a HALO_EXECUTE_..."));
  }
}

absl::StatusOr<std::vector<int64_t>> NumbersOf(const CallerCheck& check, const int64_t* numbers, size_t count,
                                               absl::string_view name) {
  if (count == 0) return std::vector<int64_t>();
  RETURN_IF_ERROR(check.Present(numbers, name));
  return std::vector<int64_t>(numbers, numbers + count);
}

absl::Status ReadLimits(const CallerCheck& check, const halo_execute_options& read, ExecuteOptions* options) {
  ASSIGN_OR_RETURN(const ResourceLimits limits, LimitsOf(check, read.timeout_seconds, read.cancellation));
  options->deadline = limits.deadline;
  options->cancellation = limits.cancellation;
  if (read.max_steps < 0) return check.Error(absl::StrCat("options.max_steps is ", read.max_steps));
  if (read.max_memory_bytes < 0) {
    return check.Error(absl::StrCat("options.max_memory_bytes is ", read.max_memory_bytes));
  }
  options->max_steps = read.max_steps;
  options->max_memory_bytes = read.max_memory_bytes;
  return absl::OkStatus();
}

absl::Status ReadReport(const CallerCheck& check, const halo_execute_options& read, RunSetup* setup) {
  if (read.report == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(CheckStructSize(check, read.report->struct_size, "options.report"));
  if (read.mode == HALO_EXECUTE_ASYNC) {
    return check.Error("options.report needs a run that is waited for; it cannot be given with HALO_EXECUTE_ASYNC");
  }
  setup->report_out = read.report;
  setup->options.report = &setup->report;
  return absl::OkStatus();
}

// Collects limits, report, donations and callbacks of a run. Callbacks are called on threads of the library.
absl::Status ReadSetup(const CallerCheck& check, const halo_execute_options* given, RunSetup* setup) {
  halo_execute_options read;
  RETURN_IF_ERROR(ReadOptions(check, given, &read));
  ExecuteOptions& options = setup->options;
  ASSIGN_OR_RETURN(options.mode, ModeOf(check, read.mode));
  RETURN_IF_ERROR(ReadLimits(check, read, &options));
  RETURN_IF_ERROR(ReadReport(check, read, setup));
  ASSIGN_OR_RETURN(options.donated_parameters, NumbersOf(check, read.donated_parameters, read.donated_parameter_count,
                                                         "options.donated_parameters"));
  ASSIGN_OR_RETURN(options.non_donatable_parameters,
                   NumbersOf(check, read.kept_parameters, read.kept_parameter_count, "options.kept_parameters"));
  options.seed = read.seed;
  options.launch_id = read.launch_id;
  if (read.progress != nullptr) {
    options.progress = [function = read.progress, user = read.progress_user](int64_t done, int64_t total) {
      function(done, total, user);
    };
  }
  return absl::OkStatus();
}

absl::Status WriteReport(const CallerCheck& check, const RunSetup& setup) {
  if (setup.report_out == nullptr) return absl::OkStatus();
  halo_execution_report values = HALO_EXECUTION_REPORT_INIT;
  values.steps = setup.report.steps;
  values.fallback_steps = setup.report.fallback_steps;
  values.peak_memory_bytes = setup.report.peak_memory_bytes;
  values.elapsed_seconds = absl::ToDoubleSeconds(setup.report.elapsed);
  return WriteValues(check, values, setup.report_out, "options.report");
}

// One list of `per_device` buffers for each device.
absl::StatusOr<Execution> Launch(Executable& executable, absl::Span<Buffer* const> arguments, size_t per_device,
                                 const ExecuteOptions& options) {
  absl::InlinedVector<absl::Span<Buffer* const>, 8> by_device;
  for (size_t d = 0; d < executable.devices().size(); ++d) {
    by_device.push_back(arguments.subspan(d * per_device, per_device));
  }
  return executable.Launch(by_device, options);
}

// The launch of a run whose caller waits for it: to its end, and with its report.
absl::StatusOr<Execution> LaunchAndWait(const CallerCheck& check, Executable& executable,
                                        absl::Span<Buffer* const> arguments, size_t per_device, const RunSetup& setup) {
  absl::StatusOr<Execution> execution = Launch(executable, arguments, per_device, setup.options);
  const absl::Status ended = execution.ok() ? execution->done.Await() : execution.status();
  RETURN_IF_ERROR(WriteReport(check, setup));
  RETURN_IF_ERROR(ended);
  return execution;
}

// What the arguments of a run, or its results, are compared with.
struct Signature {
  const Executable& executable;
  bool is_arguments;

  size_t per_device() const {
    const ProgramShape& shape = executable.program_shape();
    return is_arguments ? shape.parameters.size() : ResultCount(shape.result);
  }
  size_t count() const { return per_device() * executable.devices().size(); }
  const Shape& shape(size_t i) const {
    const ProgramShape& shape = executable.program_shape();
    return is_arguments ? shape.parameters[i % per_device()] : *ResultShape(shape.result, i % per_device());
  }
  // "argument 2", "result 0 of device 1"
  std::string Name(size_t i) const {
    const std::string name = absl::StrCat(is_arguments ? "argument " : "result ", i % per_device());
    return executable.devices().size() == 1 ? name : absl::StrCat(name, " of device ", i / per_device());
  }
  absl::Status CheckCount(const CallerCheck& check, const void* list, size_t got) const {
    const char* const what = is_arguments ? "arguments" : "results";
    if (got != count()) {
      return check.Error(absl::StrCat("got ", got, " ", what, ", expected ", count(), ": ", per_device(),
                                      " for each of ", executable.devices().size(), " devices of ", executable.name()));
    }
    return got == 0 ? absl::OkStatus() : check.Present(list, what);
  }
};

// For running on arrays: each has the type and dimensions of its parameter or result, which must be arrays.
absl::Status CheckArrays(const CallerCheck& check, const Signature& signature, const halo_array* arrays, size_t count) {
  RETURN_IF_ERROR(signature.CheckCount(check, arrays, count));
  for (size_t i = 0; i < count; ++i) {
    const Shape& expected = signature.shape(i);
    if (!expected.IsArray()) {
      return check.Error(absl::StrCat(signature.Name(i), " has shape ", expected.ToString(),
                                      ", which is not an array; use halo_executable_execute with buffers"));
    }
    const absl::StatusOr<Shape> shape = CheckCallerArray(arrays[i]);
    if (!shape.ok()) return check.Error(absl::StrCat(signature.Name(i), ": ", shape.status().message()));
    if (!shape->Compatible(expected)) {
      return check.Error(
          absl::StrCat(signature.Name(i), ": expected ", expected.ToString(), ", got ", shape->ToString()));
    }
  }
  return absl::OkStatus();
}

// The arguments, which have been checked, as buffers that live in the caller's arrays where they can.
absl::StatusOr<BufferList> BorrowArguments(const Signature& signature, const halo_array* arguments) {
  BufferList buffers;
  for (size_t i = 0; i < signature.count(); ++i) {
    Shape shape = signature.shape(i);
    shape.clear_layout();
    Device& device = *signature.executable.devices()[i / signature.per_device()];
    ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer,
                     signature.executable.client().BufferFromHost(arguments[i].data, shape, StridesOf(arguments[i]),
                                                                  HostMemoryUse::kBorrow, /*release=*/nullptr, device));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

absl::Status CopyResults(const Execution& execution, const halo_array* results) {
  for (const BufferList& of_device : execution.results) {
    for (const std::unique_ptr<Buffer>& buffer : of_device) {
      const halo_array& array = *results++;
      if (array.byte_strides == nullptr) {
        RETURN_IF_ERROR(buffer->CopyToHost(array.data, static_cast<int64_t>(array.byte_size)));
        continue;
      }
      ASSIGN_OR_RETURN(const Literal value, buffer->ToLiteral());
      CopyToCallerArray(value, array);
    }
  }
  return absl::OkStatus();
}

std::vector<Buffer*> PointersTo(const BufferList& buffers) {
  std::vector<Buffer*> pointers;
  for (const std::unique_ptr<Buffer>& buffer : buffers) pointers.push_back(buffer.get());
  return pointers;
}

absl::StatusOr<std::vector<Buffer*>> BuffersOf(const CallerCheck& check, const Signature& signature,
                                               const halo_buffer* const* arguments) {
  std::vector<Buffer*> buffers;
  for (size_t i = 0; i < signature.count(); ++i) {
    RETURN_IF_ERROR(check.Live(arguments[i], signature.Name(i)));
    buffers.push_back(arguments[i]->buffer.get());
  }
  return buffers;
}

// All handles, or none if memory runs out.
void GiveResults(Execution& execution, halo_buffer** results) {
  std::vector<std::unique_ptr<halo_buffer>> handles;
  for (BufferList& of_device : execution.results) {
    for (std::unique_ptr<Buffer>& buffer : of_device) {
      handles.push_back(std::make_unique<halo_buffer>(std::move(buffer)));
    }
  }
  for (std::unique_ptr<halo_buffer>& handle : handles) *results++ = handle.release();
}

// Nothing is written to `results` before the launch succeeded. With a report, the call waits for the end of the run.
absl::Status ExecuteOnBuffers(const CallerCheck& check, Executable& executable, const halo_buffer* const* arguments,
                              size_t argument_count, halo_buffer** results, size_t result_count,
                              const halo_execute_options* options, halo_event** done) {
  const Signature parameters{executable, /*is_arguments=*/true};
  const Signature outputs{executable, /*is_arguments=*/false};
  RETURN_IF_ERROR(parameters.CheckCount(check, arguments, argument_count));
  RETURN_IF_ERROR(outputs.CheckCount(check, results, result_count));
  RunSetup setup;
  RETURN_IF_ERROR(ReadSetup(check, options, &setup));
  ASSIGN_OR_RETURN(const std::vector<Buffer*> buffers, BuffersOf(check, parameters, arguments));
  std::unique_ptr<halo_event> event;
  absl::StatusOr<Execution> execution = setup.report_out != nullptr
                                            ? LaunchAndWait(check, executable, buffers, parameters.per_device(), setup)
                                            : Launch(executable, buffers, parameters.per_device(), setup.options);
  RETURN_IF_ERROR(execution.status());
  if (done != nullptr) event = std::make_unique<halo_event>(execution->done);
  GiveResults(*execution, results);
  if (done != nullptr) *done = event.release();
  return absl::OkStatus();
}

absl::Status RunOnArrays(const CallerCheck& check, Executable& executable, const halo_array* arguments,
                         size_t argument_count, const halo_array* results, size_t result_count,
                         const halo_execute_options* options) {
  const Signature parameters{executable, /*is_arguments=*/true};
  const Signature outputs{executable, /*is_arguments=*/false};
  RETURN_IF_ERROR(CheckArrays(check, parameters, arguments, argument_count));
  RETURN_IF_ERROR(CheckArrays(check, outputs, results, result_count));
  RunSetup setup;
  RETURN_IF_ERROR(ReadSetup(check, options, &setup));
  ASSIGN_OR_RETURN(const BufferList buffers, BorrowArguments(parameters, arguments));
  ASSIGN_OR_RETURN(const Execution execution,
                   LaunchAndWait(check, executable, PointersTo(buffers), parameters.per_device(), setup));
  return CopyResults(execution, results);
}

}  // namespace
}  // namespace xla

halo_status* halo_executable_run(halo_executable* executable, const halo_array* arguments, size_t argument_count,
                                 const halo_array* results, size_t result_count, const halo_execute_options* options) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(executable, "executable"));
    return xla::RunOnArrays(check, *executable->executable, arguments, argument_count, results, result_count, options);
  });
}

halo_status* halo_executable_execute(halo_executable* executable, const halo_buffer* const* arguments,
                                     size_t argument_count, halo_buffer** results, size_t result_count,
                                     const halo_execute_options* options, halo_event** done) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    if (done != nullptr) *done = nullptr;
    for (size_t i = 0; results != nullptr && i < result_count; ++i) results[i] = nullptr;
    RETURN_IF_ERROR(check.Live(executable, "executable"));
    return xla::ExecuteOnBuffers(check, *executable->executable, arguments, argument_count, results, result_count,
                                 options, done);
  });
}
