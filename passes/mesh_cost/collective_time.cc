#include "passes/mesh_cost/collective_time.h"

#include <algorithm>
#include <cmath>

namespace xla {
namespace {

// What a process of Halo's sends along with its first message (backends/replicated/transport/greeting.h).
constexpr double kSentAtOnce = 32 << 10;

// Of one device, and of one host for one group.
struct Phase {
  double device_steps = 0, device_bytes = 0;
  double host_steps = 0, host_bytes = 0;
};

class ExchangeTime {
 public:
  ExchangeTime(double bytes, const GroupLayout& layout, const Topology& topology)
      : bytes_(bytes),
        layout_(layout),
        topology_(topology),
        size_(static_cast<double>(layout.size)),
        hosts_(static_cast<double>(layout.hosts)),
        here_(static_cast<double>(layout.members_on_host)),
        elsewhere_(size_ - here_) {}

  double Of(ExchangeKind exchange) {
    switch (exchange) {
      case ExchangeKind::kAllReduce:
        AllReduce();
        break;
      case ExchangeKind::kAllGather:
        AllGather();
        break;
      case ExchangeKind::kReduceScatter:
        ReduceScatter();
        break;
      case ExchangeKind::kAllToAll:
        // A part of the operand for each other member.
        Add({1, PartsFor(here_ - 1), Steps(1), here_ * PartsFor(elsewhere_)});
        break;
      case ExchangeKind::kBroadcast:
        Broadcast();
        break;
    }
    return seconds_;
  }

 private:
  // ---- Amounts

  double PartsFor(double members) const { return bytes_ / size_ * members; }
  double Steps(double steps) const { return layout_.hosts > 1 ? steps : 0; }
  double Levels(double count) const { return std::ceil(std::log2(std::max(1.0, count))); }

  void Add(const Phase& phase) {
    const Link& device = topology_.devices;
    const Link& host = topology_.between_hosts;
    const double sharing = device.is_shared ? static_cast<double>(layout_.busy_devices_on_host) : 1;
    double groups = static_cast<double>(layout_.groups_on_host);
    // What all hosts send: each group as much as its hosts do.
    if (host.is_shared) groups = static_cast<double>(layout_.groups_between_hosts) * hosts_;
    double within = 0, between = 0;
    if (here_ > 1) within = phase.device_steps * device.latency + sharing * phase.device_bytes / device.bandwidth;
    if (hosts_ > 1) between = phase.host_steps * host.latency + groups * phase.host_bytes / host.bandwidth;
    seconds_ += std::max(within, between);
  }
  // Reads `operands` arrays of `bytes` and writes one.
  void AddSum(double operands, double bytes) { seconds_ += (operands + 1) * bytes / topology_.memory_bandwidth; }

  // ---- Exchanges

  void AllReduce() {
    switch (topology_.kind) {
      case CollectiveKind::kDirect:
        if (bytes_ <= kSentAtOnce) {
          Add({1, (here_ - 1) * bytes_, Steps(1), here_ * (hosts_ - 1) * bytes_});
          return AddSum(size_, bytes_);
        }
        Add({1, PartsFor(here_ - 1), Steps(1), here_ * PartsFor(elsewhere_)});
        Add({1, PartsFor(here_ - 1), Steps(1), PartsFor(elsewhere_)});
        return AddSum(size_, bytes_ / size_);
      case CollectiveKind::kRing:
        Add(Ring(2 * (size_ - 1), 2 * PartsFor(size_ - 1)));
        return AddSum(2 * (size_ - 1), bytes_ / size_);
      case CollectiveKind::kTree: {
        const Phase one_way = {Levels(here_), bytes_, Steps(Levels(hosts_)), bytes_};
        Add(one_way);
        Add(one_way);
        return AddSum(2, bytes_);
      }
      case CollectiveKind::kHierarchical: {
        const Phase within = {1, bytes_ * (here_ - 1) / here_, 0, 0};
        const Phase between = {0, 0, Steps(1), bytes_ * (hosts_ - 1) / hosts_};
        Add(within);
        Add(between);
        Add(between);
        Add(within);
        return AddSum(here_ + hosts_, bytes_ / here_);
      }
    }
  }

