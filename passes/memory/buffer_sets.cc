#include "passes/memory/buffer_sets.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

using SharingKind = BufferSharing::Kind;

bool IsLoopTurn(const BufferSharing& sharing) {
  return sharing.kind == SharingKind::kMeeting && sharing.instruction->opcode() == HloOpcode::kWhile &&
         sharing.input == 1;
}

// What must be, then copies, of which nothing is left if they are in place, then what saves memory. Of what must be,
// results that are bound to the buffers of arguments come first: no copy of the result helps where these hold something
// else at the end, and a copy of the argument does.
int RankOf(const BufferSharing& sharing) {
  if (sharing.required) return sharing.kind == SharingKind::kDonation ? 0 : 1;
  return sharing.reason == InPlacePair::Reason::kCopy ? 2 : 3;
}

// The lowest is tried first among those of one loop. A copy for a loop's state is made in every iteration, that for a
// branch only where it is taken. What is updated in place comes last, since a copy in front of it always helps.
int CostOf(const BufferSharing& sharing) {
  if (sharing.kind != SharingKind::kMeeting) return 2;
  return sharing.instruction->opcode() == HloOpcode::kConditional ? 1 : 0;
}

bool IsInFlight(const BufferSharing& sharing) {
  return sharing.kind == SharingKind::kInPlace && sharing.instruction->opcode() == HloOpcode::kAllReduceStart;
}

// What started all-reduces may write over, and when it is read.
absl::StatusOr<SlotsOfReads> ReadsOfOperandsInFlight(const std::vector<BufferSharing>& sharing,
                                                     const Dataflow& dataflow, const Liveness& liveness,
                                                     ResourcePoll& poll) {
  std::vector<Dataflow::Value> values;
  for (const BufferSharing& pair : sharing) {
    if (IsInFlight(pair)) values.push_back(dataflow.ValueAt(pair.operand));
  }
  if (values.empty()) return SlotsOfReads();
  return SlotsOfReads::Find(values, dataflow, liveness, poll);
}

}  // namespace

BufferSets::BufferSets(const Dataflow& dataflow, const Liveness& liveness)
    : dataflow_(&dataflow), liveness_(&liveness), parent_(dataflow.position_count()), sets_(dataflow.position_count()) {
  std::iota(parent_.begin(), parent_.end(), int64_t{0});
}

absl::StatusOr<BufferSets> BufferSets::Create(const HloModule& module, const Dataflow& dataflow,
                                              const std::vector<BufferSharing>& sharing, const Liveness& liveness,
                                              const ResourceContext* resources) {
  ResourcePoll poll(resources);
  BufferSets sets(dataflow, liveness);
  sets.AddDonors(module);
  RETURN_IF_ERROR(sets.AddValues(module, poll));
  sets.TryOutputs(module);
  RETURN_IF_ERROR(sets.Join(sharing, poll));
  return sets;
}

// Starts with one set for each value and joins pairs greedily: required sharing first, then in deeper loops before
// outer ones, then by how much a copy would cost. Each join that succeeds may prevent a later one. Copies whose ends
// land in one set are idle and need not run.
absl::Status BufferSets::Join(const std::vector<BufferSharing>& sharing, ResourcePoll& poll) {
  ASSIGN_OR_RETURN(const SlotsOfReads reads, ReadsOfOperandsInFlight(sharing, *dataflow_, *liveness_, poll));
  for (const BufferSharing& pair : sharing) {
    const bool usable = pair.kind == SharingKind::kInPlace && !pair.read_elsewhere;
    if (usable) AddInPlace(pair, reads);
  }
  std::vector<std::tuple<int, int64_t, int, int64_t, size_t>> order;  // rank, depth, cost, bytes, number
  for (size_t i = 0; i < sharing.size(); ++i) {
    RETURN_IF_ERROR(poll.Check());
    order.emplace_back(RankOf(sharing[i]), -DepthOf(sharing[i]), CostOf(sharing[i]), -sets_[sharing[i].result].bytes,
                       i);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [rank, depth, cost, bytes, number] : order) {
    const BufferSharing& pair = sharing[number];
    RETURN_IF_ERROR(poll.Check());
    if (Try(pair.result, dataflow_->ValueAt(pair.operand))) {
      const bool is_copy = pair.kind == SharingKind::kInPlace && pair.reason == InPlacePair::Reason::kCopy;
      if (is_copy && pair.instruction->opcode() == HloOpcode::kCopy &&
          !IsResultBesideArgument(pair.result, dataflow_->ValueAt(pair.operand))) {
        idle_copies_.push_back(pair.instruction);
      }
    } else if (pair.required) {
      failed_.push_back(pair);
    }
  }
  for (Set& set : sets_) std::sort(set.values.begin(), set.values.end());
  return absl::OkStatus();
}

