// Numbers that follow from which device it is.
#ifndef PASSES_COLLECTIVES_NUMBERS_OF_DEVICES_H_
#define PASSES_COLLECTIVES_NUMBERS_OF_DEVICES_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// The value of an integer scalar on each device, replica * partitions + partition, if it is computed from replica-id,
// partition-id and constants alone, in few steps: by arithmetic, comparisons, tables. The interpreter computes it, so
// any such way counts. Numbers above the range of int64_t are its largest. nullopt for other scalars.
absl::optional<std::vector<int64_t>> NumbersOfDevices(const HloInstruction& scalar, int64_t replicas,
                                                      int64_t partitions, const PassContext& context);

}  // namespace xla

#endif  // PASSES_COLLECTIVES_NUMBERS_OF_DEVICES_H_
