// Registers the backend `replicated` (replicated_client.h).
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "backends/registry.h"
#include "backends/replicated/client_over_backend.h"
#include "backends/replicated/process_group.h"
#include "backends/replicated/replicated_settings.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Without options for several processes, none are looked for.
absl::StatusOr<std::shared_ptr<Client>> CreateReplicatedClient(const ClientOptions& options) {
  ASSIGN_OR_RETURN(const ReplicatedSettings settings, ReplicatedSettings::Read(options));
  std::shared_ptr<ProcessGroup> group;
  if (options.process_count > 1) {
    ProcessGroupOptions group_options;
    group_options.process_index = options.process_index;
    group_options.process_count = options.process_count;
    group_options.rendezvous = settings.rendezvous;
    group_options.launch_token = settings.launch_token;
    group_options.host_name = settings.host_name;
    group_options.connect_timeout = settings.connect_timeout;
    ASSIGN_OR_RETURN(group, ProcessGroup::Connect(group_options, [] { return absl::OkStatus(); }));
  }
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, ClientOverBackend::Create(options, std::move(group)));
  return client;
}

const bool kRegistered = [] {
  CHECK(RegisterBackend("replicated", &CreateReplicatedClient).ok());
  return true;
}();

}  // namespace
}  // namespace xla
