// PartitionRecorder: writes a PartitionReport while a program is partitioned.
#ifndef PASSES_PARTITIONING_PARTITION_RECORDER_H_
#define PASSES_PARTITIONING_PARTITION_RECORDER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "passes/partitioning/computation_roles.h"
#include "passes/partitioning/device_axes.h"
#include "passes/partitioning/partition_report.h"
#include "passes/partitioning/propagate_shardings.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Why something is done; asked for only if it is written down.
using Reason = absl::FunctionRef<std::string()>;

class PartitionRecorder {
 public:
  // Writes nothing.
  PartitionRecorder() : axes_(DeviceAxes::Without(1)) {}
  PartitionRecorder(PartitionReport* report, DeviceAxes axes, const ShardingOrigins* origins)
      : report_(report), axes_(std::move(axes)), origins_(origins) {}

  // What an instruction that was `whole` in the global program has become.
  void AddValue(const HloInstruction& instruction, const Shape& whole, const LeafTilings& leaves, bool is_manual);
  // Transfers that follow are part of it.
  void BeginMove(const HloInstruction& value, const HloInstruction& user, const LeafTilings& from,
                 const LeafTilings& to, Reason reason);
  void AddTransfer(absl::string_view opcode, const std::vector<std::vector<int64_t>>& groups, int64_t bytes);

 private:
  PartitionReport* report_ = nullptr;
  DeviceAxes axes_;
  const ShardingOrigins* origins_ = nullptr;
};

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_RECORDER_H_
