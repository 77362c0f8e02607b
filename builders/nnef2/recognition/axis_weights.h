// Weights: a linear map along one dimension.
//
// A small matrix is a product; of a large one, whose rows have few elements other than 0, elements are gathered,
// weighted and added. In a product an infinity meets weights of 0 and makes NaNs along its dimension, as in NNEF 1's
// up-sampling, which is the same product.
#ifndef BUILDERS_NNEF2_RECOGNITION_AXIS_WEIGHTS_H_
#define BUILDERS_NNEF2_RECOGNITION_AXIS_WEIGHTS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace nnef2 {

// By place of the result, the places that it adds up and their weights.
using Weights = std::vector<std::map<int64_t, double>>;

// Whether that is little enough for a dimension with so many elements.
bool CanMapAlong(const Weights& weights, int64_t extent);

// The dimension of x multiplied by the weights, of which there are some.
XlaOp MapAlong(XlaOp x, const Weights& weights, int64_t dimension);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_AXIS_WEIGHTS_H_
