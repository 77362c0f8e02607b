// Bytes of a group that are not those of collectives, on a mesh.
#ifndef BACKENDS_REPLICATED_TRANSPORT_MESH_USE_H_
#define BACKENDS_REPLICATED_TRANSPORT_MESH_USE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "backends/replicated/transport/mesh.h"

namespace xla {
namespace transport {

// Bytes of `rank` for rank 0, in the gathering of that number: sends them, or receives as many as there is room for.
absl::Status SendGathered(Mesh& mesh, int64_t number, int64_t rank, const std::string& bytes,
                          absl::FunctionRef<absl::Status()> go_on);
absl::Status ReceiveGathered(Mesh& mesh, int64_t number, int64_t rank, std::string* bytes,
                             absl::FunctionRef<absl::Status()> go_on);

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_MESH_USE_H_
