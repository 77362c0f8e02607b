#include "passes/partitioning/manual_region.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "passes/partitioning/annotated_shardings.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

class RegionFinder {
 public:
  // False if it is not one.
  bool Find(const HloInstruction& begin) {
    return AddValue(begin) && Grow() && call_ != nullptr && CallsItselfOnly() && CanBePartitioned();
  }
  ManualRegion& region() { return region_; }

 private:
  bool AddValue(const HloInstruction& value) {
    known_.insert(&value);
    region_.values.push_back(&value);
    return &value != value.parent()->root();
  }

  // By users: what is added last is looked at later.
  bool Grow() {
    for (size_t i = 0; i < region_.values.size(); ++i) {
      const HloInstruction& value = *region_.values[i];
      for (const HloInstruction* user : value.users()) {
        if (!known_.contains(user) && !AddUser(*user)) return false;
      }
    }
    return true;
  }

  bool AddUser(const HloInstruction& user) {
    if (user.opcode() == HloOpcode::kGetTupleElement) return AddValue(user);
    if (user.opcode() == HloOpcode::kCall) {
      if (call_ != nullptr) return false;
      call_ = &user;
      return AddValue(user);
    }
    if (CustomCallTarget(user) != kLocalToGlobal) return false;
    known_.insert(&user);
    region_.ends.push_back(&user);
    return true;
  }

  bool CallsItselfOnly() const {
    const auto is_known = [&](const HloInstruction* operand) { return known_.contains(operand); };
    const auto operands = call_->operands();
    if (!std::all_of(operands.begin(), operands.end(), is_known)) return false;
    return std::all_of(region_.ends.begin(), region_.ends.end(), [&](const HloInstruction* end) {
      const auto results = end->operands();
      return std::all_of(results.begin(), results.end(), is_known);
    });
  }

  bool CanBePartitioned() const {
    std::vector<const HloComputation*> open = {call_->called_computation(0)};
    while (!open.empty()) {
      const HloComputation& computation = *open.back();
      open.pop_back();
      if (computation.callers().size() != 1) return false;
      for (const auto& instruction : computation.instructions()) {
        constexpr uint32_t kAsync = opcode_trait::kAsyncCall | opcode_trait::kBegins | opcode_trait::kEnds;
        const absl::string_view target = CustomCallTarget(*instruction);
        if (HasTrait(instruction->opcode(), kAsync) || target == kFullToShard || target == kShardToFull) return false;
        if (!HasTrait(instruction->opcode(), opcode_trait::kControlFlow)) continue;
        for (const HloComputation* callee : instruction->called_computations()) open.push_back(callee);
      }
    }
    return true;
  }

  ManualRegion region_;
  absl::flat_hash_set<const HloInstruction*> known_;
  const HloInstruction* call_ = nullptr;
};

}  // namespace

absl::optional<ManualRegion> FindManualRegion(const HloInstruction& begin) {
  RegionFinder finder;
  if (!finder.Find(begin)) return absl::nullopt;
  return std::move(finder.region());
}

}  // namespace xla
