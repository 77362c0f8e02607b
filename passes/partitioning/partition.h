// The pass partition.
#ifndef PASSES_PARTITIONING_PARTITION_H_
#define PASSES_PARTITIONING_PARTITION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "passes/partitioning/partition_recorder.h"
#include "passes/partitioning/ring_rule.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Turns a program on whole arrays into one that each of `partitions` devices runs on its shards of them; 0, the
// default: leaves the program as it is.
//   before: p = f32[8,4] parameter(0), sharding={devices=[2,1]<=[2]}   s = f32[4] reduce(p, zero), dimensions={0}
//   after:  p = f32[4,4] parameter(0)   s = f32[4] reduce(p, zero), dimensions={0}   a = f32[4] all-reduce(s)
// Values are cut as their annotations say, and are whole without one: propagate-shardings annotates those between. The
// parameters and results of the program become shards too. What a manual body computes stays as it is. The header then
// has the attribute halo.partitions, and a second run changes nothing. InvalidArgument: shardings that do not fit.
// Products whose operand or result has at least `ring-bytes` bytes to move go around a ring (partition_ring.h).
// Unimplemented: what a program on whole arrays cannot have on several devices, such as an infeed.
absl::StatusOr<bool> Partition(HloModule& module, PassContext& context);

// The pass, for so many devices.
absl::StatusOr<bool> PartitionOver(int64_t devices, HloModule& module, PassContext& context,
                                   PartitionRecorder& recorder, const RingRule& rings = RingsFrom(kRingBytes));

// Whether the header says that the program is for each device already.
bool IsPartitioned(const HloModule& module);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_H_
