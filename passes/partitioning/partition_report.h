// PartitionReport: what partitioning did with each value of a program, what that moves between devices, and why.
#ifndef PASSES_PARTITIONING_PARTITION_REPORT_H_
#define PASSES_PARTITIONING_PARTITION_REPORT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/partitioning/device_axes.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// One collective of the partitioned program.
struct ReportedTransfer {
  std::string opcode;
  std::string along;  // DeviceAxes::Along
  int64_t bytes = 0;  // that a device receives each time
};

struct PartitionReport {
  // An instruction of a partitioned computation. Names and shapes are those of the program on whole arrays.
  struct Value {
    std::string computation;
    std::string instruction;
    std::string opcode;
    std::string shape;
    std::string sharding;
    std::string origin;  // "written", "from its operands", "from NAME", or "" if nothing says how it is cut
  };
  // Something that had to be moved, cut or, where the user is the value itself, added up or agreed on.
  struct Move {
    std::string value;
    std::string user;  // the instruction that needs it
    std::string from;
    std::string to;
    std::string reason;
    std::vector<ReportedTransfer> transfers;  // none: each device has what it needs
  };
  // All transfers along some axes together.
  struct Total {
    int64_t bytes = 0;
    std::map<std::string, int64_t> count_of_opcode;
  };

  std::map<std::string, Total> TotalsByAxes() const;

  std::string devices;  // DeviceAxes::ToString
  std::vector<Value> values;
  std::vector<Move> moves;
};

// What propagate-shardings and partition do with a copy of the module. The errors are those of the passes.
absl::StatusOr<PartitionReport> ReportPartition(const HloModule& module, int64_t devices,
                                                const ResourceContext* resources);

// For people, in lines: the moves with their reasons and the bytes of each axis.
std::string DescribeMoves(const PartitionReport& report);
// The same after a line for each instruction.
std::string DescribePartition(const PartitionReport& report);
// About one instruction: how it is cut, why, what is moved for it and of it. InvalidArgument, with the nearest name, if
// no partitioned computation has it.
absl::StatusOr<std::string> ExplainSharding(const PartitionReport& report, absl::string_view instruction);

// ExplainSharding of a module, for as many devices as it says. The errors are also those of the passes.
absl::StatusOr<std::string> ExplainShardingIn(const HloModule& module, absl::string_view instruction,
                                              const ResourceContext* resources);

// The analysis `shardings`: DescribePartition for as many devices as the program says.
std::string PrintShardings(const HloModule& module, const ResourceContext* resources);

}  // namespace xla

#endif  // PASSES_PARTITIONING_PARTITION_REPORT_H_
