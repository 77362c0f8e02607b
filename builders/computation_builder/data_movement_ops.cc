// Constants, tuples, and operations that move elements without computing: reshape, transpose, slices, gather, scatter.
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/computation_builder/computation_builder.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

DimensionVector ToVector(ArraySlice<int64_t> list) { return DimensionVector(list.begin(), list.end()); }

// Which dimensions of a reshape's result are dynamic: dimensions are matched in the smallest groups of equal element
// counts, and in place of a group with a dynamic dimension the first one that can shrink is dynamic. Both have the
// same number of elements, not 0.
std::vector<bool> DynamicDimensionsOfReshape(const Shape& operand, ArraySlice<int64_t> sizes) {
  std::vector<bool> dynamic(sizes.size(), false);
  size_t from = 0, to = 0;
  while (from < static_cast<size_t>(operand.rank()) || to < sizes.size()) {
    const size_t group = to;
    bool is_dynamic = false;
    const auto next_from = [&]() -> int64_t {
      if (from == static_cast<size_t>(operand.rank())) return 1;
      is_dynamic |= operand.is_dynamic_dimension(static_cast<int>(from));
      return operand.dimension(static_cast<int>(from++));
    };
    int64_t from_count = next_from();
    int64_t to_count = to < sizes.size() ? sizes[to++] : 1;
    while (from_count != to_count) {
      if (from_count < to_count) {
        from_count *= next_from();
      } else {
        to_count *= sizes[to++];
      }
    }
    if (!is_dynamic || group == to) continue;
    size_t shrinking = group;
    while (shrinking + 1 < to && sizes[shrinking] == 1) ++shrinking;
    dynamic[shrinking] = true;
  }
  return dynamic;
}

// -1 if the product overflows or a size is negative.
int64_t CountElements(ArraySlice<int64_t> sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 0 || !CheckedMul(count, size, &count)) return -1;
  }
  return count;
}

}  // namespace

// ---- Constants

XlaOp ComputationBuilder::Constant(const char* method, const absl::StatusOr<Literal>& literal, SourceLocation loc) {
  ActiveCall call(this, method, loc, {});
  if (!call) return Invalid();
  if (!literal.ok()) return Fail(literal.status());
  auto attributes = std::make_unique<ConstantAttributes>();
  attributes->literal = std::make_shared<const Literal>(*literal);
  return Append(HloOpcode::kConstant, {}, std::move(attributes), {}, literal->shape());
}

XlaOp ComputationBuilder::ConstantLiteral(const Literal& literal, SourceLocation loc) {
  return Constant("ConstantLiteral", literal, loc);
}

XlaOp ComputationBuilder::ConstantLiteral(const absl::StatusOr<Literal>& literal, SourceLocation loc) {
  return Constant("ConstantLiteral", literal, loc);
}

XlaOp ComputationBuilder::Iota(const Shape& shape, int64_t iota_dimension, SourceLocation loc) {
  ActiveCall call(this, "Iota", loc, {});
  if (!call) return Invalid();
  auto attributes = std::make_unique<IotaAttributes>();
  attributes->iota_dimension = iota_dimension;
  return Append(HloOpcode::kIota, {}, std::move(attributes), {}, shape);
}

XlaOp ComputationBuilder::Iota(PrimitiveType type, int64_t size, SourceLocation loc) {
  ActiveCall call(this, "Iota", loc, {});
  if (!call) return Invalid();
  if (size < 0) return FailInvalid(absl::StrCat("the size must not be negative, got ", size));
  return Iota(Shape::Array(type, {size}), 0, loc);
}

// ---- Tuples

XlaOp ComputationBuilder::Tuple(ArraySlice<XlaOp> elements, SourceLocation loc) {
  ActiveCall call(this, "Tuple", loc, elements);
  if (!call) return Invalid();
  return Append(HloOpcode::kTuple, elements);
}

XlaOp ComputationBuilder::GetTupleElement(XlaOp tuple, int64_t index, SourceLocation loc) {
  ActiveCall call(this, "GetTupleElement", loc, {tuple});
  if (!call) return Invalid();
  auto attributes = std::make_unique<GetTupleElementAttributes>();
  attributes->index = index;
  return Append(HloOpcode::kGetTupleElement, {tuple}, std::move(attributes));
}

