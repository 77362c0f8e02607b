#include "passes/partitioning/partition_recorder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace xla {

void PartitionRecorder::AddValue(const HloInstruction& instruction, const Shape& whole, const LeafTilings& leaves,
                                 bool is_manual) {
  if (report_ == nullptr) return;
  PartitionReport::Value value;
  value.computation = instruction.parent()->name();
  value.instruction = instruction.name();
  value.opcode = std::string(instruction.opcode_name());
  value.shape = whole.ToString();
  value.sharding = is_manual ? "manual" : axes_.TextOf(leaves);
  const auto origin = origins_->find(&instruction);
  if (origin != origins_->end()) {
    value.origin = origin->second == nullptr        ? "written"
                   : origin->second == &instruction ? "from its operands"
                                                    : absl::StrCat("from ", origin->second->name());
  }
  report_->values.push_back(std::move(value));
}

void PartitionRecorder::BeginMove(const HloInstruction& value, const HloInstruction& user, const LeafTilings& from,
                                  const LeafTilings& to, Reason reason) {
  if (report_ == nullptr) return;
  report_->moves.push_back({value.name(), user.name(), axes_.TextOf(from), axes_.TextOf(to), reason(), {}});
}

void PartitionRecorder::AddTransfer(absl::string_view opcode, const std::vector<std::vector<int64_t>>& groups,
                                    int64_t bytes) {
  if (report_ == nullptr || report_->moves.empty()) return;
  report_->moves.back().transfers.push_back({std::string(opcode), axes_.Along(groups), bytes});
}

}  // namespace xla
