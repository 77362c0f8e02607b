// How the processes of a mesh connect: each calls those with smaller ranks.
//
// Caller and called show each other a half of a secret that the coordinator has told to members only. Until then a
// connection is a stranger's: it may send the few bytes of a greeting, is dropped if they are others, or after some
// seconds, and there are few of its kind. So bytes of strangers go no further.
#ifndef BACKENDS_REPLICATED_TRANSPORT_MESH_HANDSHAKE_H_
#define BACKENDS_REPLICATED_TRANSPORT_MESH_HANDSHAKE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "backends/replicated/transport/sockets.h"

namespace xla {
namespace transport {

constexpr size_t kMeshSecretBytes = 32;

// By rank; that of `rank` is not open. Errors are those of Mesh::Connect.
absl::StatusOr<std::vector<Socket>> ConnectWithAll(int rank, absl::Span<const std::string> peers,
                                                   const std::string& secret, const Socket& listener,
                                                   absl::Time deadline, absl::FunctionRef<absl::Status()> go_on);

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_MESH_HANDSHAKE_H_
