// A program on whole arrays as one for each device, in one call.
#ifndef PASSES_PARTITIONING_PARTITION_MODULE_H_
#define PASSES_PARTITIONING_PARTITION_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "passes/partitioning/reshard_plan.h"
#include "passes/partitioning/ring_rule.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

struct PartitionedModule {
  std::unique_ptr<HloModule> module;  // verified
  std::vector<std::string> warnings;  // of the passes
};

// What follows from the machines that the program is for.
struct PartitionSettings {
  RingRule rings = RingsFrom(kRingBytes);
  ByteCost byte_cost;  // for propagation
};

// A copy of a verified module after propagate-shardings and partition; EntryShards (entry_shards.h) says how arguments
// and results are cut. The errors are those of the passes, or of `resources`, which may be nullptr.
absl::StatusOr<PartitionedModule> PartitionModule(const HloModule& module, int64_t devices,
                                                  const ResourceContext* resources,
                                                  const PartitionSettings& settings = PartitionSettings());

// Gives results that allow_spmd_sharding_propagation_to_output leaves free the shardings that propagation finds for
// them, and clears it: they are what PartitionModule and EntryShards go by, to both of which a result without a
// sharding is whole. The errors are those of propagate-shardings.
absl::Status AnnotateFreeResults(HloModule& module, int64_t devices, const ResourceContext* resources);

// A copy of a program on whole arrays for one device, which has all of them: without the custom calls that only say how
// they are cut. Manual bodies (FirstManualBody) stay as they are, and cannot run there.
std::unique_ptr<HloModule> OnOneDevice(const HloModule& module);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_MODULE_H_
