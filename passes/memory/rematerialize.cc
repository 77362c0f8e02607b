// What helps is tried: the module is changed, liveness looked at again, and the change taken back if the worst place
// has not become better. Several values are tried at once as long as that works, so that the rounds are few.
#include "passes/memory/rematerialize.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "passes/analyses/cost.h"
#include "passes/analyses/liveness.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr size_t kMostTogether = 8;    // instructions that are computed again for one value
constexpr int64_t kMostInFusion = 16;  // instructions of a fusion that is cheap
constexpr size_t kMostTriedAlone = 8;  // values, where they do not help together
constexpr int64_t kSmallPart = 16;     // what is that many times smaller than a value is kept for it

bool IsCheapAlone(const HloInstruction& instruction) {
  if (instruction.HasControlEdges() || !instruction.shape().IsArray() || instruction.shape().IsDynamic()) return false;
  const HloOpcode opcode = instruction.opcode();
  if (IsElementwise(opcode)) return opcode != HloOpcode::kCopy && OwnCost(instruction).transcendentals == 0;
  return opcode == HloOpcode::kBroadcast || opcode == HloOpcode::kIota || opcode == HloOpcode::kReshape ||
         opcode == HloOpcode::kTranspose || opcode == HloOpcode::kSlice || opcode == HloOpcode::kPad ||
         opcode == HloOpcode::kConcatenate || opcode == HloOpcode::kReverse || opcode == HloOpcode::kDynamicSlice ||
         opcode == HloOpcode::kBitcastConvert;
}

bool IsCheap(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kFusion) return IsCheapAlone(instruction);
  const bool is_loop = instruction.attributes<FusionAttributes>().kind == FusionKind::kLoop;
  const HloComputation& body = *instruction.called_computation(0);
  if (!is_loop || !instruction.shape().IsArray() || instruction.HasControlEdges()) return false;
  if (body.instruction_count() > kMostInFusion) return false;
  return std::all_of(body.instructions().begin(), body.instructions().end(), [](const auto& part) {
    const HloOpcode opcode = part->opcode();
    return opcode == HloOpcode::kParameter || opcode == HloOpcode::kConstant || opcode == HloOpcode::kBitcast ||
           IsCheapAlone(*part);
  });
}

// A program at one moment: what is live when.
struct Moment {
  std::unique_ptr<Dataflow> dataflow;
  std::unique_ptr<Liveness> liveness;
  int64_t worst = 0;  // the first slot with most live bytes
  double peak = 0;    // bytes there
  int64_t peaks = 0;  // runs of slots with as many

  bool IsBetterThan(const Moment& o) const { return peak < o.peak || (peak == o.peak && peaks < o.peaks); }
};

absl::StatusOr<Moment> Look(const HloModule& module) {
  Moment moment;
  moment.dataflow = std::make_unique<Dataflow>(module);
  ASSIGN_OR_RETURN(Liveness liveness, Liveness::Create(module, *moment.dataflow));
  moment.liveness = std::make_unique<Liveness>(std::move(liveness));
  const std::vector<double> bytes = moment.liveness->LiveBytes();
  if (bytes.empty()) return moment;
  moment.worst = std::max_element(bytes.begin(), bytes.end()) - bytes.begin();
  moment.peak = bytes[moment.worst];
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == moment.peak && (i == 0 || bytes[i - 1] != moment.peak)) ++moment.peaks;
  }
  return moment;
}

// One value that could be computed again.
struct Candidate {
  HloInstruction* value = nullptr;
  std::vector<HloInstruction*> again;  // what is computed again, operands first; `value` is the last
  std::vector<HloInstruction*> users;  // the late ones
  double gain = 0;                     // bytes at the worst place
};

class CandidateFinder {
 public:
  explicit CandidateFinder(const Moment& moment)
      : dataflow_(*moment.dataflow), liveness_(*moment.liveness), worst_(moment.worst) {}

