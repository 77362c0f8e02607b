// Which instruction of one module stands for which of another.
#ifndef TOOLS_VIEWS_MODULE_MATCHING_H_
#define TOOLS_VIEWS_MODULE_MATCHING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/resource_poll.h"

namespace xla {

class ModuleMatching {
 public:
  // An error once a limit of `resources`, which may be nullptr, has been reached.
  static absl::StatusOr<ModuleMatching> Create(const HloModule& a, const HloModule& b,
                                               const ResourceContext* resources);

  // Of the other module; nullptr for what is only in one.
  const HloInstruction* PartnerOf(const HloInstruction* instruction) const;
  const HloComputation* PartnerOf(const HloComputation* computation) const;
  // Whether an instruction of `a` and one of `b` compute the same from the same parameters, down to what they call.
  bool ComputeTheSame(const HloInstruction* a, const HloInstruction* b) const;

 private:
  template <typename T>
  using Partners = absl::flat_hash_map<const T*, const T*>;

  ModuleMatching() = default;
  absl::Status Match(const HloModule& a, const HloModule& b, ResourcePoll& poll);
  absl::Status HashModule(const HloModule& module, ResourcePoll& poll);
  void Pair(const HloComputation* a, const HloComputation* b);
  bool Pair(const HloInstruction* a, const HloInstruction* b);
  absl::Status MatchInstructions(const HloComputation& a, const HloComputation& b, ResourcePoll& poll);
  uint64_t HashOfSurroundings(const HloInstruction& instruction) const;
  absl::Status PairEqualHashes(const HloComputation& a, const HloComputation& b, ResourcePoll& poll);
  void PairNames(const HloComputation& a, const HloComputation& b);
  absl::Status PairNeighbours(bool any_opcode, ResourcePoll& poll);
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
