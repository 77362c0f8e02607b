// A convolution as loops over windows: any order of dimensions, any number of them, all attributes.
#ifndef BACKENDS_CPU_LIBRARY_CONVOLUTION_DIRECT_CONVOLUTION_H_
#define BACKENDS_CPU_LIBRARY_CONVOLUTION_DIRECT_CONVOLUTION_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_instruction.h"

namespace xla {

// Elements from one index to the next in the input, the kernel and the result.
struct ConvolutionStrides {
  int64_t lhs = 0, rhs = 0, result = 0;
};

struct ConvolutionAxis {
  int64_t input, output, kernel;
  int64_t stride, low;
  int64_t base_dilation, window_dilation;
  bool reversed;
  ConvolutionStrides strides;

  // The index of the input that element k of the kernel meets at output x; -1: none.
  int64_t InputAt(int64_t x, int64_t k) const;
};

// result[g, n, o, x..] = sum over i, k.. of lhs[g, n, i, input at x and k..] * rhs[g, o, i, k..]
struct DirectConvolution {
  int64_t groups, batch, inputs, outputs;  // features are those of a group
  ConvolutionStrides group_strides, batch_strides, input_strides, output_strides;
  std::vector<ConvolutionAxis> axes;
  bool has_batch_groups;

  int64_t KernelPositions() const;
  int64_t OutputPositions() const;  // of one image
  double FlopCount() const;
};

// By the layouts of the shapes. Errors: Unimplemented, with the reason.
absl::StatusOr<DirectConvolution> DirectConvolutionOf(const HloInstruction& convolution);

// Outputs of an axis that meet the same elements of the kernel, each at inputs that lie equally far apart.
struct AxisSegment {
  int64_t first, step, count;  // outputs
  int64_t input_step;          // indices of the input from one of these outputs to the next
  struct Meeting {
    int64_t kernel, input;  // the input's index at the first output
  };
  std::vector<Meeting> meetings;  // by kernel index; empty: these outputs are zero
};

// All outputs of the axis, in segments. Unimplemented: they would have too many meetings to be listed.
absl::StatusOr<std::vector<AxisSegment>> SegmentsOf(const ConvolutionAxis& axis);

}  // namespace xla

#endif  // BACKENDS_CPU_LIBRARY_CONVOLUTION_DIRECT_CONVOLUTION_H_
