// Noise: a program whose numbers are rounded otherwise, up or down at random, wherever a backend may round otherwise.
#ifndef BACKENDS_AUTOPSY_NOISE_H_
#define BACKENDS_AUTOPSY_NOISE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// The verified module with noise on the operands of sums, each of its own, and on the results of sums and of functions
// that may be rounded in more than one way (passes/analyses/exactness.h): in another order, a sum has other roundings
// in all its terms. Each is moved by `units` in the last place, and more where a sum has many terms. Errors of limits.
absl::StatusOr<std::unique_ptr<HloModule>> WithNoise(const HloModule& module, double units, uint64_t seed,
                                                     const ResourceContext* resources);

// The unit in the last place of 1; 0 of types that do not round.
absl::StatusOr<double> EpsilonOf(PrimitiveType type);

}  // namespace xla

#endif  // BACKENDS_AUTOPSY_NOISE_H_
