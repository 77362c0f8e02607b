#include "xla_core/ir/hlo_instruction.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/ir/hlo_computation.h"

namespace xla {

void HloInstruction::MarkParentUntidy() {
  if (parent_ != nullptr) parent_->untidy_ = true;
}

void HloInstruction::IndexUsers() {
  if (user_places_ != nullptr || users_.size() <= kManyUsers) return;
  user_places_ = std::make_unique<absl::flat_hash_map<const HloInstruction*, size_t>>();
  for (size_t i = 0; i < users_.size(); ++i) (*user_places_)[users_[i]] = i;
}

bool HloInstruction::HasUser(const HloInstruction* user) {
  IndexUsers();
  if (user_places_ != nullptr) return user_places_->contains(user);
  return std::find(users_.begin(), users_.end(), user) != users_.end();
}

void HloInstruction::AddUser(HloInstruction* user) {
  users_.push_back(user);
  if (user_places_ != nullptr) (*user_places_)[user] = users_.size() - 1;
}

// With many users, a map gives a user's place, and the last user moves there: order among users is not kept.
void HloInstruction::RemoveUser(HloInstruction* user) {
  IndexUsers();
  if (user_places_ == nullptr) {
    users_.erase(std::find(users_.begin(), users_.end(), user));
    return;
  }
  const auto place = user_places_->find(user);
  const size_t i = place->second;
  user_places_->erase(place);
  if (i + 1 != users_.size()) {
    users_[i] = users_.back();
    (*user_places_)[users_[i]] = i;
  }
  users_.pop_back();
}

void HloInstruction::AddOperand(HloInstruction* operand) {
  // Both lists tell; the shorter one does so at once, however wide a tuple or busy a value is.
  const bool used_before = operands_.size() <= operand->users_.size()
                               ? std::find(operands_.begin(), operands_.end(), operand) != operands_.end()
                               : operand->HasUser(this);
  operands_.push_back(operand);
  if (!used_before) operand->AddUser(this);
}

void HloInstruction::ReplaceOperand(int i, HloInstruction* operand) {
  HloInstruction* const old = operands_[i];
  if (old == operand) return;
  MarkParentUntidy();
  const bool used_before = std::find(operands_.begin(), operands_.end(), operand) != operands_.end();
  operands_[i] = operand;
  if (!used_before) operand->AddUser(this);
  if (std::find(operands_.begin(), operands_.end(), old) == operands_.end()) old->RemoveUser(this);
}

void HloInstruction::SetOperands(absl::Span<HloInstruction* const> operands) {
  MarkParentUntidy();
  const absl::InlinedVector<HloInstruction*, 2> kept(operands.begin(), operands.end());
  absl::InlinedVector<HloInstruction*, 2> old;
  old.swap(operands_);
  for (HloInstruction* operand : old) {
    if (operand->HasUser(this)) operand->RemoveUser(this);
  }
  for (HloInstruction* operand : kept) AddOperand(operand);
}

// Replaces every use, the root included. The replacement itself may be a user, which it stays.
void HloInstruction::ReplaceAllUsesWith(HloInstruction* replacement) {
  if (replacement == this) return;
  MarkParentUntidy();
  std::vector<HloInstruction*> users;
  users.swap(users_);
  user_places_ = nullptr;
  for (HloInstruction* user : users) {
    if (user == replacement) {
      AddUser(user);
      continue;
    }
    const bool used_before = replacement->HasUser(user);
    std::replace(user->operands_.begin(), user->operands_.end(), this, replacement);
    if (!used_before) replacement->AddUser(user);
  }
  if (parent_ != nullptr && parent_->root() == this) parent_->set_root(replacement);
}

void HloInstruction::AddControlPredecessor(HloInstruction* predecessor) {
  MarkParentUntidy();
  control_predecessors_.push_back(predecessor);
  predecessor->control_successors_.push_back(this);
}

void HloInstruction::MoveControlEdgesTo(HloInstruction* other) {
  const auto connect = [other](HloInstruction* before, HloInstruction* after) {
    const auto& known = after->control_predecessors_;
    if (before != after && std::find(known.begin(), known.end(), before) == known.end()) {
      after->AddControlPredecessor(before);
    }
  };
  const std::vector<HloInstruction*> before = control_predecessors_;
  const std::vector<HloInstruction*> after = control_successors_;
  DropControlEdges();
  for (HloInstruction* predecessor : before) connect(predecessor, other);
  for (HloInstruction* successor : after) connect(other, successor);
}

void HloInstruction::DropControlEdges() {
  const auto erase = [this](std::vector<HloInstruction*>& list) {
    list.erase(std::remove(list.begin(), list.end(), this), list.end());
  };
  for (HloInstruction* predecessor : control_predecessors_) erase(predecessor->control_successors_);
  for (HloInstruction* successor : control_successors_) erase(successor->control_predecessors_);
  control_predecessors_.clear();
  control_successors_.clear();
}

const InstructionAnnotations& HloInstruction::annotations() const {
  static const auto& none = *new InstructionAnnotations;
  return annotations_ == nullptr ? none : *annotations_;
}

InstructionAnnotations& HloInstruction::mutable_annotations() {
  if (annotations_ == nullptr) annotations_ = std::make_unique<InstructionAnnotations>();
  return *annotations_;
}

std::string HloInstruction::ToShortString() const {
  const std::string operands = absl::StrJoin(
      operands_, ", ", [](std::string* out, const HloInstruction* operand) { absl::StrAppend(out, operand->name()); });
  return absl::StrCat(name_, " = ", shape_.ToString(), " ", opcode_name(), "(", operands, ")");
}

void HloInstruction::FailWrongAttributes(const char* wanted) const {
  std::fprintf(stderr, "internal error: %s has attributes %s, asked for %s\n", ToShortString().c_str(),
               attributes_ == nullptr ? "(none)" : attributes_->schema().name, wanted);
  std::abort();
}

}  // namespace xla
