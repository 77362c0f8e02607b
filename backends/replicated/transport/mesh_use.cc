#include "backends/replicated/transport/mesh_use.h"

#include <algorithm>

#include "xla_core/support/mix_hash.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

constexpr int64_t kGatherMessage = 4 << 20;

// Each of these numbers is the key of one message.
uint64_t GatherSlot(int64_t number, int64_t rank, int64_t message) {
  return MixHash(MixHash(MixHash(0x6174686572, number), rank), message) >> 1;
}

// action(begin, count, slot) for each message.
template <typename Action>
absl::Status ForEachMessage(int64_t number, int64_t rank, int64_t size, const Action& action) {
  for (int64_t begin = 0; begin < size; begin += kGatherMessage) {
    RETURN_IF_ERROR(action(begin, std::min(kGatherMessage, size - begin), GatherSlot(number, rank, begin)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SendGathered(Mesh& mesh, int64_t number, int64_t rank, const std::string& bytes,
                          absl::FunctionRef<absl::Status()> go_on) {
  const auto size = static_cast<int64_t>(bytes.size());
  return ForEachMessage(number, rank, size, [&](int64_t begin, int64_t count, uint64_t slot) -> absl::Status {
    const auto transfer = mesh.Send(0, slot, bytes.data() + begin, count, Delivery::kWhenExpected);
    return mesh.Wait(*transfer, go_on);
  });
}

absl::Status ReceiveGathered(Mesh& mesh, int64_t number, int64_t rank, std::string* bytes,
                             absl::FunctionRef<absl::Status()> go_on) {
  const auto size = static_cast<int64_t>(bytes->size());
  return ForEachMessage(number, rank, size, [&](int64_t begin, int64_t count, uint64_t slot) -> absl::Status {
    const auto transfer = mesh.Receive(static_cast<int>(rank), slot, &(*bytes)[begin], count, Delivery::kWhenExpected);
    return mesh.Wait(*transfer, go_on);
  });
}

}  // namespace transport
}  // namespace xla
