// Writes rng-bit-generator as integer operations.
#ifndef PASSES_EXPANDING_EXPAND_RNG_BIT_GENERATOR_H_
#define PASSES_EXPANDING_EXPAND_RNG_BIT_GENERATOR_H_

#include "absl/status/statusor.h"
#include "passes/base/pass_context.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// The rounds of Threefry2x32-20 and Philox4x32-10 on arrays of u32, bit for bit as ops/rng_bit_generator.cc has them,
// and the state with its counter advanced.
absl::StatusOr<bool> ExpandRngBitGenerator(HloModule& module, PassContext& context);

}  // namespace xla

#endif  // PASSES_EXPANDING_EXPAND_RNG_BIT_GENERATOR_H_
