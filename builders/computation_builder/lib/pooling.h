// Pooling: the greatest, the sum or the mean of the elements in each position of a window, and the gradients.
//
// kernel_size and stride have an entry for each spatial dimension, in the order of the format, or one for each
// dimension of the operand, in the operand's order, which is how XLA has them (1 for batch and feature dimension).
//   Errors, for all: an operand without the dimensions of the format; sizes or strides < 1; not so many entries.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_POOLING_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_POOLING_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "builders/computation_builder/computation_builder.h"

namespace xla {

// Which dimension of an image is what.
class TensorFormat {
 public:
  TensorFormat(int batch_dimension, int feature_dimension, ArraySlice<int64_t> spatial_dimensions)
      : batch_dimension_(batch_dimension),
        feature_dimension_(feature_dimension),
        spatial_dimensions_(spatial_dimensions.begin(), spatial_dimensions.end()) {}
  // [batch, feature, spatial..] and [batch, spatial.., feature].
  static TensorFormat NCHW(int num_spatial_dims = 2);
  static TensorFormat NHWC(int num_spatial_dims = 2);

  int batch_dimension() const { return batch_dimension_; }
  int feature_dimension() const { return feature_dimension_; }
  int64_t spatial_dimension(int i) const { return spatial_dimensions_[i]; }
  int num_spatial_dims() const { return static_cast<int>(spatial_dimensions_.size()); }

 private:
  int batch_dimension_;
  int feature_dimension_;
  std::vector<int64_t> spatial_dimensions_;
};

// {low, high} for each spatial dimension, in the order of the format.
using SpatialPadding = ArraySlice<std::pair<int64_t, int64_t>>;

// The padding that kSame or kValid means for an input of these sizes, an entry for each dimension.
//   Errors: none; an empty list if the entries do not fit the format.
std::vector<std::pair<int64_t, int64_t>> MakeSpatialPadding(ArraySlice<int64_t> input_size,
                                                            ArraySlice<int64_t> kernel_size, ArraySlice<int64_t> stride,
                                                            Padding padding, const TensorFormat& data_format);

// The greatest element; padding counts as nothing.
//   Shapes: T[batch, features, spatial..] -> T[batch, features, positions..]; T: int, float
//   Example: MaxPool(f32[1,1,4,6] x, {2, 3}, {2, 3}, Padding::kValid, TensorFormat::NCHW()) = f32[1,1,2,2]
//   HLO: reduce-window of maximum
XlaOp MaxPool(XlaOp operand, ArraySlice<int64_t> kernel_size, ArraySlice<int64_t> stride, Padding padding,
              const TensorFormat& data_format, SourceLocation loc = SourceLocation::Current());
// The sum; padding counts as 0.
//   Shapes: as MaxPool; T: int, float, complex
//   Errors: not one padding for each spatial dimension.
//   HLO: reduce-window of add
XlaOp SumPool(XlaOp operand, ArraySlice<int64_t> kernel_size, ArraySlice<int64_t> stride, SpatialPadding padding,
              const TensorFormat& data_format, SourceLocation loc = SourceLocation::Current());
// The mean: the sum divided by the size of the window, or, unless counts_include_padding, by the number of its elements
// that are not padding; NaN where there are none.
//   Shapes: as MaxPool; T: float
//   Errors: as SumPool.
//   HLO: reduce-window of add, divide
XlaOp AvgPool(XlaOp operand, ArraySlice<int64_t> kernel_size, ArraySlice<int64_t> stride, SpatialPadding padding,
              const TensorFormat& data_format, bool counts_include_padding,
              SourceLocation loc = SourceLocation::Current());

// The gradient of MaxPool: each element of out_backprop goes to the greatest element of its window, the first of
// equals.
//   Shapes: operand T[..], out_backprop T[positions..] -> T[..], the shape of the operand; T: float
//   Errors: an out_backprop of other dimensions than MaxPool gives.
//   HLO: select-and-scatter
XlaOp MaxPoolGrad(XlaOp operand, XlaOp out_backprop, ArraySlice<int64_t> kernel_size, ArraySlice<int64_t> stride,
                  Padding padding, const TensorFormat& data_format, SourceLocation loc = SourceLocation::Current());
// The gradient of AvgPool: each element of out_backprop goes in equal parts to the elements of its window.
//   gradients_size: the dimensions of what was pooled
//   Shapes: T[positions..] -> T[gradients_size]; T: float
//   Errors: an out_backprop of other dimensions than AvgPool gives.
//   HLO: pad, reduce-window of add
XlaOp AvgPoolGrad(XlaOp out_backprop, ArraySlice<int64_t> gradients_size, ArraySlice<int64_t> kernel_size,
                  ArraySlice<int64_t> stride, SpatialPadding spatial_padding, const TensorFormat& data_format,
                  bool counts_include_padding, SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_POOLING_H_
