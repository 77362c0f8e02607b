// OrderForOverlap: in which order a computation runs so that devices compute while they exchange values.
#ifndef PASSES_COLLECTIVES_OVERLAP_ORDER_H_
#define PASSES_COLLECTIVES_OVERLAP_ORDER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "passes/analyses/cost.h"
#include "passes/memory/memory_model.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/support/resource_poll.h"

namespace xla {

// What an instruction is to the order of a computation.
enum class OrderRole {
  kFree,     // goes wherever its operands and users let it
  kOrdered,  // has side effects, and stays in order with others that have
  kBarrier,  // likewise, and no collective passes it
  kMeeting,  // a collective that may be split
};

// A tidy computation, and what is known about it. `roles` is by number in its list.
struct OverlapProblem {
  const HloComputation& computation;
  const std::vector<OrderRole>& roles;
  bool meetings_keep_their_order;  // among each other and with all side effects
  const MemoryGraph& memory;
  const CostAnalysis& cost;
  double max_bytes;  // that may be in use at once
};

// A step of the order.
struct OverlapStep {
  enum class Part { kWhole, kStart, kDone };
  int instruction;  // by number in the list
  Part part;
};

struct OverlapOrder {
  std::vector<OverlapStep> steps;  // a start and a done of each collective beside which something runs
  double peak_bytes;
};

// nullopt if nothing can run beside any collective within the bytes that there are. Takes n log n steps.
absl::StatusOr<absl::optional<OverlapOrder>> OrderForOverlap(const OverlapProblem& problem, ResourcePoll& poll);

}  // namespace xla

#endif  // PASSES_COLLECTIVES_OVERLAP_ORDER_H_