// ---- Reshape

// Dynamic dimensions stay dynamic where the reshape keeps them apart, as XLA infers.
XlaOp ComputationBuilder::ReshapeTo(XlaOp operand, ArraySlice<int64_t> sizes) {
  const Shape& shape = ShapeOf(operand);
  for (const int64_t size : sizes) {
    if (size < 0)
      return FailInvalid(absl::StrCat("new sizes must not be negative, got {", absl::StrJoin(sizes, ","), "}"));
  }
  Shape result = Shape::Array(shape.element_type(), sizes);
  if (shape.IsDynamic() && CountElements(sizes) == shape.ElementCount() && shape.ElementCount() > 0) {
    const std::vector<bool> dynamic = DynamicDimensionsOfReshape(shape, sizes);
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (dynamic[d]) result.set_dynamic_dimension(static_cast<int>(d), true);
    }
  }
  return Append(HloOpcode::kReshape, {operand}, nullptr, {}, result);
}

XlaOp ComputationBuilder::Reshape(XlaOp operand, ArraySlice<int64_t> new_sizes, SourceLocation loc) {
  ActiveCall call(this, "Reshape", loc, {operand});
  if (!call || !CheckArray("the operand", ShapeOf(operand))) return Invalid();
  return ReshapeTo(operand, new_sizes);
}

XlaOp ComputationBuilder::Reshape(XlaOp operand, ArraySlice<int64_t> dimensions, ArraySlice<int64_t> new_sizes,
                                  SourceLocation loc) {
  ActiveCall call(this, "Reshape", loc, {operand});
  if (!call || !CheckArray("the operand", ShapeOf(operand))) return Invalid();
  bool in_order = dimensions.size() == static_cast<size_t>(ShapeOf(operand).rank());
  for (size_t i = 0; i < dimensions.size(); ++i) in_order &= dimensions[i] == static_cast<int64_t>(i);
  const XlaOp ordered = in_order ? operand : Transpose(operand, dimensions, loc);
  return ok() ? ReshapeTo(ordered, new_sizes) : Invalid();
}

XlaOp ComputationBuilder::Reshape(const Shape& shape, XlaOp operand, SourceLocation loc) {
  ActiveCall call(this, "Reshape", loc, {operand});
  if (!call) return Invalid();
  return Append(HloOpcode::kReshape, {operand}, nullptr, {}, shape);
}

XlaOp ComputationBuilder::Collapse(XlaOp operand, ArraySlice<int64_t> dimensions, SourceLocation loc) {
  ActiveCall call(this, "Collapse", loc, {operand});
  if (!call || !CheckArray("the operand", ShapeOf(operand))) return Invalid();
  const Shape& shape = ShapeOf(operand);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (!CheckDimension("each dimension to collapse", dimensions[i], shape)) return Invalid();
    if (i > 0 && dimensions[i] != dimensions[i - 1] + 1) {
      return FailInvalid(absl::StrCat("dimensions to collapse must be consecutive and ascending, got {",
                                      absl::StrJoin(dimensions, ","), "}; transpose the operand first"));
    }
  }
  if (dimensions.size() <= 1) return operand;
  DimensionVector sizes;
  for (int d = 0; d < shape.rank(); ++d) {
    if (d > dimensions.front() && d <= dimensions.back()) {
      if (!CheckedMul(sizes.back(), shape.dimension(d), &sizes.back())) {
        return FailInvalid("the product of the collapsed sizes does not fit in 63 bits");
      }
    } else {
      sizes.push_back(shape.dimension(d));
    }
  }
  return ReshapeTo(operand, sizes);
}

// ---- Order of dimensions and elements

XlaOp ComputationBuilder::Transpose(XlaOp operand, ArraySlice<int64_t> permutation, SourceLocation loc) {
  ActiveCall call(this, "Transpose", loc, {operand});
  if (!call) return Invalid();
  auto attributes = std::make_unique<DimensionsAttributes>();
  attributes->dimensions = ToVector(permutation);
  return Append(HloOpcode::kTranspose, {operand}, std::move(attributes));
}

