#include "xla_core/support/shared_string.h"

#include <cstring>
#include <new>

namespace xla {

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
  const auto found = known_.find(text);
  if (found != known_.end()) return *found;
  return *known_.insert(SharedString(text)).first;
}

}  // namespace xla
