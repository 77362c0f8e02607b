// Rounding as NNEF has it: in `round`, in quantisation and for coordinates of regions.
#ifndef BUILDERS_NNEF1_OPERATIONS_ROUNDING_H_
#define BUILDERS_NNEF1_OPERATIONS_ROUNDING_H_

#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace nnef1 {

// floor(x + 1/2), of the exact sum: floor(x + 0.5f) would make 1 of the number below 0.5, and the next even number of
// an odd one near 2^23. None of HLO's roundings.
XlaOp RoundHalvesUp(XlaOp x);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_ROUNDING_H_
