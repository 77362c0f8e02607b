// SlotsOfReads: when values are read, for who asks whether nothing reads one for a while.
#ifndef PASSES_MEMORY_SLOTS_OF_READS_H_
#define PASSES_MEMORY_SLOTS_OF_READS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "passes/analyses/dataflow.h"
#include "passes/analyses/liveness.h"
#include "xla_core/support/resource_poll.h"

namespace xla {

// Of the values that it was made for. A read is one that liveness.h counts in the slot of an instruction.
class SlotsOfReads {
 public:
  using Value = Dataflow::Value;

  // An error if a limit behind `poll` was reached.
  static absl::StatusOr<SlotsOfReads> Find(absl::Span<const Value> values, const Dataflow& dataflow,
                                           const Liveness& liveness, ResourcePoll& poll);

  // Whether something reads the value after slot `first` and before slot `last`.
  bool HasBetween(Value value, int64_t first, int64_t last) const;

 private:
  absl::flat_hash_map<Value, std::vector<int64_t>> slots_;  // ascending
};

}  // namespace xla

#endif  // PASSES_MEMORY_SLOTS_OF_READS_H_
