// UseList: the instructions that use a value or call a computation.
#ifndef XLA_CORE_IR_USE_LIST_H_
#define XLA_CORE_IR_USE_LIST_H_

#include <cstddef>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace xla {

class HloInstruction;

// Each instruction once. The order is that of additions until one is removed; it depends on nothing but the calls that
// were made. With many, their places are kept in a map, so that removing them one by one is not quadratic.
class UseList {
 public:
  absl::Span<HloInstruction* const> list() const { return uses_; }
  size_t size() const { return uses_.size(); }
  bool Contains(const HloInstruction* use);
  // Adds what the list does not contain.
  void Add(HloInstruction* use);
  // Removes what the list contains. With many, the last one moves to its place.
  void Remove(HloInstruction* use);

 private:
  static constexpr size_t kMany = 16;
  void Index();

  absl::InlinedVector<HloInstruction*, 2> uses_;
  std::unique_ptr<absl::flat_hash_map<const HloInstruction*, size_t>> places_;  // with many only
};

}  // namespace xla

#endif  // XLA_CORE_IR_USE_LIST_H_
