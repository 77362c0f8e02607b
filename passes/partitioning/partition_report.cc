#include "passes/partitioning/partition_report.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "passes/base/pass_context.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/partition.h"
#include "passes/partitioning/partition_recorder.h"
#include "passes/partitioning/propagate_shardings.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// "1234 bytes", "1.2 MB"
std::string BytesText(int64_t bytes) {
  if (bytes < 10'000) return absl::StrCat(bytes, " bytes");
  if (bytes < 10'000'000) return absl::StrFormat("%.1f KB", static_cast<double>(bytes) / 1e3);
  return absl::StrFormat("%.1f MB", static_cast<double>(bytes) / 1e6);
}

std::string TransfersText(const PartitionReport::Move& move) {
  if (move.transfers.empty()) return "nothing is sent";
  return absl::StrJoin(move.transfers, ", ", [](std::string* out, const ReportedTransfer& transfer) {
    absl::StrAppend(out, transfer.opcode, " of ", BytesText(transfer.bytes), " along ", transfer.along);
  });
}

std::string MoveText(const PartitionReport::Move& move) {
  const std::string change =
      move.value == move.user ? ": " : absl::StrCat(" for ", move.user, ": ", move.from, " -> ", move.to, ", ");
  return absl::StrCat("  ", move.value, change, TransfersText(move), "; ", move.reason, "\n");
}

std::string OriginText(const PartitionReport::Value& value) {
  return value.origin.empty() ? "" : absl::StrCat(", ", value.origin);
}

absl::StatusOr<int64_t> DevicesToReport(const HloModule& module) {
  if (IsPartitioned(module)) return absl::InvalidArgumentError("the program is for each device already");
  ASSIGN_OR_RETURN(const int64_t devices, DevicesOfProgram(module));
  if (devices > 1) return devices;
  return absl::InvalidArgumentError("the program is for one device: its num_partitions is 1, and it has no mesh");
}

std::string ValueText(const PartitionReport::Value& value) {
  return absl::StrCat("  ", value.instruction, " = ", value.shape, " ", value.opcode, ": ", value.sharding,
                      OriginText(value), "\n");
}

}  // namespace

std::map<std::string, PartitionReport::Total> PartitionReport::TotalsByAxes() const {
  std::map<std::string, Total> totals;
  for (const Move& move : moves) {
    for (const ReportedTransfer& transfer : move.transfers) {
      Total& total = totals[transfer.along];
      total.bytes += transfer.bytes;
      ++total.count_of_opcode[transfer.opcode];
    }
  }
  return totals;
}

absl::StatusOr<PartitionReport> ReportPartition(const HloModule& module, int64_t devices,
                                                const ResourceContext* resources) {
  const std::unique_ptr<HloModule> copy = CloneModule(module);
  PassContext context;
  context.resources = resources;
  context.StartRun(module.instruction_count());
  PartitionReport report;
  ShardingOrigins origins = WrittenShardings(*copy);
  RETURN_IF_ERROR(PropagateShardingsOver(devices, *copy, context, &origins).status());
  DeviceAxes axes = DeviceAxes::Of(*copy, devices);
  report.devices = axes.ToString();
  PartitionRecorder recorder(&report, std::move(axes), &origins);
  RETURN_IF_ERROR(PartitionOver(devices, *copy, context, recorder).status());
  return report;
}

std::string DescribeMoves(const PartitionReport& report) {
  std::string text;
  for (const PartitionReport::Move& move : report.moves) {
    if (text.empty()) text = "moved, with the bytes that a device receives each time:\n";
    absl::StrAppend(&text, MoveText(move));
  }
  std::string totals;
  for (const auto& [along, total] : report.TotalsByAxes()) {
    const std::string counts = absl::StrJoin(total.count_of_opcode, ", ", absl::PairFormatter(" "));
    absl::StrAppend(&totals, "  ", along, ": ", BytesText(total.bytes), "; ", counts, "\n");
  }
  if (totals.empty()) return absl::StrCat(text, "no bytes are moved\n");
  return absl::StrCat(text, "bytes along each axis, each collective counted once:\n", totals);
}

std::string DescribePartition(const PartitionReport& report) {
  std::string text = absl::StrCat(report.devices, "\n");
  std::string computation;
  for (const PartitionReport::Value& value : report.values) {
    if (value.computation != computation) absl::StrAppend(&text, value.computation, ":\n");
    computation = value.computation;
    absl::StrAppend(&text, ValueText(value));
  }
  return absl::StrCat(text, DescribeMoves(report));
}

absl::StatusOr<std::string> ExplainSharding(const PartitionReport& report, absl::string_view instruction) {
  std::string text;
  std::vector<absl::string_view> known;
  for (const PartitionReport::Value& value : report.values) {
    known.push_back(value.instruction);
    if (value.instruction != instruction) continue;
    absl::StrAppend(&text, "in ", value.computation, ", ", report.devices, "\n", ValueText(value));
  }
  if (text.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("no instruction '", instruction, "' is partitioned",
                                                   DidYouMean(instruction, known),
                                                   "; --print-analysis shardings lists them"));
  }
  for (const PartitionReport::Move& move : report.moves) {
    if (move.user == instruction || move.value == instruction) absl::StrAppend(&text, MoveText(move));
  }
  return text;
}

absl::StatusOr<std::string> ExplainShardingIn(const HloModule& module, absl::string_view instruction,
                                              const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const int64_t devices, DevicesToReport(module));
  ASSIGN_OR_RETURN(const PartitionReport report, ReportPartition(module, devices, resources));
  return ExplainSharding(report, instruction);
}

std::string PrintShardings(const HloModule& module, const ResourceContext* resources) {
  const absl::StatusOr<int64_t> devices = DevicesToReport(module);
  if (!devices.ok()) return absl::StrCat(devices.status().message(), "\n");
  const absl::StatusOr<PartitionReport> report = ReportPartition(module, *devices, resources);
  if (!report.ok()) return absl::StrCat("the program cannot be partitioned: ", report.status().message(), "\n");
  return DescribePartition(*report);
}

}  // namespace xla
