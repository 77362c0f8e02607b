// Random legal shardings for the values of a program.
#ifndef TESTS_PARTITIONING_RANDOM_SHARDINGS_H_
#define TESTS_PARTITIONING_RANDOM_SHARDINGS_H_

#include <cstdint>

#include "xla_core/ir/hlo_module.h"

namespace xla {

// Annotates about half of the values, tuples too, in all computations that are part of the program. All shardings are
// over one mesh, or now and then over the devices in another order. The same for the same seed.
void AnnotateRandomly(HloModule& module, int64_t devices, uint64_t seed);

}  // namespace xla

#endif  // TESTS_PARTITIONING_RANDOM_SHARDINGS_H_
