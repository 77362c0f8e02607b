// Each round looks at the whole program, copies where sharing failed, and looks again: a copy may itself be in the way,
// as in a swap, where the second round copies a copy when both old values are safe. A copy lives from the end of a body
// (or from just before the loop, the update, ...) to the meeting there, so that two or three rounds suffice.
#include "passes/memory/insert_copies.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/base/instruction_builder.h"
#include "passes/memory/buffer_sets.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int kMaxRounds = 16;

// Leaves of one value, at one use of it, that need copies.
struct UseToCopy {
  HloInstruction* user = nullptr;  // nullptr: the result of `computation`
  int operand = 0;
  HloComputation* computation = nullptr;
  std::set<ShapeIndex> leaves;

  bool IsSameUse(const UseToCopy& o) const {
    return user == o.user && operand == o.operand && computation == o.computation;
  }
  HloInstruction* value() const { return user == nullptr ? computation->root() : user->operand(operand); }
};

class Uses {
 public:
  explicit Uses(const Dataflow& dataflow) : dataflow_(dataflow) {}

  // `position` is a leaf of the value at that use.
  void Add(HloInstruction* user, int operand, HloComputation* computation, Dataflow::Position position) {
    UseToCopy use;
    use.user = user;
    use.operand = operand;
    use.computation = computation;
    const auto [found, is_new] =
        index_.emplace(std::make_pair(user, std::make_pair(operand, computation)), uses_.size());
    if (is_new) uses_.push_back(std::move(use));
    uses_[found->second].leaves.insert(dataflow_.IndexAt(position));
  }
  const std::vector<UseToCopy>& uses() const { return uses_; }

 private:
  const Dataflow& dataflow_;
  std::vector<UseToCopy> uses_;
  absl::flat_hash_map<std::pair<HloInstruction*, std::pair<int, HloComputation*>>, size_t> index_;
};

// Finds the use whose value has to be copied so that the failed pair no longer must share: the operand of an update
// or of a loop, or the root of a body, branch or program.
void AddFailed(const BufferSharing& sharing, Uses* uses) {
  // The module is ours to change; analyses only look at it.
  auto* const instruction = const_cast<HloInstruction*>(sharing.instruction);
  const int input = static_cast<int>(sharing.input);
  if (sharing.kind == BufferSharing::Kind::kInPlace) {
    uses->Add(instruction, input, nullptr, sharing.operand);
  } else if (sharing.kind == BufferSharing::Kind::kDonation) {
    uses->Add(nullptr, 0, instruction->parent(), sharing.operand);
  } else if (instruction->opcode() == HloOpcode::kWhile && input == 0) {
    uses->Add(instruction, 0, nullptr, sharing.operand);
  } else if (instruction->opcode() == HloOpcode::kWhile) {
    uses->Add(nullptr, 0, instruction->called_computation(1), sharing.operand);
  } else if (instruction->opcode() == HloOpcode::kConditional) {
    uses->Add(nullptr, 0, instruction->called_computation(input), sharing.operand);
  }
}

bool HasLeafBelow(const std::set<ShapeIndex>& leaves, const ShapeIndex& prefix) {
  const auto first = leaves.lower_bound(prefix);
  return first != leaves.end() && first->size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), first->begin());
}

// `value`, which is at `prefix` of what is used, with copies of those of its leaves. Recurses as deep as its shape
// nests, which is bounded.
HloInstruction* WithCopies(HloInstruction* value, const std::set<ShapeIndex>& leaves, ShapeIndex& prefix,
                           InstructionBuilder& builder) {
  if (!HasLeafBelow(leaves, prefix)) return value;
  if (!value->shape().IsTuple()) return builder.MakeOfShape(HloOpcode::kCopy, value->shape(), {value});
  std::vector<HloInstruction*> elements;
  for (int i = 0; i < value->shape().tuple_size(); ++i) {
    HloInstruction* element = value->opcode() == HloOpcode::kTuple ? value->operand(i) : nullptr;
    if (element == nullptr) {
      auto attributes = std::make_unique<GetTupleElementAttributes>();
      attributes->index = i;
      element = builder.MakeOfShape(HloOpcode::kGetTupleElement, value->shape().tuple_shape(i), {value},
                                    std::move(attributes));
    }
    prefix.push_back(i);
    elements.push_back(WithCopies(element, leaves, prefix, builder));
    prefix.pop_back();
  }
  return builder.MakeOfShape(HloOpcode::kTuple, value->shape(), elements);
}

