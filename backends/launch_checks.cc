#include "backends/launch_checks.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status CheckLimits(const Executable& executable, const ExecuteOptions& options) {
  if (options.max_steps < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(executable.name(), ": the step limit must not be negative, got ", options.max_steps));
  }
  if (options.max_memory_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat(executable.name(), ": the memory limit must not be negative, got ",
                                                   options.max_memory_bytes, " bytes"));
  }
  return absl::OkStatus();
}

absl::Status CheckParameterNumber(const Executable& executable, int64_t number) {
  const int64_t count = static_cast<int64_t>(executable.program_shape().parameters.size());
  if (number >= 0 && number < count) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(executable.name(), ": there is no parameter ", number,
                                                 " to donate or to keep; the program has ", count, " parameters"));
}

absl::Status CheckPlace(const Executable& executable, const Buffer& buffer, size_t d, size_t i) {
  const Device& wanted = *executable.devices()[d];
  const Device& found = buffer.device();
  if (&found == &wanted) return absl::OkStatus();
  const std::string argument = ArgumentName(executable, d, i);
  if (&found.client() != &wanted.client()) {
    return absl::InvalidArgumentError(absl::StrCat(argument, " belongs to another client (", found.description(),
                                                   "); make it with the client that compiled the program"));
  }
  return absl::InvalidArgumentError(absl::StrCat(argument, " is on ", found.description(), ", the program reads it on ",
                                                 wanted.description(), "; use Buffer::CopyToDevice"));
}

absl::Status CheckArgument(const Executable& executable, const Buffer* buffer, size_t d, size_t i) {
  if (buffer == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(ArgumentName(executable, d, i), " is no buffer (nullptr)"));
  }
  RETURN_IF_ERROR(CheckPlace(executable, *buffer, d, i));
  const Shape& wanted = executable.program_shape().parameters[i];
  if (buffer->shape().Compatible(wanted)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(ArgumentName(executable, d, i), " has shape ",
                                                 buffer->shape().ToString(), ", expected ", wanted.ToString()));
}

// A buffer may stand for several parameters, unless one of them is donated: then its memory would be read and
// overwritten at once.
absl::Status CheckDonatedOnce(const Executable& executable, absl::Span<Buffer* const> arguments, size_t d,
                              const Donations& donations) {
  absl::flat_hash_map<const Buffer*, size_t> first_places;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto [first, is_new] = first_places.try_emplace(arguments[i], i);
    if (!is_new && (donations[i] || donations[first->second])) {
      return absl::InvalidArgumentError(
          absl::StrCat(ArgumentName(executable, d, i), " is the same buffer as argument ", first->second,
                       ", and it is donated: a donated buffer may stand in one place only; give a copy for the other"));
    }
    // Of three places, the donated one decides.
    if (donations[i]) first->second = i;
  }
  return absl::OkStatus();
}

}  // namespace

std::string ArgumentName(const Executable& executable, size_t device, size_t argument) {
  const std::string of_device = executable.devices().size() > 1 ? absl::StrCat(" of device ", device) : "";
  return absl::StrCat(executable.name(), ": argument ", argument, of_device);
}

absl::Status CheckBufferState(const Shape& shape, Buffer::State state) {
  switch (state) {
    case Buffer::State::kLive:
      return absl::OkStatus();
    case Buffer::State::kDonated:
      return absl::FailedPreconditionError(absl::StrCat(
          "the buffer of shape ", shape.ToString(),
          " was donated to an execution and cannot be used any more; to keep a buffer, name its parameter in "
          "ExecuteOptions::non_donatable_parameters"));
    case Buffer::State::kDeleted:
      return absl::FailedPreconditionError(
          absl::StrCat("the buffer of shape ", shape.ToString(), " was deleted and cannot be used any more"));
  }
  return absl::OkStatus();
}

ResourceLimits LimitsOf(const ExecuteOptions& options) {
  ResourceLimits limits;
  limits.timeout = options.timeout;
  limits.deadline = options.deadline;
  limits.cancellation = options.cancellation;
  return limits;
}

// One flag for each parameter, or an empty list if nothing is donated. The options of the run can add parameters to
// those that the program donates, and exclude some.
absl::StatusOr<Donations> FindDonations(const Executable& executable, const ExecuteOptions& options) {
  RETURN_IF_ERROR(CheckLimits(executable, options));
  if (executable.donated_parameters().empty() && options.donated_parameters.empty() &&
      options.non_donatable_parameters.empty()) {
    return Donations();
  }
  Donations donations(executable.program_shape().parameters.size(), false);
  for (int64_t number : executable.donated_parameters()) donations[number] = true;
  for (int64_t number : options.donated_parameters) {
    RETURN_IF_ERROR(CheckParameterNumber(executable, number));
    donations[number] = true;
  }
  for (int64_t number : options.non_donatable_parameters) {
    RETURN_IF_ERROR(CheckParameterNumber(executable, number));
    const std::vector<int64_t>& donated = options.donated_parameters;
    if (std::find(donated.begin(), donated.end(), number) != donated.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(executable.name(), ": parameter ", number,
                       " is in both donated_parameters and non_donatable_parameters of the options"));
    }
    donations[number] = false;
  }
  return donations;
}

// Counts of devices and arguments, then each buffer: alive, on its device, of a compatible shape.
absl::Status CheckArguments(const Executable& executable, absl::Span<const absl::Span<Buffer* const>> arguments,
                            const Donations& donations) {
  if (arguments.size() != executable.devices().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(executable.name(), ": the program runs on ", executable.devices().size(), " devices (",
                     executable.replica_count(), " replicas x ", executable.partition_count(),
                     " partitions), got arguments for ", arguments.size()));
  }
  const size_t parameter_count = executable.program_shape().parameters.size();
  for (size_t d = 0; d < arguments.size(); ++d) {
    if (arguments[d].size() != parameter_count) {
      const std::string of_device = arguments.size() > 1 ? absl::StrCat(" for device ", d) : "";
      return absl::InvalidArgumentError(absl::StrCat(executable.name(), ": the program has ", parameter_count,
                                                     " parameters, got ", arguments[d].size(), " arguments",
                                                     of_device));
    }
    for (size_t i = 0; i < parameter_count; ++i) RETURN_IF_ERROR(CheckArgument(executable, arguments[d][i], d, i));
    if (!donations.empty()) RETURN_IF_ERROR(CheckDonatedOnce(executable, arguments[d], d, donations));
  }
  return absl::OkStatus();
}

}  // namespace xla
