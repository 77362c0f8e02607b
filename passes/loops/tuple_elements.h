// The get-tuple-elements of a tuple, for those that have many.
#ifndef PASSES_LOOPS_TUPLE_ELEMENTS_H_
#define PASSES_LOOPS_TUPLE_ELEMENTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// The get-tuple-elements of index i of `tuple`. Goes through all users: see TupleElements.
std::vector<HloInstruction*> ElementsOf(const HloInstruction& tuple, int64_t i);
// One of them, made if there is none.
HloInstruction* ElementOf(HloInstruction* tuple, int64_t i);

// The same for whoever asks for every element: the users of a tuple are gone through once, when it is first asked for.
// Knows of elements that are made later only what it made itself.
class TupleElements {
 public:
  absl::Span<HloInstruction* const> Of(const HloInstruction& tuple, int64_t i);
  HloInstruction* One(HloInstruction* tuple, int64_t i);

 private:
  void Read(const HloInstruction& tuple);

  absl::flat_hash_set<const HloInstruction*> read_;
  absl::flat_hash_map<std::pair<const HloInstruction*, int64_t>, absl::InlinedVector<HloInstruction*, 1>> elements_;
};

// Whether the only users of the instruction are get-tuple-elements.
bool HasOnlyElementUsers(const HloInstruction& tuple);

// Users of `tuple` that are not get-tuple-elements, and its computation if it is the root, see a tuple of its first
// elements instead: as many as the shape has that they saw before.
void GiveUsersElements(HloInstruction* tuple, const Shape& seen_by_users);

}  // namespace xla

#endif  // PASSES_LOOPS_TUPLE_ELEMENTS_H_
