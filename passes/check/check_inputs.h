// Arguments with which a program is run before and after a pass.
#ifndef PASSES_CHECK_CHECK_INPUTS_H_
#define PASSES_CHECK_CHECK_INPUTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/types/literal.h"

namespace xla {

// Each kind finds other mistakes: wrong arithmetic; wrong ties, comparisons and indices; wrong special cases.
enum class CheckInputKind {
  kOrdinary,      // floats in [-1, 1), small integers
  kWholeNumbers,  // small whole numbers in every type, many of them equal
  kEdgeValues,    // every other element, approximately, one of EdgeValues
};

// Values of `type` at which identities break: zeros of both signs, ones, the limits, denormals, infinities, NaN. An
// array of rank 1. `huge`: finite numbers near the limits of the type, whose sums overflow in one order and not in
// another, are among them too.
absl::StatusOr<Literal> EdgeValues(PrimitiveType type, bool huge);

// Equal options give equal arguments for a module, so a finding can be repeated from its seed.
struct CheckInputOptions {
  CheckInputKind kind = CheckInputKind::kOrdinary;
  uint64_t seed = 0;
  bool huge = true;  // as in EdgeValues
  // 0: as many as the module's header says.
  int64_t replica_count = 0;
  int64_t partition_count = 0;
};

// A list of arguments for each of the replicas x partitions. The same for the same module and options.
// ResourceExhausted: the budget refuses the memory. Unimplemented: a parameter has no elements that could be made
// (opaque values).
absl::StatusOr<std::vector<std::vector<Literal>>> MakeCheckInputs(const HloModule& module,
                                                                  const CheckInputOptions& options,
                                                                  MemoryBudget* budget);

}  // namespace xla

#endif  // PASSES_CHECK_CHECK_INPUTS_H_