// Arguments whose buffers the program may write.
void BufferSets::AddDonors(const HloModule& module) {
  const std::vector<HloInstruction*> parameters = module.entry()->parameters();
  const auto add = [&](int64_t number, const ShapeIndex& index) {
    if (number < 0 || number >= static_cast<int64_t>(parameters.size())) return;
    const Shape* const given = SubshapeAt(parameters[number]->shape(), index);
    if (given == nullptr) return;
    const Dataflow::Position first = dataflow_->PositionAt(*parameters[number], index);
    for (int64_t leaf = 0; leaf < LeafCount(*given); ++leaf) donated_.insert(first + leaf);
  };
  for (const InputOutputAlias& alias : module.config().input_output_alias) {
    add(alias.parameter_number, alias.parameter_index);
  }
  for (const BufferDonor& donor : module.config().buffer_donors) add(donor.parameter_number, donor.parameter_index);
}

absl::Status BufferSets::AddValues(const HloModule& module, ResourcePoll& poll) {
  for (Value value = 0; value < dataflow_->position_count(); ++value) {
    RETURN_IF_ERROR(poll.Check());
    if (!dataflow_->IsDefinition(value) || !dataflow_->ShapeAt(value).IsArray()) continue;
    const auto intervals = liveness_->IntervalsOf(value);
    if (intervals.empty()) continue;
    Set& set = sets_[value];
    set.bytes = BufferBytes(dataflow_->ShapeAt(value));
    set.values.push_back(value);
    for (const LiveInterval& interval : intervals) set.live[interval.start] = {interval.end, value};
    const HloInstruction& definer = dataflow_->InstructionAt(value);
    const bool is_argument = definer.opcode() == HloOpcode::kParameter && definer.parent() == module.entry();
    if (is_argument) set.parameter = value;
    set.read_only = definer.opcode() == HloOpcode::kConstant || (is_argument && !donated_.contains(value));
  }
  return absl::OkStatus();
}

// Notes which set is which leaf of the program's result. A leaf that is a constant, an argument other than its donor,
// or already another leaf cannot be delivered without a copy and is listed as failed.
void BufferSets::TryOutputs(const HloModule& module) {
  const HloInstruction& root = *module.entry()->root();
  const Dataflow::Position first = dataflow_->FirstPosition(root);
  for (const DonatedLeaf& leaf : FindDonatedLeaves(module, *dataflow_)) replaced_[leaf.output - first] = leaf.argument;
  for (int64_t leaf = 0; leaf < dataflow_->PositionCount(root); ++leaf) {
    const Value value = dataflow_->ValueAt(first + leaf);
    output_values_.push_back(value);
    Set& set = sets_[value];
    if (set.values.empty()) continue;
    const auto found = replaced_.find(leaf);
    const bool is_its_argument = found != replaced_.end() && found->second == set.parameter;
    const bool is_argument = set.parameter >= 0 && !is_its_argument;
    if (set.read_only || is_argument || set.output >= 0) {
      failed_outputs_.push_back(leaf);
    } else {
      set.output = leaf;
    }
  }
}

// Whether `copy` is a result that has the buffer of the argument `operand`, which another result, or none, is to have:
// without the copy the argument itself would be the result.
bool BufferSets::IsResultBesideArgument(Value copy, Value operand) const {
  const Set& set = sets_[Find(copy)];
  if (set.output < 0 || output_values_[set.output] != copy || set.parameter != operand) return false;
  const auto found = replaced_.find(set.output);
  return found == replaced_.end() || found->second != operand;
}

