// Which conversions between element types lose nothing.
#ifndef PASSES_ALGEBRA_EXACT_CONVERSION_H_
#define PASSES_ALGEBRA_EXACT_CONVERSION_H_

#include <cstdint>

#include "xla_core/types/primitive_type.h"

namespace xla {

// Every value of `from`, infinities, NaN and -0 included, is a value of `to`, and convert gives it. (Not so for pred
// and s1, in which true is -1.)
bool ConvertIsLossless(PrimitiveType from, PrimitiveType to);

// convert from -> through -> to gives the same as convert from -> to, or as nothing at all if from == to.
bool CanSkipConvert(PrimitiveType from, PrimitiveType through, PrimitiveType to);

// All whole numbers from 0 to `largest` are values of the real type.
bool HoldsCount(PrimitiveType type, int64_t largest);

}  // namespace xla

#endif  // PASSES_ALGEBRA_EXACT_CONVERSION_H_
