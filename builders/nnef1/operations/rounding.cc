#include "builders/nnef1/operations/rounding.h"

#include "builders/computation_builder/constants.h"

namespace xla {
namespace nnef1 {

XlaOp RoundHalvesUp(XlaOp x) {
  if (!x.valid()) return x;
  ComputationBuilder& b = *x.builder();
  const XlaOp below = b.Floor(x);
  return b.Select(b.Ge(b.Sub(x, below), FullLike(x, 0.5)), b.Add(below, OnesLike(x)), below);
}

}  // namespace nnef1
}  // namespace xla
