// gather, gatherElements, gatherND, scatterElements and scatterND.
//
// Negative indices of signed types count from the end; what lies outside then is moved to the nearest place inside.
#ifndef BUILDERS_WEBNN_LOWERING_INDEXING_H_
#define BUILDERS_WEBNN_LOWERING_INDEXING_H_

#include <cstdint>

#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace webnn {

// The slices of the input at indices along an axis, in place of which the dimensions of the indices stand.
//   HLO: gather
XlaOp LowerGather(XlaOp input, XlaOp indices, int64_t axis);
// result[.., i, ..] = input[.., indices[.., i, ..], ..]
//   HLO: gather
XlaOp LowerGatherElements(XlaOp input, XlaOp indices, int64_t axis);
// The last dimension of the indices says the first coordinates of the input.
//   HLO: gather
XlaOp LowerGatherND(XlaOp input, XlaOp indices);
// The mirror images: the input, where updates replace elements or slices. Of updates of the same place the last counts.
//   HLO: scatter
XlaOp LowerScatterElements(XlaOp input, XlaOp indices, XlaOp updates, int64_t axis);
XlaOp LowerScatterND(XlaOp input, XlaOp indices, XlaOp updates);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_LOWERING_INDEXING_H_