  // Largest gain first.
  std::vector<Candidate> Find() const {
    std::vector<Candidate> candidates;
    for (Dataflow::Value value = 0; value < dataflow_.position_count(); ++value) {
      if (!IsKeptThere(value)) continue;
      Candidate candidate;
      // The module is the pass's to change; analyses only look at it.
      candidate.value = const_cast<HloInstruction*>(&dataflow_.InstructionAt(value));
      if (Complete(&candidate)) candidates.push_back(std::move(candidate));
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.gain > b.gain; });
    return candidates;
  }

 private:
  bool IsLiveAt(Dataflow::Value value, int64_t slot) const {
    const auto intervals = liveness_.IntervalsOf(value);
    return std::any_of(intervals.begin(), intervals.end(),
                       [&](const LiveInterval& interval) { return interval.start <= slot && slot <= interval.end; });
  }

  // Live at the worst place, but neither made nor needed for the last time there.
  bool IsKeptThere(Dataflow::Value value) const {
    if (!dataflow_.IsDefinition(value) || !liveness_.HasSlot(dataflow_.InstructionAt(value))) return false;
    const auto intervals = liveness_.IntervalsOf(value);
    return std::any_of(intervals.begin(), intervals.end(),
                       [&](const LiveInterval& interval) { return interval.start < worst_ && worst_ < interval.end; });
  }

  bool Complete(Candidate* candidate) const {
    HloInstruction* const value = candidate->value;
    if (!IsCheap(*value) || value == value->parent()->root()) return false;
    int64_t first_use = liveness_.slot_count();
    for (HloInstruction* user : value->users()) {
      if (liveness_.BeginOf(*user) == worst_) return false;
      if (liveness_.BeginOf(*user) < worst_) continue;
      candidate->users.push_back(user);
      first_use = std::min(first_use, liveness_.BeginOf(*user));
    }
    if (candidate->users.empty()) return false;
    candidate->gain = static_cast<double>(BufferBytes(value->shape()));
    AddWhatIsNotThere(first_use, candidate);
    return candidate->gain > 0;
  }

  // Goes from the value to its operands as far as they are not there any more at that slot.
  void AddWhatIsNotThere(int64_t slot, Candidate* candidate) const {
    std::vector<HloInstruction*>& again = candidate->again;  // users before operands, for now
    again.push_back(candidate->value);
    for (size_t i = 0; i < again.size(); ++i) {
      for (HloInstruction* operand : again[i]->operands()) {
        if (std::find(again.begin(), again.end(), operand) != again.end()) continue;
        const double lost = BytesToKeep(*operand, slot);
        if (lost == 0) continue;
        if (again.size() < kMostTogether && IsCheap(*operand) &&
            BufferBytes(operand->shape()) * kSmallPart > BufferBytes(candidate->value->shape())) {
          again.push_back(operand);
        } else {
          candidate->gain -= lost;
        }
      }
    }
    std::stable_sort(again.begin(), again.end(), [&](const HloInstruction* a, const HloInstruction* b) {
      return liveness_.BeginOf(*a) < liveness_.BeginOf(*b);
    });
  }

  // Bytes by which the worst place grows if the operand is needed at a later slot.
  double BytesToKeep(const HloInstruction& operand, int64_t slot) const {
    double bytes = 0;
    const Dataflow::Position first = dataflow_.FirstPosition(operand);
    for (int64_t leaf = 0; leaf < dataflow_.PositionCount(operand); ++leaf) {
      const Dataflow::Value value = dataflow_.ValueAt(first + leaf);
      const bool is_constant = dataflow_.InstructionAt(value).opcode() == HloOpcode::kConstant;
      if (is_constant || IsLiveAt(value, worst_) || IsLiveAt(value, slot)) continue;
      bytes += static_cast<double>(BufferBytes(dataflow_.ShapeAt(value)));
    }
    return bytes;
  }

  const Dataflow& dataflow_;
  const Liveness& liveness_;
  const int64_t worst_;
};

// A candidate in use, which can be taken back until it is kept.
class Recomputation {
 public:
  explicit Recomputation(const Candidate& candidate) : candidate_(candidate) {
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies;
    for (HloInstruction* instruction : candidate.again) {
      std::vector<HloInstruction*> operands;
      for (HloInstruction* operand : instruction->operands()) {
        const auto copy = copies.find(operand);
        operands.push_back(copy == copies.end() ? operand : copy->second);
      }
      HloInstruction* const copy = AddClone(*instruction, operands, instruction->parent());
      copies[instruction] = copy;
      copies_.push_back(copy);
    }
    Rewire(candidate.value, copies_.back());
  }

