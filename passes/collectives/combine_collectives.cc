// One walk along the list of each computation. For each kind of collective there is one open group at most; it is
// closed where a member or anything with side effects needs another member. As long as it is open, the members may all
// run where the last of them is: nothing before that place that must keep its own needs them. Two groups that are
// formed in one walk cannot need each other: one would have been closed where it needed the other.
#include "passes/collectives/combine_collectives.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "passes/base/instruction_builder.h"
#include "passes/cleaning/equal_instructions.h"
#include "passes/collectives/collective_facts.h"
#include "passes/collectives/instruction_places.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Open groups at a time, for memory: programs have a handful of kinds.
constexpr size_t kMostOpenGroups = 64;

constexpr OpcodeSet kCombinable = {HloOpcode::kAllGather, HloOpcode::kAllReduce, HloOpcode::kReduceScatter};

// All bytes that a device gives or gets, whichever are more.
int64_t BytesOf(const HloInstruction& collective) {
  double given = 0;
  for (const HloInstruction* operand : collective.operands()) given += operand->shape().ByteSize();
  const double moved = std::max<double>(given, collective.shape().ByteSize());
  return static_cast<int64_t>(std::min<double>(moved, std::numeric_limits<int64_t>::max() / 4));
}

struct Group {
  std::vector<HloInstruction*> members;
  int64_t bytes = 0;
  int64_t operands = 0;
};

class CollectiveCombiner {
 public:
  CollectiveCombiner(const ChangeableCollectives& changeable, ComputationNumbers& reducers, PassContext& context)
      : changeable_(changeable),
        reducers_(reducers),
        context_(context),
        max_bytes_(context.IntOption("max-bytes")),
        max_operands_(context.IntOption("max-operands")) {}

  // Until nothing joins: where meetings were joined, others may have become neighbors.
  absl::StatusOr<bool> Run(HloComputation* computation) {
    bool changed = false;
    while (true) {
      RETURN_IF_ERROR(context_.CheckDeadline());
      InstructionPlaces places(computation);
      const std::vector<Group> groups = FindGroups(*computation, places);
      if (groups.empty()) return changed;
      for (const Group& group : groups) RETURN_IF_ERROR(Combine(group, places));
      RETURN_IF_ERROR(places.Apply());
      changed = true;
    }
  }

 private:
  using Dependencies = absl::InlinedVector<size_t, 4>;  // open groups, ascending

  // Those of two members or more.
  std::vector<Group> FindGroups(const HloComputation& computation, InstructionPlaces& places) {
    groups_.clear();
    open_.clear();
    // Groups of whose members an instruction needs one, by its place in the list.
    std::vector<Dependencies> needed(computation.instructions().size());
    for (const auto& instruction : computation.instructions()) {
      Dependencies own;
      for (const auto& before : {instruction->operands(), instruction->control_predecessors()}) {
        for (const HloInstruction* other : before) AddOpen(needed[other->place()], &own);
      }
      if (places.IsOrdered(*instruction)) {
        for (const size_t group : own) Close(group);
        own.clear();
        if (kCombinable.Has(instruction->opcode()) && changeable_.Contain(*instruction)) {
          own.push_back(Join(instruction.get()));
        }
      }
      needed[instruction->place()] = std::move(own);
    }
    groups_.erase(std::remove_if(groups_.begin(), groups_.end(), [](const Group& g) { return g.members.size() < 2; }),
                  groups_.end());
    return std::move(groups_);
  }

  void AddOpen(const Dependencies& more, Dependencies* all) const {
    Dependencies merged;
    std::set_union(more.begin(), more.end(), all->begin(), all->end(), std::back_inserter(merged));
    merged.erase(std::remove_if(merged.begin(), merged.end(), [this](size_t group) { return !IsOpen(group); }),
                 merged.end());
    *all = std::move(merged);
  }
  bool IsOpen(size_t group) const { return std::find(open_.begin(), open_.end(), group) != open_.end(); }
  void Close(size_t group) { open_.erase(std::remove(open_.begin(), open_.end(), group), open_.end()); }

