#include "xla_core/ops/transfer_peers.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xla_core/ops/collective_groups.h"
#include "xla_core/support/status_macros.h"

namespace xla {

const std::string* TransferPairsText(const HloInstruction& transfer) {
  const FrontendAttributes& attributes = transfer.annotations().frontend_attributes;
  const auto found = attributes.find(kTransferPairsAttribute);
  return found == attributes.end() ? nullptr : &found->second;
}

absl::StatusOr<TransferPairs> ParseTransferPairs(const HloInstruction& transfer, const std::string& text) {
  TransferPairs pairs;
  const std::vector<absl::string_view> numbers =
      absl::StrSplit(absl::string_view(text), absl::ByAnyChar("{}, "), absl::SkipEmpty());
  bool ok = numbers.size() % 2 == 0;
  for (size_t i = 0; ok && i < numbers.size(); i += 2) {
    std::pair<int64_t, int64_t> pair;
    ok = absl::SimpleAtoi(numbers[i], &pair.first) && absl::SimpleAtoi(numbers[i + 1], &pair.second);
    pairs.push_back(pair);
  }
  if (ok) return pairs;
  return absl::InvalidArgumentError(
      absl::StrCat(transfer.name(), ": ", kTransferPairsAttribute, " must look like {{0,1},{1,2}}, found ", text));
}

absl::StatusOr<TransferPeers> PeersOfDevice(const HloInstruction& transfer, const DeviceInfo& device) {
  const std::string* const text = TransferPairsText(transfer);
  if (text == nullptr) return TransferPeers{device.id(), device.id()};
  ASSIGN_OR_RETURN(const TransferPairs written, ParseTransferPairs(transfer, *text));
  const auto pairs = DevicePairs(written, /*cross_partition=*/device.replica_count == 1, device);
  if (!pairs.ok()) return absl::InvalidArgumentError(absl::StrCat(transfer.name(), ": ", pairs.status().message()));
  TransferPeers peers;
  for (const auto& [source, target] : *pairs) {
    if (source == device.id()) peers.target = target;
    if (target == device.id()) peers.source = source;
  }
  return peers;
}

}  // namespace xla
