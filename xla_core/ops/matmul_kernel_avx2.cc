// Compiled with -mavx2 where the target has it, so nothing may be included here whose inline functions others use too.
#include "xla_core/ops/matmul_double_kernel.h"

namespace xla {
namespace {

typedef double Double4 __attribute__((vector_size(32)));

}  // namespace

void AccumulateTileAvx2(const MatmulTile<double>& tile) { AccumulateDoubles<Double4, 2>(tile); }

}  // namespace xla
