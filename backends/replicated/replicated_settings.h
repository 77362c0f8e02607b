// ClientOptions::settings of the backend `replicated` (replicated_client.h) as values.
#ifndef BACKENDS_REPLICATED_REPLICATED_SETTINGS_H_
#define BACKENDS_REPLICATED_REPLICATED_SETTINGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "backends/options.h"

namespace xla {

struct ReplicatedSettings {
  std::string backend = "cpu";
  // Of the clients of that backend: those whose names begin with "backend.", without it.
  BackendSettings backend_settings;
  std::string rendezvous;
  std::string launch_token;
  std::string host_name;
  absl::Duration connect_timeout = absl::Seconds(60);
  absl::optional<absl::Duration> collective_timeout;

  // Also checks the numbers of devices and processes. InvalidArgument, which names the setting.
  static absl::StatusOr<ReplicatedSettings> Read(const ClientOptions& options);
};

}  // namespace xla

#endif  // BACKENDS_REPLICATED_REPLICATED_SETTINGS_H_
