#include "xla_core/support/shared_string.h"

#include <cstring>
#include <new>

namespace xla {
namespace {

// Equal texts are mostly near to each other. A table of all texts is slower than reading them, once it has left the
// processor's cache; this many fit in one that is cleared without being freed.
constexpr size_t kMostKnown = 100;

}  // namespace

SharedString::SharedString(absl::string_view text) {
  if (text.empty()) return;
  block_ = new (::operator new(sizeof(Block) + text.size())) Block{{1}, text.size()};
  std::memcpy(Characters(block_), text.data(), text.size());
}

void SharedString::Release() {
  if (block_ == nullptr || block_->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  block_->~Block();
  ::operator delete(block_);
}

SharedString SharedStrings::Get(absl::string_view text) {
  if (known_.size() >= kMostKnown) known_.clear();
  return *known_.lazy_emplace(text, [text](const auto& construct) { construct(text); });
}

}  // namespace xla
