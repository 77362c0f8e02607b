#include "xla_core/ir/hlo_instruction.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/ir/hlo_computation.h"

namespace xla {

// Where each of many operands stands, so that replacing them one by one is not quadratic.
class HloInstruction::OperandPlaces {
 public:
  explicit OperandPlaces(absl::Span<HloInstruction* const> operands) {
    for (size_t i = 0; i < operands.size(); ++i) Add(operands[i], i);
  }

  bool Contains(const HloInstruction* operand) const { return known_.contains(operand); }
  void Add(const HloInstruction* operand, size_t place) {
    Places& places = known_[operand];
    ++places.count;
    places.perhaps.push_back(place);
  }
  // One place less; whether it was the last.
  bool Remove(const HloInstruction* operand) {
    const auto found = known_.find(operand);
    if (--found->second.count > 0) return false;
    known_.erase(found);
    return true;
  }
  // Where the operand is, and perhaps where it was before. It is contained no longer.
  std::vector<size_t> Take(const HloInstruction* operand) {
    const auto found = known_.find(operand);
    std::vector<size_t> places = std::move(found->second.perhaps);
    known_.erase(found);
    return places;
  }

 private:
  struct Places {
    size_t count = 0;
    std::vector<size_t> perhaps;
  };
  absl::flat_hash_map<const HloInstruction*, Places> known_;
};

HloInstruction::Rare::Rare() = default;
HloInstruction::Rare::~Rare() = default;

HloInstruction::OperandPlaces* HloInstruction::PlacesOfManyOperands() {
  constexpr size_t kMany = 256;
  if (operands_.size() < kMany) return nullptr;
  std::unique_ptr<OperandPlaces>& places = MutableRare().operand_places;
  if (places == nullptr) places = std::make_unique<OperandPlaces>(operands_);
  return places.get();
}

void HloInstruction::NoteChange() {
  if (parent_ != nullptr) ++parent_->version_;
}

void HloInstruction::MarkParentUntidy() {
  NoteChange();
  if (parent_ != nullptr) parent_->untidy_ = true;
}

void HloInstruction::AddOperand(HloInstruction* operand) {
  NoteChange();
  // Both lists tell; the shorter one does so at once, however wide a tuple or busy a value is.
  const bool used_before = operands_.size() <= operand->users_.size()
                               ? std::find(operands_.begin(), operands_.end(), operand) != operands_.end()
                               : operand->users_.Contains(this);
  operands_.push_back(operand);
  if (rare_ != nullptr && rare_->operand_places != nullptr) rare_->operand_places->Add(operand, operands_.size() - 1);
  if (!used_before) operand->users_.Add(this);
}

void HloInstruction::ReplaceOperand(int i, HloInstruction* operand) {
  HloInstruction* const old = operands_[i];
  if (old == operand) return;
  MarkParentUntidy();
  OperandPlaces* const places = PlacesOfManyOperands();
  const auto uses = [this](const HloInstruction* o) {
    return std::find(operands_.begin(), operands_.end(), o) != operands_.end();
  };
  const bool used_before = places != nullptr ? places->Contains(operand) : uses(operand);
  operands_[i] = operand;
  if (places != nullptr) places->Add(operand, i);
  if (!used_before) operand->users_.Add(this);
  if (places != nullptr ? places->Remove(old) : !uses(old)) old->users_.Remove(this);
}

void HloInstruction::ReplaceOperandEverywhere(HloInstruction* old, HloInstruction* replacement) {
  OperandPlaces* const places = PlacesOfManyOperands();
  if (places == nullptr) {
    std::replace(operands_.begin(), operands_.end(), old, replacement);
    return;
  }
  for (const size_t i : places->Take(old)) {
    if (operands_[i] != old) continue;
    operands_[i] = replacement;
    places->Add(replacement, i);
  }
}

void HloInstruction::SetOperands(absl::Span<HloInstruction* const> operands) {
  MarkParentUntidy();
  if (rare_ != nullptr) rare_->operand_places = nullptr;
  const absl::InlinedVector<HloInstruction*, 2> kept(operands.begin(), operands.end());
  absl::InlinedVector<HloInstruction*, 2> old;
  old.swap(operands_);
  for (HloInstruction* operand : old) {
    if (operand->users_.Contains(this)) operand->users_.Remove(this);
  }
  for (HloInstruction* operand : kept) AddOperand(operand);
}

// Replaces every use, the root included. The replacement itself may be a user, which it stays.
void HloInstruction::ReplaceAllUsesWith(HloInstruction* replacement) {
  if (replacement == this) return;
  MarkParentUntidy();
  const UseList users = std::exchange(users_, UseList());
  for (HloInstruction* user : users.list()) {
    if (user == replacement) {
      users_.Add(user);
      continue;
    }
    const bool used_before = replacement->users_.Contains(user);
    user->ReplaceOperandEverywhere(this, replacement);
    if (!used_before) replacement->users_.Add(user);
  }
  if (parent_ != nullptr && parent_->root() == this) parent_->set_root(replacement);
}

HloInstruction::Rare& HloInstruction::MutableRare() {
  if (rare_ == nullptr) rare_ = std::make_unique<Rare>();
  return *rare_;
}

void HloInstruction::AddControlPredecessor(HloInstruction* predecessor) {
  MarkParentUntidy();
  MutableRare().predecessors.push_back(predecessor);
  predecessor->MutableRare().successors.push_back(this);
}

void HloInstruction::MoveControlEdgesTo(HloInstruction* other) {
  const auto connect = [other](HloInstruction* before, HloInstruction* after) {
    const auto known = after->control_predecessors();
    if (before != after && std::find(known.begin(), known.end(), before) == known.end()) {
      after->AddControlPredecessor(before);
    }
  };
  if (rare_ == nullptr) return;
  const std::vector<HloInstruction*> before = rare_->predecessors;
  const std::vector<HloInstruction*> after = rare_->successors;
  DropControlEdges();
  for (HloInstruction* predecessor : before) connect(predecessor, other);
  for (HloInstruction* successor : after) connect(other, successor);
}

void HloInstruction::DropControlEdges() {
  if (!HasControlEdges()) return;
  NoteChange();
  const auto erase = [this](std::vector<HloInstruction*>& list) {
    list.erase(std::remove(list.begin(), list.end(), this), list.end());
  };
  const std::vector<HloInstruction*> before = std::exchange(rare_->predecessors, {});
  const std::vector<HloInstruction*> after = std::exchange(rare_->successors, {});
  for (HloInstruction* predecessor : before) erase(predecessor->rare_->successors);
  for (HloInstruction* successor : after) erase(successor->rare_->predecessors);
}

void HloInstruction::AddCalledComputation(HloComputation* computation) {
  NoteChange();
  MutableRare().called.push_back(computation);
  if (parent_ != nullptr) parent_->NoteCall(this, rare_->called.size() - 1);
}

void HloInstruction::ReplaceCalledComputation(int i, HloComputation* computation) {
  HloComputation* const old = rare_->called[i];
  if (old == computation) return;
  NoteChange();
  rare_->called[i] = computation;
  if (parent_ == nullptr) return;
  parent_->NoteCallReplaced(this, computation);
  const bool still_calls = std::find(rare_->called.begin(), rare_->called.end(), old) != rare_->called.end();
  if (!still_calls) parent_->NoteCallGone(this, old);
}

void HloInstruction::ClearCalledComputations() {
  if (called_computations().empty()) return;
  NoteChange();
  const absl::InlinedVector<HloComputation*, 2> old = std::exchange(rare_->called, {});
  if (parent_ == nullptr) return;
  for (HloComputation* computation : old) parent_->NoteCallGone(this, computation);
}

std::string HloInstruction::ToShortString() const {
  const std::string operands = absl::StrJoin(
      operands_, ", ", [](std::string* out, const HloInstruction* operand) { absl::StrAppend(out, operand->name()); });
  return absl::StrCat(name_, " = ", shape_.ToString(), " ", opcode_name(), "(", operands, ")");
}

void HloInstruction::FailWrongAttributes(const char* wanted) const {
  std::fprintf(stderr, "internal error: %s has attributes %s, asked for %s\n", ToShortString().c_str(),
               attributes_.get() == nullptr ? "(none)" : attributes_.get()->schema().name, wanted);
  std::abort();
}

}  // namespace xla
