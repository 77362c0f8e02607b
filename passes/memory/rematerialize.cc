// What helps is tried: the module is changed, liveness looked at again, and the change taken back if the worst place
// has not become better. Several values are tried at once as long as that works, so that the rounds are few.
#include "passes/memory/rematerialize.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "passes/analyses/cost.h"
#include "passes/analyses/liveness.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr size_t kMostTogether = 8;    // instructions that are computed again for one value
constexpr int64_t kMostInFusion = 16;  // instructions of a fusion that is cheap
constexpr size_t kMostTriedAlone = 8;  // values, where they do not help together
constexpr int64_t kSmallPart = 16;     // what is that many times smaller than a value is kept for it

// The channels of a module by which devices meet.
class Channels {
 public:
  explicit Channels(const HloModule& module) {
    for (const auto& computation : module.computations()) {
      for (const auto& instruction : computation->instructions()) {
        const int64_t channel = Of(*instruction);
        if (channel <= 0) continue;
        ++uses_[channel];
        last_ = std::max(last_, channel);
      }
    }
  }

  // Whether devices meet at this instruction only: those that come here can meet here once more.
  bool IsAlone(const HloInstruction& collective) const {
    const int64_t channel = Of(collective);
    return channel <= 0 || uses_.at(channel) == 1;
  }
  // For a copy, which devices must not take for the original.
  void GiveNew(HloInstruction& all_gather) {
    if (Of(all_gather) <= 0) return;
    dynamic_cast<CollectiveAttributes&>(*all_gather.mutable_raw_attributes()).channel_id = ++last_;
    uses_[last_] = 1;
  }

 private:
  // 0: none.
  static int64_t Of(const HloInstruction& instruction) {
    const Attributes* const attributes = instruction.raw_attributes();
    absl::optional<int64_t> channel;
    if (const auto* a = dynamic_cast<const CollectiveAttributes*>(attributes)) channel = a->channel_id;
    if (const auto* a = dynamic_cast<const CollectivePermuteAttributes*>(attributes)) channel = a->channel_id;
    if (const auto* a = dynamic_cast<const SendRecvAttributes*>(attributes)) channel = a->channel_id;
    return channel.value_or(0);
  }

  absl::flat_hash_map<int64_t, int> uses_;
  int64_t last_ = 0;
};

bool IsCheapAlone(const HloInstruction& instruction) {
  if (instruction.HasControlEdges() || !instruction.shape().IsArray() || instruction.shape().IsDynamic()) return false;
  const HloOpcode opcode = instruction.opcode();
  if (IsElementwise(opcode)) return opcode != HloOpcode::kCopy && OwnCost(instruction).transcendentals == 0;
  if (opcode == HloOpcode::kIota || opcode == HloOpcode::kBitcastConvert) return true;
  // A gather reads here and there; an update is in place, or as large as the array.
  return HasTrait(opcode, opcode_trait::kMovesElements) && opcode != HloOpcode::kGather &&
         opcode != HloOpcode::kDynamicUpdateSlice;
}

bool IsCheap(const HloInstruction& instruction, const Channels& channels) {
  if (instruction.opcode() == HloOpcode::kAllGather) {
    // Shards are there anyway, or are much smaller.
    return instruction.shape().IsArray() && !instruction.shape().IsDynamic() && !instruction.HasControlEdges() &&
           channels.IsAlone(instruction);
  }
  if (instruction.opcode() != HloOpcode::kFusion) return IsCheapAlone(instruction);
  const bool is_loop = instruction.attributes<FusionAttributes>().kind == FusionKind::kLoop;
  const HloComputation& body = *instruction.called_computation(0);
  if (!is_loop || !instruction.shape().IsArray() || instruction.HasControlEdges()) return false;
  if (body.instruction_count() > kMostInFusion) return false;
  return std::all_of(body.instructions().begin(), body.instructions().end(), [](const auto& part) {
    const HloOpcode opcode = part->opcode();
    return HasTrait(opcode, opcode_trait::kGiven) || opcode == HloOpcode::kBitcast || IsCheapAlone(*part);
  });
}

// A program at one moment: what is live when.
struct Moment {
  std::shared_ptr<const Dataflow> dataflow;
  std::unique_ptr<Liveness> liveness;
  std::vector<double> bytes;  // live in each slot
  int64_t worst = 0;          // the first slot with most live bytes
  double peak = 0;            // bytes there
  int64_t peaks = 0;          // runs of slots with as many

  bool IsBetterThan(const Moment& o) const { return peak < o.peak || (peak == o.peak && peaks < o.peaks); }
};

