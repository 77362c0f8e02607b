// Bytes that an instruction has to move to and from memory, at least: for reports of how well a program uses it.
#ifndef BACKENDS_HOST_MEMORY_TRAFFIC_H_
#define BACKENDS_HOST_MEMORY_TRAFFIC_H_

#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Where an operand is only looked up or cut from, alone or in a fusion, what is taken from it counts. `is_in_place`: an
// update is written to the memory of what it updates, so that the rest of that array is not touched.
double MemoryTraffic(const HloInstruction& instruction, bool is_in_place);

}  // namespace xla

#endif  // BACKENDS_HOST_MEMORY_TRAFFIC_H_
