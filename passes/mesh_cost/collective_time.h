// How long a collective takes on a topology.
//
// A collective is a few *phases*, one after the other. In a phase each device sends bytes to others of its host, each
// host sends bytes to other hosts, and both go on at once: the phase takes as long as the slower one. A link takes its
// latency for each step, and the bytes at its bandwidth. So an all-reduce of B bytes among n devices of one host takes
//
//   direct   2 latencies          + 2 (n-1)/n B / bandwidth    parts to who adds them up, sums back to all
//   ring     2 (n-1) latencies    + 2 (n-1)/n B / bandwidth
//   tree     2 log2 n latencies   + 2 B / bandwidth            in pieces, so that all levels are at work
//
// and who adds up reads and writes memory besides. Between hosts, `direct` counts what Halo's processes send to each
// other: the operands of each device, but a result once for all devices of a host; operands of at most 32 KB go to all
// at once, and each adds up for itself. What has one way only (all-to-all, collective-permute) takes it whatever the
// kind.
#ifndef PASSES_MESH_COST_COLLECTIVE_TIME_H_
#define PASSES_MESH_COST_COLLECTIVE_TIME_H_

#include <cstdint>

#include "passes/mesh_cost/group_layout.h"
#include "passes/mesh_cost/topology.h"
#include "xla_core/ir/opcode.h"

namespace xla {

// What moves. The starts of all-reduce and all-gather count as these.
enum class ExchangeKind { kAllReduce, kAllGather, kReduceScatter, kAllToAll, kBroadcast };

// In seconds, for `bytes` of operands on each device. Zero for groups of one device.
double SecondsOfExchange(ExchangeKind exchange, double bytes, const GroupLayout& layout, const Topology& topology);
// For an array of `bytes` on its way from each source to its target.
double SecondsOfPairs(double bytes, const PairLayout& layout, const Topology& topology);

}  // namespace xla

#endif  // PASSES_MESH_COST_COLLECTIVE_TIME_H_