absl::StatusOr<Moment> Look(const HloModule& module, PassContext& context) {
  Moment moment;
  ASSIGN_OR_RETURN(moment.dataflow, context.analyses.Get<Dataflow>(module, context.resources));
  ASSIGN_OR_RETURN(Liveness liveness, Liveness::Create(module, *moment.dataflow, context.resources));
  moment.liveness = std::make_unique<Liveness>(std::move(liveness));
  moment.bytes = moment.liveness->LiveBytes();
  const std::vector<double>& bytes = moment.bytes;
  if (bytes.empty()) return moment;
  moment.worst = std::max_element(bytes.begin(), bytes.end()) - bytes.begin();
  moment.peak = bytes[moment.worst];
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == moment.peak && (i == 0 || bytes[i - 1] != moment.peak)) ++moment.peaks;
  }
  return moment;
}

// The first of the largest numbers in any range, after a table of ranges of 1, 2, 4, ... numbers.
class LargestInRange {
 public:
  explicit LargestInRange(const std::vector<double>& numbers) : numbers_(numbers) {
    std::vector<int64_t> single(numbers.size());
    std::iota(single.begin(), single.end(), 0);
    for (levels_.push_back(std::move(single)); levels_.back().size() > Half();) {
      const std::vector<int64_t>& last = levels_.back();
      std::vector<int64_t> next;
      for (size_t i = 0; i + Half() < last.size(); ++i) next.push_back(Larger(last[i], last[i + Half()]));
      levels_.push_back(std::move(next));
    }
  }
  // `first` <= `last`, both included.
  int64_t operator()(int64_t first, int64_t last) const {
    size_t level = 0;
    while (first + (int64_t{2} << level) <= last + 1) ++level;
    return Larger(levels_[level][first], levels_[level][last + 1 - (int64_t{1} << level)]);
  }

 private:
  // Of the ranges of the next level.
  size_t Half() const { return size_t{1} << (levels_.size() - 1); }
  int64_t Larger(int64_t a, int64_t b) const { return numbers_[b] > numbers_[a] ? b : a; }

  const std::vector<double>& numbers_;
  std::vector<std::vector<int64_t>> levels_;
};

// One value that could be computed again.
struct Candidate {
  HloInstruction* value = nullptr;
  std::vector<HloInstruction*> again;  // what is computed again, operands first; `value` is the last
  std::vector<HloInstruction*> users;  // the late ones
  int64_t slot = 0;                    // the worst between two uses of the value
  double bytes = 0;                    // live there
  double gain = 0;                     // bytes that would not be
};

class CandidateFinder {
 public:
  CandidateFinder(const Moment& moment, const Channels& channels, double limit)
      : moment_(moment),
        dataflow_(*moment.dataflow),
        liveness_(*moment.liveness),
        channels_(channels),
        limit_(limit),
        worst_between_(moment.bytes) {}

