// How the processes of jax.distributed find each other: by the store of texts that jaxlib keeps for them.
#ifndef BINDINGS_PJRT_RENDEZVOUS_H_
#define BINDINGS_PJRT_RENDEZVOUS_H_

#include "absl/status/status.h"
#include "backends/options.h"
#include "bindings/pjrt/client_options.h"

namespace xla {
namespace pjrt {

struct KeyValueStore;

// Adds to `settings`, of the backend `replicated`, where its processes meet: process 0 chooses a port of its host and
// leaves the address in the store, where the others read it. Checks that all processes have equally many devices.
// Errors: InvalidArgument without a store or with other numbers of devices; what the store's functions say.
absl::Status AgreeOnRendezvous(const ClientSettings& client, const KeyValueStore& store, BackendSettings* settings);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_RENDEZVOUS_H_