XlaOp ComputationBuilder::Rev(XlaOp operand, ArraySlice<int64_t> dimensions, SourceLocation loc) {
  ActiveCall call(this, "Rev", loc, {operand});
  if (!call) return Invalid();
  auto attributes = std::make_unique<DimensionsAttributes>();
  attributes->dimensions = ToVector(dimensions);
  return Append(HloOpcode::kReverse, {operand}, std::move(attributes));
}

XlaOp ComputationBuilder::Concatenate(ArraySlice<XlaOp> operands, int64_t dimension, SourceLocation loc) {
  ActiveCall call(this, "Concatenate", loc, operands);
  if (!call) return Invalid();
  auto attributes = std::make_unique<DimensionAttributes>();
  attributes->dimension = dimension;
  return Append(HloOpcode::kConcatenate, operands, std::move(attributes));
}

XlaOp ComputationBuilder::ConcatInDim(ArraySlice<XlaOp> operands, int64_t dimension, SourceLocation loc) {
  ActiveCall call(this, "ConcatInDim", loc, operands);
  if (!call) return Invalid();
  return Concatenate(operands, dimension, loc);
}

XlaOp ComputationBuilder::Pad(XlaOp operand, XlaOp padding_value, const PaddingConfig& padding_config,
                              SourceLocation loc) {
  ActiveCall call(this, "Pad", loc, {operand, padding_value});
  if (!call) return Invalid();
  const Shape& shape = ShapeOf(operand);
  // Nothing can be added to a scalar, and HLO text has no spelling for that.
  if (shape.IsScalar() && padding_config.empty() && ShapeOf(padding_value).Compatible(shape)) return operand;
  auto attributes = std::make_unique<PadAttributes>();
  attributes->padding = padding_config;
  return Append(HloOpcode::kPad, {operand, padding_value}, std::move(attributes));
}

XlaOp ComputationBuilder::PadInDim(XlaOp operand, XlaOp padding_value, int64_t dimension, int64_t low, int64_t high,
                                   SourceLocation loc) {
  ActiveCall call(this, "PadInDim", loc, {operand, padding_value});
  const Shape& shape = ShapeOf(operand);
  if (!call || !CheckArray("the operand", shape) || !CheckDimension("the dimension to pad", dimension, shape)) {
    return Invalid();
  }
  PaddingConfig padding(shape.rank());
  padding[dimension] = {low, high, 0};
  return Pad(operand, padding_value, padding, loc);
}

// ---- Slices

XlaOp ComputationBuilder::Slice(XlaOp operand, ArraySlice<int64_t> start_indices, ArraySlice<int64_t> limit_indices,
                                ArraySlice<int64_t> strides, SourceLocation loc) {
  ActiveCall call(this, "Slice", loc, {operand});
  const Shape& shape = ShapeOf(operand);
  if (!call || !CheckArray("the operand", shape)) return Invalid();
  const size_t rank = static_cast<size_t>(shape.rank());
  if (!CheckCount("start_indices", start_indices.size(), "dimension of the operand", rank) ||
      !CheckCount("limit_indices", limit_indices.size(), "dimension of the operand", rank) ||
      (!strides.empty() && !CheckCount("strides", strides.size(), "dimension of the operand", rank))) {
    return Invalid();
  }
  auto attributes = std::make_unique<SliceAttributes>();
  for (size_t d = 0; d < rank; ++d) {
    attributes->ranges.push_back({start_indices[d], limit_indices[d], strides.empty() ? 1 : strides[d]});
  }
  return Append(HloOpcode::kSlice, {operand}, std::move(attributes));
}

XlaOp ComputationBuilder::SliceInDim(XlaOp operand, int64_t start_index, int64_t limit_index, int64_t stride,
                                     int64_t dimension, SourceLocation loc) {
  ActiveCall call(this, "SliceInDim", loc, {operand});
  const Shape& shape = ShapeOf(operand);
  if (!call || !CheckArray("the operand", shape) || !CheckDimension("the dimension to slice", dimension, shape)) {
    return Invalid();
  }
  DimensionVector starts(shape.rank(), 0);
  DimensionVector limits = ToVector(shape.dimensions());
  DimensionVector strides(shape.rank(), 1);
  starts[dimension] = start_index;
  limits[dimension] = limit_index;
  strides[dimension] = stride;
  return Slice(operand, starts, limits, strides, loc);
}

