#include "backends/replicated/replicated_settings.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr absl::string_view kOfBackend = "backend.";

absl::StatusOr<absl::Duration> ReadTimeout(const std::string& name, const std::string& value) {
  absl::Duration timeout;
  if (absl::ParseDuration(value, &timeout) && timeout > absl::ZeroDuration()) return timeout;
  return absl::InvalidArgumentError(absl::StrCat(
      "the setting '", name, "' of the backend replicated is a time such as 60s, 1.5m or 500ms, not '", value, "'"));
}

absl::Status CheckCounts(const ClientOptions& options) {
  if (options.process_count < 1 || options.process_index < 0 || options.process_index >= options.process_count) {
    return absl::InvalidArgumentError(absl::StrCat("a client of ", options.process_count,
                                                   " processes cannot have a process ", options.process_index,
                                                   "; they are numbered from 0"));
  }
  if (options.device_count >= 0 && options.device_count % options.process_count == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(options.device_count, " devices cannot be divided evenly among ",
                                                 options.process_count,
                                                 " processes; ClientOptions::device_count is that of all of them"));
}

absl::Status CheckRendezvous(const ClientOptions& options, const std::string& rendezvous) {
  if (options.process_count > 1 && rendezvous.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the ", options.process_count,
                     " processes need to find each other: set 'rendezvous' to file:DIR or tcp:HOST:PORT"));
  }
  if (options.process_count > 1 || rendezvous.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("a client of one process meets no others: leave the setting 'rendezvous' out");
}

}  // namespace

absl::StatusOr<ReplicatedSettings> ReplicatedSettings::Read(const ClientOptions& options) {
  RETURN_IF_ERROR(CheckCounts(options));
  ReplicatedSettings result;
  for (const auto& [name, value] : options.settings) {
    if (name == "backend") {
      result.backend = value;
    } else if (absl::StartsWith(name, kOfBackend)) {
      result.backend_settings[name.substr(kOfBackend.size())] = value;
    } else if (name == "rendezvous") {
      result.rendezvous = value;
    } else if (name == "launch_token") {
      result.launch_token = value;
    } else if (name == "host_name") {
      result.host_name = value;
    } else if (name == "connect_timeout") {
      ASSIGN_OR_RETURN(result.connect_timeout, ReadTimeout(name, value));
    } else if (name == "collective_timeout") {
      ASSIGN_OR_RETURN(result.collective_timeout, ReadTimeout(name, value));
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "the backend replicated has no setting '", name, "'",
          DidYouMean(name,
                     {"backend", "collective_timeout", "connect_timeout", "host_name", "launch_token", "rendezvous"}),
          "; it has backend, collective_timeout, connect_timeout, host_name, launch_token and rendezvous, and "
          "with 'backend.' before them those of the backend that it runs on"));
    }
  }
  if (result.backend == "replicated") {
    return absl::InvalidArgumentError(
        "the backend replicated runs on another one, not on itself: set 'backend' to cpu");
  }
  RETURN_IF_ERROR(CheckRendezvous(options, result.rendezvous));
  return result;
}

}  // namespace xla
