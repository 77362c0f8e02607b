// A convolution as oneDNN sees it: batch first, features last, and what a tile of its rows reads.
#ifndef BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_GEOMETRY_H_
#define BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_GEOMETRY_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

struct ConvolutionSpatial {
  int64_t input, output, kernel;
  int64_t stride;     // of the window, or how far the input is spread if it is transposed
  int64_t dilation;   // of the kernel
  int64_t low, high;  // padding; of a transposed convolution what is cut off, as oneDNN has it
  int64_t kernel_stride;
  bool flipped;  // the kernel's elements are in the other order
};

struct ConvolutionGeometry {
  bool transposed = false;                                 // the input is spread, not the window
  int64_t batch, groups, input_features, output_features;  // features of all groups
  absl::InlinedVector<ConvolutionSpatial, 3> spatial;
  int64_t kernel_input_stride, kernel_output_stride;  // elements

  // Of one image.
  double FlopCount() const;
};

// Rows [begin, end) of the first spatial dimension of the result.
struct ConvolutionRows {
  int64_t input_begin, input_count;
  int64_t low, high;
};

// Errors: Unimplemented, with the reason, for what oneDNN does not have.
absl::StatusOr<ConvolutionGeometry> ConvolutionGeometryOf(const HloInstruction& convolution);

// What these rows of the result are a convolution of: rows of one image that lie anywhere in it, those that no window
// reads left out. nullopt if of nothing that oneDNN could compute.
absl::optional<ConvolutionRows> RowsOf(const ConvolutionGeometry& geometry, int64_t begin, int64_t end);

// The same for whole images: all rows of the input, so that the next image follows. nullopt if oneDNN cannot be told
// that some of them are not read.
absl::optional<ConvolutionRows> AllRowsOf(const ConvolutionGeometry& geometry);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_CONVOLUTION_CONVOLUTION_GEOMETRY_H_
