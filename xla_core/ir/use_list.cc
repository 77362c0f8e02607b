#include "xla_core/ir/use_list.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace xla {

struct UseList::Places {
  absl::flat_hash_map<const HloInstruction*, uint32_t> of;
};

UseList::~UseList() {
  if (capacity_ == kInline) return;
  delete heap_.places;
  delete[] heap_.uses;
}

void UseList::Grow() {
  const uint32_t capacity = capacity_ * 2;
  auto** const larger = new HloInstruction*[capacity];
  std::copy(uses(), uses() + size_, larger);
  Places* const places = capacity_ == kInline ? nullptr : heap_.places;
  if (capacity_ != kInline) delete[] heap_.uses;
  heap_ = {larger, places};
  capacity_ = capacity;
}

// Made when they are first asked for; nullptr as long as a search is faster.
UseList::Places* UseList::PlacesOfMany() {
  if (capacity_ == kInline) return nullptr;
  if (heap_.places == nullptr && size_ > kMany) {
    heap_.places = new Places;
    heap_.places->of.reserve(size_);
    for (uint32_t i = 0; i < size_; ++i) heap_.places->of[heap_.uses[i]] = i;
  }
  return heap_.places;
}

bool UseList::Contains(const HloInstruction* use) {
  if (const Places* const places = PlacesOfMany()) return places->of.contains(use);
  return std::find(uses(), uses() + size_, use) != uses() + size_;
}

void UseList::Add(HloInstruction* use) {
  if (size_ == capacity_) Grow();
  if (capacity_ != kInline && heap_.places != nullptr) heap_.places->of[use] = size_;
  uses()[size_++] = use;
}

void UseList::Remove(HloInstruction* use) {
  Places* const places = PlacesOfMany();
  if (places == nullptr) {
    HloInstruction** const end = uses() + size_;
    HloInstruction** const place = std::find(uses(), end, use);
    std::copy(place + 1, end, place);
    --size_;
    return;
  }
  const auto found = places->of.find(use);
  const uint32_t place = found->second;
  places->of.erase(found);
  HloInstruction* const last = heap_.uses[--size_];
  if (place == size_) return;
  heap_.uses[place] = last;
  places->of[last] = place;
}

}  // namespace xla
