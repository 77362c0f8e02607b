// Whom a send goes to, and whom a recv gets its value from.
//
// The frontend attribute _xla_send_recv_source_target_pairs says it ({{0,1},{1,2}}: partition ids in a program of one
// replica, else replica ids). Without it a device sends to itself.
#ifndef XLA_CORE_OPS_TRANSFER_PEERS_H_
#define XLA_CORE_OPS_TRANSFER_PEERS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_instruction.h"
#include "xla_core/ops/eval_context.h"

namespace xla {

inline constexpr char kTransferPairsAttribute[] = "_xla_send_recv_source_target_pairs";

using TransferPairs = std::vector<std::pair<int64_t, int64_t>>;

// What the attribute says; nullptr: the instruction has none.
const std::string* TransferPairsText(const HloInstruction& transfer);
// InvalidArgument unless the text is a list of pairs.
absl::StatusOr<TransferPairs> ParseTransferPairs(const HloInstruction& transfer, const std::string& text);

// Flattened ids; -1: none.
struct TransferPeers {
  int64_t target = -1;
  int64_t source = -1;
};
// InvalidArgument if the pairs name a device that is not there.
absl::StatusOr<TransferPeers> PeersOfDevice(const HloInstruction& transfer, const DeviceInfo& device);

}  // namespace xla

#endif  // XLA_CORE_OPS_TRANSFER_PEERS_H_
