// OperandTally: how often partitioning takes operands as they are cut, for each opcode, or moves them, and why.
#ifndef TESTS_PARTITIONING_OPERAND_TALLY_H_
#define TESTS_PARTITIONING_OPERAND_TALLY_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "passes/partitioning/partition_report.h"
#include "passes/partitioning/ring_rule.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

class OperandTally {
 public:
  // Partitions a copy of the annotated module for so many devices, after the passes `before`. The errors are theirs.
  absl::Status AddModule(const HloModule& module, absl::string_view before, int64_t devices, const RingRule& rings);
  // Of the module before it was partitioned.
  void Add(const HloModule& module, const PartitionReport& report);

  // A line for each opcode with operands that are cut, and one for each reason to move some, of which a move may have
  // several.
  std::string ToString() const;

 private:
  struct OfOpcode {
    int64_t kept = 0;
    int64_t gathered = 0;  // to be whole
    int64_t cut_otherwise = 0;
    std::map<std::string, int64_t> reasons;
  };

  // `move`: nullptr if it is taken as it is.
  void AddOperand(absl::string_view opcode, const PartitionReport::Move* move);

  std::map<std::string, OfOpcode> opcodes_;
};

}  // namespace xla

#endif  // TESTS_PARTITIONING_OPERAND_TALLY_H_
