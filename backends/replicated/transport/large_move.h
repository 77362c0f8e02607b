// Large arrays that are not folded in pieces: they travel as far as they are needed.
#ifndef BACKENDS_REPLICATED_TRANSPORT_LARGE_MOVE_H_
#define BACKENDS_REPLICATED_TRANSPORT_LARGE_MOVE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "backends/replicated/transport/session.h"

namespace xla {
namespace transport {

// The small values of all calls of the session must be there. `subject` keeps its messages apart from those of other
// shapes.
absl::Status MoveLarge(Session& session, uint64_t subject);

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_LARGE_MOVE_H_
