#include "builders/nnef2/lowering/nest_lowering.h"

namespace xla {
namespace nnef2 {

std::vector<int64_t> NestLowering::BoundsOf(int number) const {
  std::vector<int64_t> bounds;
  for (const Scalar& extent : tensor(number).shape) {
    bounds.push_back(extent.kind == Scalar::Kind::kInt ? extent.integer : extent.symbolic->upper);
  }
  return bounds;
}

}  // namespace nnef2
}  // namespace xla