// Start indices as scalars, from a vector with one entry for each dimension, as older versions of XLA take them.
absl::InlinedVector<XlaOp, 4> ComputationBuilder::UnpackStartIndices(XlaOp start_indices, const Shape& shape) {
  const Shape& indices = ShapeOf(start_indices);
  if (indices.IsScalar() && shape.rank() == 1) return {start_indices};
  if (!IsInt(indices.element_type()) || indices.rank() != 1 || indices.dimension(0) != shape.rank()) {
    FailInvalid(absl::StrCat("start_indices must be a vector of integers with one entry for each of the ", shape.rank(),
                             " dimensions of ", shape.ToString(), ", got ", indices.ToString()));
    return {};
  }
  absl::InlinedVector<XlaOp, 4> scalars;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const XlaOp element = Slice(start_indices, {d}, {d + 1});
    scalars.push_back(
        Append(HloOpcode::kReshape, {element}, nullptr, {}, Shape::Scalar(ShapeOf(start_indices).element_type())));
  }
  return scalars;
}

XlaOp ComputationBuilder::DynamicSlice(XlaOp operand, XlaOp start_indices, ArraySlice<int64_t> size_indices,
                                       SourceLocation loc) {
  ActiveCall call(this, "DynamicSlice", loc, {operand, start_indices});
  if (!call || !CheckArray("the operand", ShapeOf(operand))) return Invalid();
  const Shape shape = ShapeOf(operand);
  const auto scalars = UnpackStartIndices(start_indices, shape);
  return ok() ? DynamicSlice(operand, scalars, size_indices, loc) : Invalid();
}

XlaOp ComputationBuilder::DynamicSlice(XlaOp operand, ArraySlice<XlaOp> start_indices, ArraySlice<int64_t> size_indices,
                                       SourceLocation loc) {
  std::vector<XlaOp> operands = {operand};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  ActiveCall call(this, "DynamicSlice", loc, operands);
  if (!call) return Invalid();
  auto attributes = std::make_unique<DynamicSliceAttributes>();
  attributes->slice_sizes = ToVector(size_indices);
  return Append(HloOpcode::kDynamicSlice, operands, std::move(attributes));
}

XlaOp ComputationBuilder::DynamicUpdateSlice(XlaOp operand, XlaOp update, XlaOp start_indices, SourceLocation loc) {
  ActiveCall call(this, "DynamicUpdateSlice", loc, {operand, update, start_indices});
  if (!call || !CheckArray("the operand", ShapeOf(operand))) return Invalid();
  const Shape shape = ShapeOf(operand);
  const auto scalars = UnpackStartIndices(start_indices, shape);
  return ok() ? DynamicUpdateSlice(operand, update, scalars, loc) : Invalid();
}

XlaOp ComputationBuilder::DynamicUpdateSlice(XlaOp operand, XlaOp update, ArraySlice<XlaOp> start_indices,
                                             SourceLocation loc) {
  std::vector<XlaOp> operands = {operand, update};
  operands.insert(operands.end(), start_indices.begin(), start_indices.end());
  ActiveCall call(this, "DynamicUpdateSlice", loc, operands);
  if (!call) return Invalid();
  return Append(HloOpcode::kDynamicUpdateSlice, operands);
}

// ---- Gather and scatter

XlaOp ComputationBuilder::Gather(XlaOp operand, XlaOp start_indices, const GatherDimensionNumbers& dimension_numbers,
                                 ArraySlice<int64_t> slice_sizes, bool indices_are_sorted, SourceLocation loc) {
  ActiveCall call(this, "Gather", loc, {operand, start_indices});
  if (!call) return Invalid();
  auto attributes = std::make_unique<GatherAttributes>();
  attributes->offset_dims = dimension_numbers.offset_dims;
  attributes->collapsed_slice_dims = dimension_numbers.collapsed_slice_dims;
  attributes->start_index_map = dimension_numbers.start_index_map;
  attributes->index_vector_dim = dimension_numbers.index_vector_dim;
  attributes->operand_batching_dims = dimension_numbers.operand_batching_dims;
  attributes->start_indices_batching_dims = dimension_numbers.start_indices_batching_dims;
  attributes->slice_sizes = ToVector(slice_sizes);
  attributes->indices_are_sorted = indices_are_sorted;
  return Append(HloOpcode::kGather, {operand, start_indices}, std::move(attributes));
}

