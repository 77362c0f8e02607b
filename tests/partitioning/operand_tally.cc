#include "tests/partitioning/operand_tally.h"

#include <memory>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "passes/base/pass_context.h"
#include "passes/partitioning/device_axes.h"
#include "passes/partitioning/partition.h"
#include "passes/partitioning/partition_recorder.h"
#include "passes/partitioning/propagate_shardings.h"
#include "passes/pass_runner.h"
#include "re2/re2.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr char kWhole[] = "whole";  // in reports

using Names = std::pair<std::string, std::string>;

// The reasons of a move without the numbers of dimensions, each once. Reports join those of several dimensions.
std::set<std::string> KindsOf(std::string reasons) {
  RE2::GlobalReplace(&reasons, "[0-9]+", "N");
  RE2::GlobalReplace(&reasons, ", (the result is|dimension N is)", "\n\\1");
  return absl::StrSplit(reasons, '\n');
}

}  // namespace

absl::Status OperandTally::AddModule(const HloModule& module, absl::string_view before, int64_t devices,
                                     const RingRule& rings) {
  const std::unique_ptr<HloModule> copy = CloneModule(module);
  PassContext context;
  if (!before.empty()) {
    ASSIGN_OR_RETURN(const Pipeline passes, ParsePasses(before));
    RETURN_IF_ERROR(RunPasses(passes, PassRunnerOptions(), context, *copy).status());
  }
  const std::unique_ptr<HloModule> whole = CloneModule(*copy);
  PartitionReport report;
  const ShardingOrigins origins = WrittenShardings(*copy);
  PartitionRecorder recorder(&report, DeviceAxes::Of(*copy, devices), &origins);
  context.StartRun(copy->instruction_count());
  RETURN_IF_ERROR(PartitionOver(devices, *copy, context, recorder, rings).status());
  Add(*whole, report);
  return absl::OkStatus();
}

void OperandTally::Add(const HloModule& module, const PartitionReport& report) {
  absl::flat_hash_set<Names> cut;  // by computation and instruction
  absl::flat_hash_set<Names> partitioned;
  for (const PartitionReport::Value& value : report.values) {
    const Names names = {value.computation, value.instruction};
    partitioned.insert(names);
    if (value.sharding != kWhole) cut.insert(names);
  }
  absl::flat_hash_map<Names, const PartitionReport::Move*> moves;  // by operand and user
  for (const PartitionReport::Move& move : report.moves) moves[{move.value, move.user}] = &move;
  for (const auto& computation : module.computations()) {
    for (const auto& user : computation->instructions()) {
      if (!partitioned.contains({computation->name(), user->name()})) continue;
      for (const HloInstruction* operand : user->operands()) {
        if (!operand->shape().IsArray() || !cut.contains({computation->name(), operand->name()})) continue;
        const auto move = moves.find({operand->name(), user->name()});
        AddOperand(HloOpcodeName(user->opcode()), move == moves.end() ? nullptr : move->second);
      }
    }
  }
}

void OperandTally::AddOperand(absl::string_view opcode, const PartitionReport::Move* move) {
  OfOpcode& of_opcode = opcodes_[std::string(opcode)];
  if (move == nullptr) {
    ++of_opcode.kept;
    return;
  }
  ++(move->to == kWhole ? of_opcode.gathered : of_opcode.cut_otherwise);
  for (const std::string& reason : KindsOf(move->reason)) ++of_opcode.reasons[reason];
}

std::string OperandTally::ToString() const {
  std::string text = "operands that are cut    kept  gathered  otherwise\n";
  for (const auto& [opcode, of_opcode] : opcodes_) {
    absl::StrAppendFormat(&text, "  %-20s %8d  %8d  %9d\n", opcode, of_opcode.kept, of_opcode.gathered,
                          of_opcode.cut_otherwise);
    for (const auto& [reason, count] : of_opcode.reasons) absl::StrAppendFormat(&text, "    %8d  %s\n", count, reason);
  }
  return text;
}

}  // namespace xla