  void AllGather() {
    // From each host to each other one the operands of its members.
    const double to_hosts = here_ * (hosts_ - 1) * bytes_;
    switch (topology_.kind) {
      case CollectiveKind::kDirect:
        return Add({1, (here_ - 1) * bytes_, Steps(1), to_hosts});
      case CollectiveKind::kRing:
        return Add(Ring(size_ - 1, (size_ - 1) * bytes_));
      case CollectiveKind::kTree:
        return Add({Levels(here_), (size_ - 1) * bytes_, Steps(Levels(hosts_)), to_hosts});
      case CollectiveKind::kHierarchical:
        Add({0, 0, Steps(1), to_hosts});
        return Add({1, (here_ - 1) * hosts_ * bytes_, 0, 0});
    }
  }

  void ReduceScatter() {
    switch (topology_.kind) {
      case CollectiveKind::kDirect:
        Add({1, PartsFor(here_ - 1), Steps(1), here_ * PartsFor(elsewhere_)});
        break;
      case CollectiveKind::kRing:
        Add(Ring(size_ - 1, PartsFor(size_ - 1)));
        break;
      case CollectiveKind::kTree:
        Add({Levels(here_), PartsFor(size_ - 1), Steps(Levels(hosts_)), PartsFor(elsewhere_)});
        break;
      case CollectiveKind::kHierarchical:
        Add({1, bytes_ * (here_ - 1) / here_, 0, 0});
        Add({0, 0, Steps(1), bytes_ * (hosts_ - 1) / hosts_});
        break;
    }
    AddSum(size_, bytes_ / size_);
  }

  // From one member to all others.
  void Broadcast() {
    switch (topology_.kind) {
      case CollectiveKind::kDirect:
        return Add({1, (here_ - 1) * bytes_, Steps(1), (hosts_ - 1) * bytes_});
      case CollectiveKind::kRing:
        return Add(Ring(size_ - 1, bytes_));
      case CollectiveKind::kTree:
        return Add({Levels(here_), bytes_, Steps(Levels(hosts_)), bytes_});
      case CollectiveKind::kHierarchical:
        Add({0, 0, Steps(1), (hosts_ - 1) * bytes_});
        return Add({1, (here_ - 1) * bytes_, 0, 0});
    }
  }

  // The ring goes through the members of a host one after the other: it leaves each host once, and all of it waits for
  // the slowest link.
  Phase Ring(double steps, double bytes) const {
    return layout_.hosts > 1 ? Phase{steps, bytes, steps, bytes} : Phase{steps, bytes, 0, 0};
  }

  const double bytes_;
  const GroupLayout& layout_;
  const Topology& topology_;
  const double size_, hosts_, here_, elsewhere_;
  double seconds_ = 0;
};

}  // namespace

double SecondsOfExchange(ExchangeKind exchange, double bytes, const GroupLayout& layout, const Topology& topology) {
  if (layout.size < 2) return 0;
  return ExchangeTime(bytes, layout, topology).Of(exchange);
}

double SecondsOfPairs(double bytes, const PairLayout& layout, const Topology& topology) {
  const Link& device = topology.devices;
  const Link& host = topology.between_hosts;
  double within = 0, between = 0;
  if (layout.within_host > 0) {
    const int64_t sharing = device.is_shared ? layout.within_host : 1;
    within = device.latency + static_cast<double>(sharing) * bytes / device.bandwidth;
  }
  if (layout.between_hosts > 0) {
    const int64_t sharing = host.is_shared ? layout.between_hosts : layout.from_host;
    between = host.latency + static_cast<double>(sharing) * bytes / host.bandwidth;
  }
  return std::max(within, between);
}

}  // namespace xla