XlaOp ComputationBuilder::Scatter(XlaOp operand, XlaOp scatter_indices, XlaOp updates,
                                  const XlaComputation& computation, const ScatterDimensionNumbers& dimension_numbers,
                                  const ScatterOptions& options, SourceLocation loc) {
  return Scatter(absl::MakeConstSpan(&operand, 1), scatter_indices, absl::MakeConstSpan(&updates, 1), computation,
                 dimension_numbers, options, loc);
}

XlaOp ComputationBuilder::Scatter(ArraySlice<XlaOp> operands, XlaOp scatter_indices, ArraySlice<XlaOp> updates,
                                  const XlaComputation& computation, const ScatterDimensionNumbers& dimension_numbers,
                                  const ScatterOptions& options, SourceLocation loc) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.push_back(scatter_indices);
  all.insert(all.end(), updates.begin(), updates.end());
  ActiveCall call(this, "Scatter", loc, all);
  if (!call || !CheckCount("updates", updates.size(), "operand", operands.size())) return Invalid();
  auto attributes = std::make_unique<ScatterAttributes>();
  attributes->update_window_dims = dimension_numbers.update_window_dims;
  attributes->inserted_window_dims = dimension_numbers.inserted_window_dims;
  attributes->scatter_dims_to_operand_dims = dimension_numbers.scatter_dims_to_operand_dims;
  attributes->index_vector_dim = dimension_numbers.index_vector_dim;
  attributes->input_batching_dims = dimension_numbers.input_batching_dims;
  attributes->scatter_indices_batching_dims = dimension_numbers.scatter_indices_batching_dims;
  attributes->indices_are_sorted = options.indices_are_sorted;
  attributes->unique_indices = options.unique_indices;
  return Append(HloOpcode::kScatter, all, std::move(attributes), {computation});
}

// ---- Dynamic dimensions

XlaOp ComputationBuilder::GetDimensionSize(XlaOp operand, int64_t dimension, SourceLocation loc) {
  ActiveCall call(this, "GetDimensionSize", loc, {operand});
  if (!call) return Invalid();
  auto attributes = std::make_unique<DimensionAttributes>();
  attributes->dimension = dimension;
  return Append(HloOpcode::kGetDimensionSize, {operand}, std::move(attributes));
}

XlaOp ComputationBuilder::SetDimensionSize(XlaOp operand, XlaOp size, int64_t dimension, SourceLocation loc) {
  ActiveCall call(this, "SetDimensionSize", loc, {operand, size});
  if (!call) return Invalid();
  auto attributes = std::make_unique<DimensionAttributes>();
  attributes->dimension = dimension;
  return Append(HloOpcode::kSetDimensionSize, {operand, size}, std::move(attributes));
}

XlaOp ComputationBuilder::DynamicReshape(XlaOp operand, ArraySlice<XlaOp> dim_sizes,
                                         ArraySlice<int64_t> new_size_bounds, const std::vector<bool>& dims_are_dynamic,
                                         SourceLocation loc) {
  std::vector<XlaOp> operands = {operand};
  operands.insert(operands.end(), dim_sizes.begin(), dim_sizes.end());
  ActiveCall call(this, "DynamicReshape", loc, operands);
  if (!call || !CheckArray("the operand", ShapeOf(operand)) ||
      !CheckCount("dim_sizes", dim_sizes.size(), "new dimension", new_size_bounds.size()) ||
      !CheckCount("dims_are_dynamic", dims_are_dynamic.size(), "new dimension", new_size_bounds.size())) {
    return Invalid();
  }
  Shape shape = Shape::Array(ShapeOf(operand).element_type(), new_size_bounds);
  for (size_t d = 0; d < dims_are_dynamic.size(); ++d) {
    if (dims_are_dynamic[d]) shape.set_dynamic_dimension(static_cast<int>(d), true);
  }
  return Append(HloOpcode::kDynamicReshape, operands, nullptr, {}, shape);
}

}  // namespace xla
