// Makes a ClientState: a client of Halo with its devices and memories as PJRT numbers them.
#ifndef BINDINGS_PJRT_CLIENT_STATE_H_
#define BINDINGS_PJRT_CLIENT_STATE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "bindings/pjrt/client_options.h"
#include "bindings/pjrt/handles.h"

namespace xla {
namespace pjrt {

// The place where the processes of jax.distributed leave texts for each other: the callbacks of PJRT_Client_Create.
struct KeyValueStore {
  PJRT_KeyValueGetCallback get = nullptr;
  void* get_arg = nullptr;
  PJRT_KeyValuePutCallback put = nullptr;
  void* put_arg = nullptr;
};

// Several devices, and several processes, are the backend `replicated` over the one that is asked for. `store` is for
// several processes. Errors: those of the options and of the backend.
absl::StatusOr<std::shared_ptr<ClientState>> MakeClientState(ClientSettings settings, const KeyValueStore& store);

// The memory of the client's devices that `memory` is, or nullptr if it is not one of them.
DeviceMemorySpace* FindMemory(const ClientState& state, PJRT_Memory* memory);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_CLIENT_STATE_H_
