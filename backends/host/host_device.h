// HostDevice: a share of the host.
#ifndef BACKENDS_HOST_HOST_DEVICE_H_
#define BACKENDS_HOST_HOST_DEVICE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "backends/backend.h"
#include "backends/host/feed_station.h"
#include "xla_core/support/memory_budget.h"

namespace xla {

// It has no memory or threads of its own: only an id, and queues for infeed and outfeed. `memory` is the client's
// budget, which all its devices share; `kind` is the name of the backend. A run that still ends while its client does
// may use the device, so the device keeps what it says of itself rather than ask the client.
class HostDevice : public Device {
 public:
  HostDevice(Client& client, std::string kind, int64_t id, std::shared_ptr<MemoryBudget> memory)
      : client_(client), kind_(std::move(kind)), id_(id), memory_(memory), feeds_(std::move(memory)) {}

  Client& client() const override { return client_; }
  int64_t id() const override { return id_; }
  std::string kind() const override { return kind_; }
  std::string description() const override;
  DeviceMemory memory() const override;
  absl::Status TransferToInfeed(Literal value, const TransferOptions& options) override;
  absl::StatusOr<Literal> TransferFromOutfeed(const Shape& shape, const TransferOptions& options) override;

  FeedStation& feeds() { return feeds_; }

 private:
  Client& client_;
  const std::string kind_;
  const int64_t id_;
  const std::shared_ptr<MemoryBudget> memory_;
  FeedStation feeds_;
};

}  // namespace xla

#endif  // BACKENDS_HOST_HOST_DEVICE_H_
