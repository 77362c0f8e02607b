// Values are numbered through all branches of a conditional: what comes from outside has a number for each value there,
// and an operation on numbered values has the number of the operation and these. A number that all branches have is
// common to them.
#ifndef PASSES_LOOPS_VALUES_OF_BRANCHES_H_
#define PASSES_LOOPS_VALUES_OF_BRANCHES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/cleaning/equal_instructions.h"
#include "passes/loops/tuple_elements.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// A value that branches of one conditional may have in common.
struct CommonValue {
  static constexpr int64_t kNone = -1;

  // What computes it in the first branch that has it, and the numbers of what it takes; nullptr for what comes from
  // outside.
  HloInstruction* example = nullptr;
  std::vector<int64_t> operands;
  // From outside: an instruction there, or the element of one with this number.
  HloInstruction* outside = nullptr;
  int64_t tuple = kNone;
  int64_t index = 0;

  bool constant = false;  // made of constants alone
  bool free = false;      // no work: from outside, or moved from there
  int branches = 0;       // that have it
  int last_branch = kNone;
};

// As the branches are when this is made.
class ValuesOfBranches {
 public:
  static constexpr int64_t kNone = CommonValue::kNone;

  ValuesOfBranches(HloInstruction* conditional, ComputationNumbers& computations);

  // kNone: not a value that could be computed outside.
  int64_t Number(const HloInstruction* instruction) const;
  const CommonValue& value(int64_t number) const { return values_[number]; }
  bool IsCommon(int64_t number) const;
  // Work that all branches do.
  bool IsHoistable(const HloInstruction* instruction) const;

  // The value in the computation of the conditional; what it stands on is copied there, operands first.
  HloInstruction* Outside(int64_t number);

 private:
  HloInstruction* MakeOutside(const CommonValue& value);
  void NumberBranch(int branch);
  int64_t NumberOf(HloInstruction* instruction, int branch);
  int64_t FromOutside(HloInstruction* instruction);
  int64_t NumberOfOutside(HloInstruction* instruction);
  int64_t ElementFromOutside(int64_t tuple, int64_t index);
  int64_t OfOperation(HloInstruction* instruction, std::vector<int64_t> operands);

  HloInstruction* const conditional_;
  ComputationNumbers& computations_;
  std::vector<CommonValue> values_;
  absl::flat_hash_map<const HloInstruction*, int64_t> numbers_;  // of instructions of branches
  absl::flat_hash_map<const HloInstruction*, int64_t> outside_;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, int64_t> elements_;
  absl::flat_hash_map<uint64_t, std::vector<int64_t>> operations_;  // by hash
  absl::flat_hash_map<int64_t, OrderedOperands> ordered_;
  TupleElements tuple_elements_;
};

}  // namespace xla

#endif  // PASSES_LOOPS_VALUES_OF_BRANCHES_H_
