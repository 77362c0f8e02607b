// What the branches of a conditional give.
#ifndef PASSES_LOOPS_RESULTS_OF_BRANCHES_H_
#define PASSES_LOOPS_RESULTS_OF_BRANCHES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// The arrays that are the results, or the elements of the tuples that are, if these are made in plain sight. Changes of
// tuples are put off, so that each tuple is changed once.
class ResultsOfBranches {
 public:
  explicit ResultsOfBranches(const HloInstruction& conditional);

  // For each branch; none if they are not in plain sight.
  int64_t count() const { return count_; }
  HloInstruction* Of(int branch, int64_t index) const { return branches_[branch].results[index]; }
  // Whether the value is this one result and nothing else reads it.
  bool IsOnlyResult(int branch, int64_t index) const;

  // Gives an operand of the result instead, which is removed. Done to all branches, the operands have equal shapes.
  void DropLast(int branch, int64_t index, int operand);
  // Makes the tuples of the results as they now are.
  void Apply();

 private:
  struct Branch {
    HloComputation* computation;
    std::vector<HloInstruction*> results;
    absl::flat_hash_map<const HloInstruction*, int64_t> times;  // that a value is a result
    std::vector<int64_t> changed;                               // indices
  };

  int64_t count_ = 0;
  std::vector<Branch> branches_;
};

// The tuple with elements of these shapes at some indices.
Shape WithElements(const Shape& tuple, const absl::flat_hash_map<int64_t, Shape>& elements);

}  // namespace xla

#endif  // PASSES_LOOPS_RESULTS_OF_BRANCHES_H_
