// Elements of any type made of pseudo-random numbers.
#ifndef BACKENDS_KERNEL_IR_TESTING_RANDOM_NUMBERS_H_
#define BACKENDS_KERNEL_IR_TESTING_RANDOM_NUMBERS_H_

#include "xla_core/support/random_source.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/primitive_type.h"

namespace xla {

// A scalar: a small number, a special value of the type, or any bits.
Literal RandomScalar(PrimitiveType type, RandomSource& random);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_TESTING_RANDOM_NUMBERS_H_
