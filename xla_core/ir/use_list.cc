#include "xla_core/ir/use_list.h"

#include <algorithm>

namespace xla {

void UseList::Index() {
  if (places_ != nullptr || uses_.size() <= kMany) return;
  places_ = std::make_unique<absl::flat_hash_map<const HloInstruction*, size_t>>();
  places_->reserve(uses_.size());
  for (size_t i = 0; i < uses_.size(); ++i) (*places_)[uses_[i]] = i;
}

bool UseList::Contains(const HloInstruction* use) {
  Index();
  if (places_ != nullptr) return places_->contains(use);
  return std::find(uses_.begin(), uses_.end(), use) != uses_.end();
}

void UseList::Add(HloInstruction* use) {
  uses_.push_back(use);
  if (places_ != nullptr) (*places_)[use] = uses_.size() - 1;
}

void UseList::Remove(HloInstruction* use) {
  Index();
  if (places_ == nullptr) {
    uses_.erase(std::find(uses_.begin(), uses_.end(), use));
    return;
  }
  const auto place = places_->find(use);
  const size_t i = place->second;
  places_->erase(place);
  if (i + 1 != uses_.size()) {
    uses_[i] = uses_.back();
    (*places_)[uses_[i]] = i;
  }
  uses_.pop_back();
}

}  // namespace xla