  // The group that the collective is in from now on.
  size_t Join(HloInstruction* collective) {
    const int64_t bytes = BytesOf(*collective);
    const int64_t operands = collective->operand_count();
    for (const size_t i : open_) {
      Group& group = groups_[i];
      if (!AreAlike(*group.members[0], *collective)) continue;
      if (group.bytes > max_bytes_ - bytes || group.operands > max_operands_ - operands) {
        Close(i);
        break;
      }
      group.members.push_back(collective);
      group.bytes += bytes;
      group.operands += operands;
      return i;
    }
    if (open_.size() == kMostOpenGroups) open_.erase(open_.begin());
    groups_.push_back({{collective}, bytes, operands});
    open_.push_back(groups_.size() - 1);
    return groups_.size() - 1;
  }

  bool AreAlike(const HloInstruction& a, const HloInstruction& b) const {
    if (a.opcode() != b.opcode() || !HaveSameGroups(a, b)) return false;
    if (a.opcode() != HloOpcode::kAllGather &&
        (a.operand(0)->shape().element_type() != b.operand(0)->shape().element_type() ||
         reducers_.Number(*a.called_computation(0)) != reducers_.Number(*b.called_computation(0)))) {
      return false;
    }
    if (a.opcode() == HloOpcode::kAllReduce) {
      const auto& of_a = a.attributes<AllReduceAttributes>();
      if (of_a.constrain_layout != b.attributes<AllReduceAttributes>().constrain_layout) return false;
    } else {
      const auto& of_a = a.attributes<ShardingCollectiveAttributes>();
      const auto& of_b = b.attributes<ShardingCollectiveAttributes>();
      if (of_a.constrain_layout != of_b.constrain_layout || of_a.dimension != of_b.dimension) return false;
    }
    const InstructionAnnotations& of_a = a.annotations();
    const InstructionAnnotations& of_b = b.annotations();
    return of_a.sharding.has_value() == of_b.sharding.has_value() &&
           of_a.frontend_attributes == of_b.frontend_attributes && of_a.backend_config == of_b.backend_config;
  }

  // One sharding for each result.
  static void AppendShardings(const HloInstruction& member, std::vector<Sharding>* shardings) {
    const Sharding& own = *member.annotations().sharding;
    if (own.type == Sharding::Type::kTuple) {
      shardings->insert(shardings->end(), own.tuple.begin(), own.tuple.end());
    } else {
      shardings->insert(shardings->end(), member.operand_count(), own);
    }
  }

  absl::Status Combine(const Group& group, InstructionPlaces& places) {
    HloInstruction* const first = group.members.front();
    const int64_t place = places.Of(*group.members.back());
    std::vector<HloInstruction*> operands;
    std::vector<Shape> shapes;
    for (const HloInstruction* member : group.members) {
      operands.insert(operands.end(), member->operands().begin(), member->operands().end());
      if (member->shape().IsTuple()) {
        shapes.insert(shapes.end(), member->shape().tuple_shapes().begin(), member->shape().tuple_shapes().end());
      } else {
        shapes.push_back(member->shape());
      }
    }
    InstructionBuilder build(first->parent(), first);
    HloInstruction* const combined = build.MakeOfShape(first->opcode(), Shape::Tuple(shapes), operands,
                                                       first->raw_attributes()->Clone(), first->called_computations());
    places.Set(*combined, place);
    combined->CopyAnnotations(*first);
    if (first->has_annotations()) {
      InstructionAnnotations& annotations = combined->mutable_annotations();
      // These are about the first result alone.
      annotations.statistics.reset();
      annotations.original_value.reset();
      if (annotations.sharding.has_value()) {
        Sharding tuple;
        tuple.type = Sharding::Type::kTuple;
        for (const HloInstruction* member : group.members) AppendShardings(*member, &tuple.tuple);
        annotations.sharding = std::move(tuple);
      }
    }
    int64_t index = 0;
    for (HloInstruction* member : group.members) {
      const int64_t own = member->operand_count();
      ReplaceMember(member, combined, index, place, places);
      index += own;
      context_.CountRewrite("combine-collectives");
    }
    // Messages about the meeting name what stood in the program.
    combined->set_name(first->name());
    return build.status();
  }