// Puts copies of the chosen leaves between the value and one user, or at the root of a computation. A tuple that only
// regrouped the old value is removed if nothing uses it now.
absl::Status Copy(const UseToCopy& use, PassContext& context) {
  HloInstruction* const value = use.value();
  InstructionBuilder builder(value->parent(), value);
  ShapeIndex prefix;
  HloInstruction* const copied = WithCopies(value, use.leaves, prefix, builder);
  RETURN_IF_ERROR(builder.status());
  if (value->annotations().sharding.has_value()) {
    copied->mutable_annotations().sharding = value->annotations().sharding;
  }
  if (use.user != nullptr) {
    use.user->ReplaceOperand(use.operand, copied);
  } else {
    use.computation->set_root(copied);
  }
  context.CountRewrite("copy-added", static_cast<int64_t>(use.leaves.size()));
  const bool unused = value->users().empty() && value->parent()->root() != value && !value->HasControlEdges();
  if (unused && value->opcode() == HloOpcode::kTuple) value->parent()->RemoveInstruction(value);
  return absl::OkStatus();
}

bool RemoveIdleCopies(const BufferSets& sets, PassContext& context) {
  bool changed = false;
  for (const HloInstruction* idle : sets.IdleCopies()) {
    auto* const copy = const_cast<HloInstruction*>(idle);
    if (copy->HasControlEdges() || copy->shape() != copy->operand(0)->shape()) continue;
    copy->ReplaceAllUsesWith(copy->operand(0));
    copy->parent()->RemoveInstruction(copy);
    context.CountRewrite("copy-removed");
    changed = true;
  }
  return changed;
}

// One round. True if anything changed.
absl::StatusOr<bool> CopyWhereSharingFails(HloModule& module, PassContext& context) {
  ASSIGN_OR_RETURN(const auto held, context.analyses.Get<Dataflow>(module, context.resources));
  const Dataflow& dataflow = *held;
  const absl::StatusOr<Liveness> liveness = Liveness::Create(module, dataflow, context.resources);
  if (!liveness.ok() && !absl::IsFailedPrecondition(liveness.status())) return liveness.status();
  if (!liveness.ok()) {
    context.Warn(absl::StrCat("no copies were inserted: ", liveness.status().message()));
    return false;
  }
  ASSIGN_OR_RETURN(const auto aliasing, context.analyses.Get<Aliasing>(module, context.resources));
  ASSIGN_OR_RETURN(const BufferSets sets,
                   BufferSets::Create(module, dataflow, aliasing->sharing(), *liveness, context.resources));
  Uses uses(dataflow);
  for (const BufferSharing& failed : sets.Failed()) AddFailed(failed, &uses);
  const HloInstruction& root = *module.entry()->root();
  for (const int64_t leaf : sets.FailedOutputs()) {
    uses.Add(nullptr, 0, module.entry(), dataflow.FirstPosition(root) + leaf);
  }
  if (uses.uses().empty()) return RemoveIdleCopies(sets, context);
  for (const UseToCopy& use : uses.uses()) RETURN_IF_ERROR(Copy(use, context));
  return true;
}

}  // namespace

absl::StatusOr<bool> InsertCopies(HloModule& module, PassContext& context) {
  bool changed = false;
  for (int round = 0; round < kMaxRounds; ++round) {
    RETURN_IF_ERROR(context.CheckDeadline());
    ASSIGN_OR_RETURN(const bool again, CopyWhereSharingFails(module, context));
    if (!again) return changed;
    changed = true;
    module.Tidy();
  }
  context.Warn(absl::StrCat("gave up after ", kMaxRounds, " rounds; some buffers cannot be shared"));
  return changed;
}

}  // namespace xla