  void TakeBack() {
    Rewire(copies_.back(), candidate_.value);
    for (auto copy = copies_.rbegin(); copy != copies_.rend(); ++copy) (*copy)->parent()->RemoveInstruction(*copy);
  }

  void Keep() {
    for (HloInstruction* copy : copies_) {
      if (copy->opcode() != HloOpcode::kFusion) continue;
      copy->ReplaceCalledComputation(0, AddCloneOfComputation(*copy->called_computation(0), copy->parent()->parent()));
    }
    // Those that had late users only have moved.
    for (auto it = candidate_.again.rbegin(); it != candidate_.again.rend(); ++it) {
      if (!(*it)->is_removed() && (*it)->users().empty()) (*it)->parent()->RemoveInstruction(*it);
    }
  }

 private:
  void Rewire(HloInstruction* from, HloInstruction* to) {
    for (HloInstruction* user : candidate_.users) {
      for (int i = 0; i < user->operand_count(); ++i) {
        if (user->operand(i) == from) user->ReplaceOperand(i, to);
      }
    }
  }

  const Candidate& candidate_;
  std::vector<HloInstruction*> copies_;
};

class Rematerializer {
 public:
  Rematerializer(HloModule& module, double limit, PassContext& context)
      : module_(module), limit_(limit), context_(context) {}

  absl::StatusOr<bool> Run() {
    absl::StatusOr<Moment> moment = Look(module_);
    if (!moment.ok()) {
      context_.Warn(absl::StrCat("nothing is computed again: ", moment.status().message()));
      return false;
    }
    now_ = *std::move(moment);
    bool changed = false;
    while (now_.peak > limit_) {
      RETURN_IF_ERROR(context_.CheckDeadline());
      ASSIGN_OR_RETURN(const bool improved, Improve());
      if (!improved) break;
      changed = true;
    }
    return changed;
  }

 private:
  absl::StatusOr<bool> Improve() {
    const std::vector<Candidate> candidates = CandidateFinder(now_).Find();
    size_t count = 0;
    for (double peak = now_.peak; peak > limit_ && count < candidates.size(); ++count) peak -= candidates[count].gain;
    for (; count > 0; count /= 2) {
      ASSIGN_OR_RETURN(const bool improved, Try(absl::MakeConstSpan(candidates).subspan(0, count)));
      if (improved) return true;
    }
    for (size_t i = 1; i < std::min(candidates.size(), kMostTriedAlone); ++i) {
      ASSIGN_OR_RETURN(const bool improved, Try(absl::MakeConstSpan(candidates).subspan(i, 1)));
      if (improved) return true;
    }
    return false;
  }

  absl::StatusOr<bool> Try(absl::Span<const Candidate> candidates) {
    std::vector<Recomputation> recomputations;
    for (const Candidate& candidate : candidates) recomputations.emplace_back(candidate);
    module_.Tidy();
    ASSIGN_OR_RETURN(Moment then, Look(module_));
    const bool improved = then.IsBetterThan(now_);
    for (auto it = recomputations.rbegin(); it != recomputations.rend(); ++it) {
      if (improved) {
        it->Keep();
      } else {
        it->TakeBack();
      }
    }
    module_.Tidy();
    if (!improved) return false;  // as it was: what is known still holds
    context_.CountRewrite("value-recomputed", static_cast<int64_t>(candidates.size()));
    ASSIGN_OR_RETURN(now_, Look(module_));
    return true;
  }

  HloModule& module_;
  const double limit_;
  PassContext& context_;
  Moment now_;
};

}  // namespace

absl::StatusOr<bool> Rematerialize(HloModule& module, PassContext& context) {
  const int64_t limit = context.IntOption("memory-limit");
  if (limit <= 0) return false;
  return Rematerializer(module, static_cast<double>(limit), context).Run();
}

}  // namespace xla
