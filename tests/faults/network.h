// Hosts that exist in this machine only: network namespaces, connected with each other and with nothing else.
//
// Namespaces have no names and belong to descriptors of this process: they are gone when it is and the processes that
// run in them, and the machine's own network is left alone. Needs root, `ip` of iproute2, and `nft` of nftables for
// losses.
#ifndef TESTS_FAULTS_NETWORK_H_
#define TESTS_FAULTS_NETWORK_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/faults/processes.h"

namespace xla {

// To be used by a process with one thread, since a namespace is entered for a moment to work in it.
class Network {
 public:
  // `hosts` on a bridge, with a cable (veth) each.
  static absl::StatusOr<std::unique_ptr<Network>> Connect(int hosts);
  // `hosts` with a TUN device each, between which a process of ours carries packets, `delay` for each way.
  static absl::StatusOr<std::unique_ptr<Network>> ConnectSlowly(int hosts, absl::Duration delay, ProcessSet& processes);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  static std::string Address(int host);
  // A descriptor of its namespace.
  int namespace_of(int host) const { return hosts_[host]; }

  // Every host loses this share of the TCP packets that come to it, at random.
  absl::Status LosePackets(int percent) const;
  // ... and sends no faster than this.
  absl::Status LimitRate(int megabits_per_second) const;
  // Takes the host's cable out. Of networks of Connect.
  absl::Status CutOff(int host) const;

 private:
  Network() = default;
  absl::Status AddNamespaces(int hosts);

  std::vector<int> hosts_;
  int bridge_ = -1;  // the namespace that the other ends of the cables are in
};

}  // namespace xla

#endif  // TESTS_FAULTS_NETWORK_H_
