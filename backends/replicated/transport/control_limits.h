// How long messages of the control channel may be: of a member, and of the coordinator, which holds a little of all.
#ifndef BACKENDS_REPLICATED_TRANSPORT_CONTROL_LIMITS_H_
#define BACKENDS_REPLICATED_TRANSPORT_CONTROL_LIMITS_H_

#include <cstdint>

namespace xla {
namespace transport {

constexpr int64_t kMaxMemberMessage = 4 << 20;
constexpr int64_t kMaxCoordinatorMessage = 256 << 20;

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_CONTROL_LIMITS_H_