  // Its users read elements of `combined` from `index` on.
  void ReplaceMember(HloInstruction* member, HloInstruction* combined, int64_t index, int64_t place,
                     InstructionPlaces& places) {
    HloComputation* const computation = member->parent();
    InstructionBuilder build(computation, member);
    const auto element = [&](int64_t i) {
      HloInstruction* const get = build.GetTupleElement(combined, index + i);
      get->mutable_shape() = combined->shape().tuple_shape(static_cast<int>(index + i));
      places.Set(*get, place + 1);
      return get;
    };
    if (member->HasControlEdges()) member->MoveControlEdgesTo(combined);
    if (!member->shape().IsTuple()) {
      HloInstruction* const get = element(0);
      get->CopyAnnotations(*member);
      member->ReplaceAllUsesWith(get);
    } else {
      std::vector<HloInstruction*> elements;
      for (int64_t i = 0; i < member->operand_count(); ++i) elements.push_back(element(i));
      const std::vector<HloInstruction*> users(member->users().begin(), member->users().end());
      for (HloInstruction* user : users) {
        if (user->opcode() != HloOpcode::kGetTupleElement || user->HasControlEdges()) continue;
        HloInstruction* const get = elements[user->attributes<GetTupleElementAttributes>().index];
        if (user->has_annotations()) get->CopyAnnotations(*user);
        user->ReplaceAllUsesWith(get);
        computation->RemoveInstruction(user);
      }
      if (!member->users().empty() || computation->root() == member) {
        HloInstruction* const tuple = build.Tuple(elements);
        tuple->mutable_shape() = member->shape();
        places.Set(*tuple, place + 1);
        member->ReplaceAllUsesWith(tuple);
      }
      for (HloInstruction* get : elements) {
        if (get->users().empty() && computation->root() != get) computation->RemoveInstruction(get);
      }
    }
    computation->RemoveInstruction(member);
  }

  const ChangeableCollectives& changeable_;
  ComputationNumbers& reducers_;
  PassContext& context_;
  const int64_t max_bytes_;
  const int64_t max_operands_;
  std::vector<Group> groups_;
  std::vector<size_t> open_;  // of groups_, oldest first
};

bool HasTwoCombinable(const HloModule& module) {
  int count = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (kCombinable.Has(instruction->opcode()) && ++count == 2) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<bool> CombineCollectives(HloModule& module, PassContext& context) {
  if (!HasTwoCombinable(module)) return false;
  ASSIGN_OR_RETURN(const UniformValues uniform, UniformValues::Create(module, context.resources));
  const ChangeableCollectives changeable(module, uniform);
  // Callees come first, as the numbers want it; the callers of collectives change and have no numbers.
  ComputationNumbers reducers;
  ASSIGN_OR_RETURN(const auto calls, context.analyses.Get<CallGraph>(module, context.resources));
  for (const auto& computation : module.computations()) {
    if (calls->Context(*computation) == CallContext::kEmbedded) reducers.Number(*computation);
  }
  bool changed = false;
  for (const auto& computation : module.computations()) {
    if (!changeable.MayChange(*computation)) continue;
    ASSIGN_OR_RETURN(const bool combined, CollectiveCombiner(changeable, reducers, context).Run(computation.get()));
    changed = changed || combined;
  }
  if (changed) module.RemoveUnreachableComputations();
  return changed;
}

}  // namespace xla
