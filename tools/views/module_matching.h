// Which instruction of one module stands for which of another.
#ifndef TOOLS_VIEWS_MODULE_MATCHING_H_
#define TOOLS_VIEWS_MODULE_MATCHING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

class ModuleMatching {
 public:
  ModuleMatching(const HloModule& a, const HloModule& b);

  // Of the other module; nullptr for what is only in one.
  const HloInstruction* PartnerOf(const HloInstruction* instruction) const;
  const HloComputation* PartnerOf(const HloComputation* computation) const;
  // Whether an instruction of `a` and one of `b` compute the same from the same parameters, down to what they call.
  bool ComputeTheSame(const HloInstruction* a, const HloInstruction* b) const;

 private:
  template <typename T>
  using Partners = absl::flat_hash_map<const T*, const T*>;

  void HashModule(const HloModule& module);
  void Pair(const HloComputation* a, const HloComputation* b);
  bool Pair(const HloInstruction* a, const HloInstruction* b);
  void MatchInstructions(const HloComputation& a, const HloComputation& b);
  uint64_t HashOfSurroundings(const HloInstruction& instruction) const;
  void PairEqualHashes(const HloComputation& a, const HloComputation& b);
  void PairNames(const HloComputation& a, const HloComputation& b);
  void PairNeighbours(bool any_opcode);
  void PairOperands(const HloInstruction& a, const HloInstruction& b, bool any_opcode);
  std::vector<const HloInstruction*> OpenUsers(const HloInstruction& instruction, bool through) const;
  void PairUsersOfAKind(const std::vector<const HloInstruction*>& users_a,
                        const std::vector<const HloInstruction*>& users_b, bool exactly);
  void PairUsers(const HloInstruction& a, const HloInstruction& b);

  Partners<HloComputation> computations_;
  Partners<HloInstruction> instructions_;
  absl::flat_hash_map<const HloInstruction*, uint64_t> hashes_;  // of all that is computed
  absl::flat_hash_map<const HloInstruction*, uint64_t> kinds_;   // without operands and callees
  absl::flat_hash_map<const HloComputation*, uint64_t> computation_hashes_;
  std::vector<std::pair<const HloComputation*, const HloComputation*>> computation_pairs_;
  std::vector<std::pair<const HloInstruction*, const HloInstruction*>> pairs_;  // of the given computations
};

}  // namespace xla

#endif  // TOOLS_VIEWS_MODULE_MATCHING_H_
