// Topology: the machines that a program is meant to run on, as far as its time depends on them.
//
//   {"hosts": 2, "devices_per_host": 4, "collectives": "hierarchical",
//    "device": {"flops": 1e13, "memory_bandwidth": 1e12, "memory": 16e9},
//    "links": {"devices": {"latency": 2e-6, "bandwidth": 5e10},
//              "hosts": {"latency": 2e-5, "bandwidth": 1.25e9}}}
//
// Device d of the program is device d % devices_per_host of host d / devices_per_host. docs/sharding.md explains each
// member.
#ifndef PASSES_MESH_COST_TOPOLOGY_H_
#define PASSES_MESH_COST_TOPOLOGY_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {

// How the members of a group exchange what a collective moves.
enum class CollectiveKind {
  kDirect,        // each sends to each other: Halo's own transport, where a host of the topology is a process
  kRing,          // each sends to the next, over and over
  kTree,          // sums go up a tree and come down again
  kHierarchical,  // first within hosts, then between them
};
absl::string_view NameOf(CollectiveKind kind);

struct Link {
  double latency = 0;      // seconds until the first byte of a message is there
  double bandwidth = 1;    // bytes per second, in each direction
  bool is_shared = false;  // by all that it connects, as a bus is; else each end has it for itself
};

struct Topology {
  int64_t hosts = 1;
  int64_t devices_per_host = 1;
  CollectiveKind kind = CollectiveKind::kDirect;
  double flops = 1;             // of a device, per second
  double memory_bandwidth = 1;  // of a device, bytes per second
  double memory = 0;            // of a device, bytes; 0: unknown
  Link devices;                 // between devices of a host
  Link between_hosts;

  int64_t device_count() const { return hosts * devices_per_host; }
  int64_t HostOf(int64_t device) const { return device / devices_per_host; }
  // "2 hosts of 4 devices, hierarchical"
  std::string ToString() const;
};

// InvalidArgument, with the file and the member that is wrong, unless `text` is such an object. Members that it does
// not know are wrong, too.
absl::StatusOr<Topology> ReadTopology(absl::string_view text, absl::string_view file_name);

}  // namespace xla

#endif  // PASSES_MESH_COST_TOPOLOGY_H_
