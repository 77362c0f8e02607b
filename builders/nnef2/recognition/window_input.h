// What windows move over, where an extent of it or the place of the windows is known at run time only.
#ifndef BUILDERS_NNEF2_RECOGNITION_WINDOW_INPUT_H_
#define BUILDERS_NNEF2_RECOGNITION_WINDOW_INPUT_H_

#include <cstdint>

#include "builders/nnef2/recognition/load_plan.h"
#include "builders/nnef2/recognition/window_index.h"

namespace xla {
namespace nnef2 {

// Whether windows over a dimension read nothing but its elements and what a guard leaves out, for which `padding`
// stands in. *is_guarded: there is such a guard.
bool StaysInside(const StatementNest& nest, const NestNode& index, const WindowIndex& window, const Scalar& extent,
                 int64_t bound, bool* is_guarded);

// x, which is `tensor`, with the padding in place of the elements of a dimension that lie past its dynamic extent.
XlaOp WithoutTheRestOf(NestLowering& lowering, XlaOp x, int tensor, int64_t dimension, XlaOp padding);

// x with the dimension moved so that windows begin at its first element. Windows that nothing moves stay as they are.
XlaOp MoveToWindows(NestLowering& lowering, XlaOp x, int64_t dimension, WindowIndex* window, XlaOp padding);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_WINDOW_INPUT_H_
