// resample2d.
#ifndef BUILDERS_WEBNN_LOWERING_RESAMPLE_H_
#define BUILDERS_WEBNN_LOWERING_RESAMPLE_H_

#include <cstdint>

#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace webnn {

// One dimension that is resampled.
struct ResampledAxis {
  int64_t axis = 0;
  int64_t size = 1;  // afterwards
  double scale = 1;  // how many elements one becomes; `size` may be rounded down from it
};

// Element o of the result lies at (o + 0.5) / scale - 0.5 of the input, moved inside; between two elements the lower
// one is nearest.
//   HLO: slice, or broadcast and reshape where all elements are taken equally often; else gather
XlaOp LowerResampleNearest(XlaOp input, absl::Span<const ResampledAxis> axes);
// The elements on both sides by their distances, one axis after the other. Integers are rounded, ties to even.
//   HLO: gather, multiply, add
XlaOp LowerResampleLinear(XlaOp input, absl::Span<const ResampledAxis> axes);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_LOWERING_RESAMPLE_H_
