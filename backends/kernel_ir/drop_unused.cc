#include "backends/kernel_ir/drop_unused.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace xla {
namespace {

bool HasState(const KernelInstruction& instruction) {
  return instruction.op == KernelOp::kFor || instruction.op == KernelOp::kWhile;
}

// Operands and arguments of a loop that come before its state.
int FirstState(const KernelInstruction& loop) { return loop.op == KernelOp::kFor ? 1 : 0; }

bool HasEffect(const KernelInstruction& instruction) {
  if (instruction.op == KernelOp::kStore || instruction.op == KernelOp::kBarrier) return true;
  for (const KernelRegion& region : instruction.regions) {
    if (std::any_of(region.instructions.begin(), region.instructions.end(), HasEffect)) return true;
  }
  return false;
}

// Finds the values that effects depend on.
class UseFinder {
 public:
  explicit UseFinder(const Kernel& kernel) : origins_(kernel.value_types.size()), is_used_(kernel.value_types.size()) {
    for (const KernelPhase& phase : kernel.phases) Enter(phase.body);
    while (!found_.empty()) {
      const KernelValue value = found_.back();
      found_.pop_back();
      Follow(origins_[value]);
    }
  }

  bool IsUsed(KernelValue value) const { return is_used_[value]; }

 private:
  // What a value is a result of, or for state also an argument.
  struct Origin {
    const KernelInstruction* instruction = nullptr;
    int state = -1;
  };

  void SetOrigin(KernelValue value, const KernelInstruction& instruction, size_t index) {
    origins_[value] = {&instruction, HasState(instruction) ? static_cast<int>(index) : -1};
  }

  void Use(KernelValue value) {
    if (is_used_[value]) return;
    is_used_[value] = true;
    found_.push_back(value);
  }

  template <typename Values>
  void UseAll(const Values& values) {
    for (const KernelValue value : values) Use(value);
  }

  // Notes for each value the instruction that makes it, or the state of a loop that it is, and starts from
  // instructions with effects: what those need is used.
  void Enter(const KernelRegion& region) {
    for (const KernelInstruction& instruction : region.instructions) {
      for (size_t i = 0; i < instruction.results.size(); ++i) SetOrigin(instruction.results[i], instruction, i);
      for (const KernelRegion& nested : instruction.regions) {
        const size_t first = FirstState(instruction);
        for (size_t i = first; HasState(instruction) && i < nested.arguments.size(); ++i) {
          SetOrigin(nested.arguments[i], instruction, i - first);
        }
        Enter(nested);
      }
      if (HasEffect(instruction)) UseInstruction(instruction);
    }
  }

  // What decides whether and how often something happens; of instructions without state, all of it.
  void UseInstruction(const KernelInstruction& instruction) {
    if (instruction.op == KernelOp::kFor) return Use(instruction.operands[0]);
    if (instruction.op == KernelOp::kWhile) return UseAll(instruction.regions[0].results);
    UseAll(instruction.operands);
    for (const KernelRegion& region : instruction.regions) UseAll(region.results);
  }

  void Follow(const Origin& origin) {
    if (origin.instruction == nullptr) return;
    const KernelInstruction& instruction = *origin.instruction;
    UseInstruction(instruction);
    if (origin.state < 0) return;
    Use(instruction.results[origin.state]);
    Use(instruction.operands[origin.state + FirstState(instruction)]);
    Use(instruction.regions.back().results[origin.state]);
  }

  std::vector<Origin> origins_;
  std::vector<bool> is_used_;
  std::vector<KernelValue> found_;
};

template <typename Values>
void EraseState(Values& values, int first, const std::vector<bool>& is_kept) {
  size_t next = first;
  for (size_t i = 0; i < is_kept.size(); ++i) {
    if (is_kept[i]) values[next++] = values[first + i];
  }
  values.resize(next);
}

void DropState(KernelInstruction& loop, const UseFinder& uses) {
  std::vector<bool> is_kept;
  for (const KernelValue result : loop.results) is_kept.push_back(uses.IsUsed(result));
  if (std::find(is_kept.begin(), is_kept.end(), false) == is_kept.end()) return;
  const int first = FirstState(loop);
  EraseState(loop.results, 0, is_kept);
  EraseState(loop.operands, first, is_kept);
  for (KernelRegion& region : loop.regions) EraseState(region.arguments, first, is_kept);
  EraseState(loop.regions.back().results, 0, is_kept);
}

void DropFrom(KernelRegion& region, const UseFinder& uses) {
  std::vector<KernelInstruction> kept;
  for (KernelInstruction& instruction : region.instructions) {
    const auto& results = instruction.results;
    const bool has_users = std::any_of(results.begin(), results.end(), [&](KernelValue v) { return uses.IsUsed(v); });
    if (!has_users && !HasEffect(instruction)) continue;
    if (HasState(instruction)) DropState(instruction, uses);
    for (KernelRegion& nested : instruction.regions) DropFrom(nested, uses);
    kept.push_back(std::move(instruction));
  }
  region.instructions = std::move(kept);
}

}  // namespace

void DropUnused(Kernel& kernel) {
  const UseFinder uses(kernel);
  for (KernelPhase& phase : kernel.phases) DropFrom(phase.body, uses);
}

}  // namespace xla
