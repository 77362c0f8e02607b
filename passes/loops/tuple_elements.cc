#include "passes/loops/tuple_elements.h"

#include <algorithm>
#include <memory>

#include "passes/base/instruction_builder.h"
#include "passes/loops/replacements.h"

namespace xla {
namespace {

int64_t IndexOf(const HloInstruction& element) { return element.attributes<GetTupleElementAttributes>().index; }

HloInstruction* MakeElement(HloInstruction* tuple, int64_t i) {
  auto attributes = std::make_unique<GetTupleElementAttributes>();
  attributes->index = i;
  InstructionBuilder builder(tuple->parent(), tuple);
  return builder.MakeOfShape(HloOpcode::kGetTupleElement, tuple->shape().tuple_shape(static_cast<int>(i)), {tuple},
                             std::move(attributes));
}

}  // namespace

std::vector<HloInstruction*> ElementsOf(const HloInstruction& tuple, int64_t i) {
  std::vector<HloInstruction*> elements;
  for (HloInstruction* user : tuple.users()) {
    if (user->opcode() == HloOpcode::kGetTupleElement && IndexOf(*user) == i) elements.push_back(user);
  }
  return elements;
}

HloInstruction* ElementOf(HloInstruction* tuple, int64_t i) {
  const std::vector<HloInstruction*> elements = ElementsOf(*tuple, i);
  return elements.empty() ? MakeElement(tuple, i) : elements[0];
}

void TupleElements::Read(const HloInstruction& tuple) {
  if (!read_.insert(&tuple).second) return;
  for (HloInstruction* user : tuple.users()) {
    if (user->opcode() == HloOpcode::kGetTupleElement) elements_[{&tuple, IndexOf(*user)}].push_back(user);
  }
}

absl::Span<HloInstruction* const> TupleElements::Of(const HloInstruction& tuple, int64_t i) {
  Read(tuple);
  const auto known = elements_.find({&tuple, i});
  if (known == elements_.end()) return {};
  return known->second;
}

HloInstruction* TupleElements::One(HloInstruction* tuple, int64_t i) {
  Read(*tuple);
  auto& elements = elements_[{tuple, i}];
  if (elements.empty()) elements.push_back(MakeElement(tuple, i));
  return elements[0];
}

bool HasOnlyElementUsers(const HloInstruction& tuple) {
  const auto users = tuple.users();
  return std::all_of(users.begin(), users.end(),
                     [](const HloInstruction* user) { return user->opcode() == HloOpcode::kGetTupleElement; });
}

// Rebuilds the tuple for users other than get-tuple-element, so that its shape may change without their notice.
void GiveUsersElements(HloInstruction* tuple, const Shape& seen_by_users) {
  if (HasOnlyElementUsers(*tuple) && tuple->parent()->root() != tuple) return;
  TupleElements known;
  std::vector<HloInstruction*> elements;
  for (int64_t i = 0; i < seen_by_users.tuple_size(); ++i) elements.push_back(known.One(tuple, i));
  InstructionBuilder builder(tuple->parent(), tuple);
  HloInstruction* const whole = builder.MakeOfShape(HloOpcode::kTuple, seen_by_users, elements);
  const std::vector<HloInstruction*> users(tuple->users().begin(), tuple->users().end());
  for (HloInstruction* user : users) {
    if (user->opcode() != HloOpcode::kGetTupleElement) ReplaceOperands(user, tuple, whole);
  }
  if (tuple->parent()->root() == tuple) tuple->parent()->set_root(whole);
}

}  // namespace xla