  // The worst slots first, the largest gain first in each.
  std::vector<Candidate> Find() const {
    std::vector<Candidate> candidates;
    for (Dataflow::Value value = 0; value < dataflow_.position_count(); ++value) {
      const HloInstruction& definer = dataflow_.InstructionAt(value);
      if (!dataflow_.IsDefinition(value) || !liveness_.HasSlot(definer) || !IsCheap(definer, channels_)) continue;
      Candidate candidate;
      // The module is the pass's to change; analyses only look at it.
      candidate.value = const_cast<HloInstruction*>(&definer);
      if (Complete(&candidate)) candidates.push_back(std::move(candidate));
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return std::make_tuple(-a.bytes, a.slot, -a.gain) < std::make_tuple(-b.bytes, b.slot, -b.gain);
    });
    return candidates;
  }

 private:
  bool IsLiveAt(Dataflow::Value value, int64_t slot) const {
    const auto intervals = liveness_.IntervalsOf(value);
    return std::any_of(intervals.begin(), intervals.end(),
                       [&](const LiveInterval& interval) { return interval.start <= slot && slot <= interval.end; });
  }

  bool Complete(Candidate* candidate) const {
    const HloInstruction& value = *candidate->value;
    const int64_t first_use = FindLateUsers(candidate);
    if (candidate->users.empty()) return false;
    candidate->gain = static_cast<double>(BufferBytes(value.shape()));
    AddWhatIsNotThere(first_use, candidate);
    return candidate->gain > 0;
  }

  // Those after the worst slot between the value's uses, if that is beyond the limit. Returns when the first one runs.
  int64_t FindLateUsers(Candidate* candidate) const {
    const HloInstruction& value = *candidate->value;
    if (&value == value.parent()->root()) return -1;
    std::vector<std::pair<int64_t, HloInstruction*>> uses;
    for (HloInstruction* user : value.users()) uses.emplace_back(liveness_.BeginOf(*user), user);
    std::sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    size_t late = uses.size();
    int64_t last = liveness_.EndOf(value);
    for (size_t i = 0; i < uses.size(); ++i) {
      const int64_t use = uses[i].first;
      const int64_t slot = last + 1 < use ? worst_between_(last + 1, use - 1) : -1;
      last = use;
      if (slot < 0 || moment_.bytes[slot] <= std::max(limit_, candidate->bytes)) continue;
      candidate->slot = slot;
      candidate->bytes = moment_.bytes[slot];
      late = i;
    }
    for (size_t i = late; i < uses.size(); ++i) candidate->users.push_back(uses[i].second);
    return late < uses.size() ? uses[late].first : -1;
  }

  // Goes from the value to its operands as far as they are not there any more at the first late use.
  void AddWhatIsNotThere(int64_t first_use, Candidate* candidate) const {
    std::vector<HloInstruction*>& again = candidate->again;  // users before operands, for now
    again.push_back(candidate->value);
    for (size_t i = 0; i < again.size(); ++i) {
      for (HloInstruction* operand : again[i]->operands()) {
        if (std::find(again.begin(), again.end(), operand) != again.end()) continue;
        const double lost = BytesToKeep(*operand, candidate->slot, first_use);
        if (lost == 0) continue;
        if (again.size() < kMostTogether && IsCheap(*operand, channels_) &&
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

  // Bytes by which the slot gets worse if the operand is needed for a use after it.
  double BytesToKeep(const HloInstruction& operand, int64_t slot, int64_t use) const {
    double bytes = 0;
    const Dataflow::Position first = dataflow_.FirstPosition(operand);
    for (int64_t leaf = 0; leaf < dataflow_.PositionCount(operand); ++leaf) {
      const Dataflow::Value value = dataflow_.ValueAt(first + leaf);
      const bool is_constant = dataflow_.InstructionAt(value).opcode() == HloOpcode::kConstant;
      if (is_constant || IsLiveAt(value, slot) || IsLiveAt(value, use)) continue;
      bytes += static_cast<double>(BufferBytes(dataflow_.ShapeAt(value)));
    }
    return bytes;
  }

  const Moment& moment_;
  const Dataflow& dataflow_;
  const Liveness& liveness_;
  const Channels& channels_;
  const double limit_;
  const LargestInRange worst_between_;
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

  void Keep(Channels& channels) {
    for (HloInstruction* copy : copies_) {
      if (copy->opcode() == HloOpcode::kAllGather) channels.GiveNew(*copy);
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
      : module_(module), channels_(module), limit_(limit), context_(context) {}

  // Repeats as long as the peak is above the limit and some recomputation lowers it. A module without a liveness (a
  // computation called twice) is left as it is, with a warning.
  absl::StatusOr<bool> Run() {
    absl::StatusOr<Moment> moment = Look(module_, context_);
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
    const std::vector<Candidate> candidates = Choose(CandidateFinder(now_, channels_, limit_).Find());
    size_t count = candidates.size();
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

  // As many as are needed to bring the worst place as far down as can be, and all others with it.
  std::vector<Candidate> Choose(std::vector<Candidate> candidates) const {
    double goal = now_.peak;
    for (const Candidate& candidate : candidates) goal -= candidate.slot == now_.worst ? candidate.gain : 0;
    goal = std::max(goal, limit_);
    std::vector<Candidate> chosen;
    absl::flat_hash_map<int64_t, double> won;  // by slot
    for (Candidate& candidate : candidates) {
      double& gain = won[candidate.slot];
      if (candidate.bytes - gain <= goal) continue;
      gain += candidate.gain;
      chosen.push_back(std::move(candidate));
    }
    return chosen;
  }

  // Applies the candidates together and measures the peak again. All of them are taken back, in reverse order, if it
  // did not improve.
  absl::StatusOr<bool> Try(absl::Span<const Candidate> candidates) {
    RETURN_IF_ERROR(context_.CheckDeadline());
    std::vector<Recomputation> recomputations;
    for (const Candidate& candidate : candidates) recomputations.emplace_back(candidate);
    module_.Tidy();
    ASSIGN_OR_RETURN(Moment then, Look(module_, context_));
    const bool improved = then.IsBetterThan(now_);
    for (auto it = recomputations.rbegin(); it != recomputations.rend(); ++it) {
      if (improved) {
        it->Keep(channels_);
      } else {
        it->TakeBack();
      }
    }
    module_.Tidy();
    if (!improved) return false;  // as it was: what is known still holds
    context_.CountRewrite("value-recomputed", static_cast<int64_t>(candidates.size()));
    ASSIGN_OR_RETURN(now_, Look(module_, context_));
    return true;
  }

  HloModule& module_;
  Channels channels_;
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