int64_t BufferSets::DepthOf(const BufferSharing& sharing) const {
  if (!liveness_->HasSlot(*sharing.instruction)) return 0;
  const int64_t slot = liveness_->BeginOf(*sharing.instruction);
  return liveness_->LoopDepthAt(slot) + (IsLoopTurn(sharing) ? 1 : 0);
}

int64_t BufferSets::Find(Value value) const {
  while (parent_[value] != value) value = parent_[value] = parent_[parent_[value]];
  return value;
}

// Of an all-reduce that was started the operand and the result are live until the done. If nothing else reads the
// operand then, the result takes its place at the start.
void BufferSets::AddInPlace(const BufferSharing& pair, const SlotsOfReads& reads) {
  const HloInstruction& instruction = *pair.instruction;
  if (!liveness_->HasSlot(instruction)) return;
  const Value operand = dataflow_->ValueAt(pair.operand);
  const int64_t begin = liveness_->EndOf(instruction);
  int64_t end = begin;
  if (IsInFlight(pair)) {
    if (instruction.users().size() != 1 || instruction.users()[0]->opcode() != HloOpcode::kAllReduceDone) return;
    end = liveness_->BeginOf(*instruction.users()[0]);
    if (reads.HasBetween(operand, begin, end)) return;
  }
  in_place_[{pair.result, operand}] = {begin, end};
}

bool BufferSets::MayTouch(int64_t earlier_start, const Entry& earlier, int64_t later_start, const Entry& later) const {
  if (earlier_start >= later_start || earlier.end < later_start) return false;
  const auto found = in_place_.find({later.value, earlier.value});
  return found != in_place_.end() && found->second.start == later_start && found->second.end == earlier.end;
}

bool BufferSets::CanJoin(const Set& small, const Set& large) const {
  for (const auto& [start, entry] : small.live) {
    // Entries of one set end in the order in which they start.
    auto other = large.live.upper_bound(entry.end);
    while (other != large.live.begin()) {
      --other;
      if (other->second.end < start) break;
      if (!MayTouch(other->first, other->second, start, entry) &&
          !MayTouch(start, entry, other->first, other->second)) {
        return false;
      }
    }
  }
  return true;
}

// Joins the sets of `a` and `b` if their live intervals do not collide, neither is read-only, sizes agree, and at
// most one is a parameter and at most one a result. The smaller map of intervals is inserted into the larger one, so
// that all joins together take O(n log^2 n).
bool BufferSets::Try(Value a, Value b) {
  Value into = Find(a);
  Value from = Find(b);
  if (into == from) return true;
  if (sets_[into].values.empty() || sets_[from].values.empty()) return true;  // tokens
  if (sets_[into].live.size() < sets_[from].live.size()) std::swap(into, from);
  Set& large = sets_[into];
  Set& small = sets_[from];
  if (large.read_only || small.read_only || large.bytes != small.bytes) return false;
  if (large.parameter >= 0 && small.parameter >= 0) return false;
  if (large.output >= 0 && small.output >= 0) return false;
  if (!CanJoin(small, large)) return false;
  for (const auto& entry : small.live) large.live.insert(entry);
  if (large.values.size() < small.values.size()) large.values.swap(small.values);
  large.values.insert(large.values.end(), small.values.begin(), small.values.end());
  large.parameter = std::max(large.parameter, small.parameter);
  large.output = std::max(large.output, small.output);
  small = Set();
  parent_[from] = into;
  return true;
}

std::vector<const BufferSets::Set*> BufferSets::Sets() const {
  std::vector<const Set*> sets;
  for (const Set& set : sets_) {
    if (!set.values.empty()) sets.push_back(&set);
  }
  std::sort(sets.begin(), sets.end(), [](const Set* a, const Set* b) { return a->values[0] < b->values[0]; });
  return sets;
}

}  // namespace xla
