// Operations that keep items and change where they are: reshape, squeeze, unsqueeze, transpose, split, concat, stack,
// unstack, slice, pad, tile, gather, cast.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/reductions.h"
#include "builders/computation_builder/lib/slicing.h"
#include "builders/computation_builder/lib/take.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/axes.h"
#include "builders/nnef1/operations/borders.h"
#include "builders/nnef1/operations/indices.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// ---- reshape, squeeze, unsqueeze

// The product of extents, which saturates: it is compared with others only.
absl::StatusOr<int64_t> Product(absl::Span<const int64_t> extents, absl::string_view name) {
  int64_t product = 1;
  for (const int64_t extent : extents) {
    if (!CheckedMul(product, extent, &product)) {
      return WrongArgument(name, "extents whose product is less than 2^63", ShapeText(extents));
    }
  }
  return product;
}

// The extents that `items` mean in place of the axes of `input` from `start` on, `count` of them.
absl::StatusOr<Extents> SubstituteExtents(const Extents& input, int64_t start, int64_t count, Extents items) {
  const absl::Span<const int64_t> replaced = absl::MakeConstSpan(input).subspan(start, count);
  int64_t rest = -1;  // the place of the item -1
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i] == -1) {
      if (rest >= 0) return WrongArgument("shape", "-1 at most once", absl::StrCat("it at items ", rest, " and ", i));
      rest = static_cast<int64_t>(i);
    } else if (items[i] == 0) {
      const int64_t axis = start + static_cast<int64_t>(i);
      if (axis >= static_cast<int64_t>(input.size())) {
        return WrongArgument("shape",
                             absl::StrCat("an extent or -1 at item ", i, ", because the input ", ShapeText(input),
                                          " has no axis ", axis),
                             "0, which takes the extent of that axis");
      }
      items[i] = input[axis];
    } else if (items[i] < -1) {
      return WrongArgument("shape", "extents, 0 or -1", absl::StrCat(items[i], " at item ", i));
    }
  }
  if (rest >= 0) items[rest] = 1;
  ASSIGN_OR_RETURN(const int64_t volume, Product(replaced, "input"));
  ASSIGN_OR_RETURN(const int64_t known, Product(items, "shape"));
  if (rest >= 0) {
    if (known == 0 || volume % known != 0) {
      return WrongArgument("shape",
                           absl::StrCat("the extents beside -1 to divide the ", volume, " items of ",
                                        ShapeText(replaced), ", so that -1 stands for a whole number"),
                           absl::StrCat("a product of ", known));
    }
    items[rest] = volume / known;
  } else if (known != volume) {
    return WrongArgument("shape", absl::StrCat("as many items as ", ShapeText(replaced), " has, ", volume),
                         absl::StrCat(ShapeText(items), ", which has ", known));
  }
  return items;
}

// Substitutes the given shape for some axes of the input. 0 keeps an extent and -1 takes what is left.
Inferred InferReshape(const OperationCall& call) {
  const Extents& input = call.extents("input");
  const int64_t rank = call.rank("input"), start = call.integer("axis_start");
  int64_t count = call.integer("axis_count");
  if (start < 0 || start > rank) {
    return WrongArgument("axis_start", absl::StrCat("0 to ", rank, ", the rank of the input"), absl::StrCat(start));
  }
  if (count < -1 || count > rank - start) {
    return WrongArgument("axis_count",
                         absl::StrCat("0 to ", rank - start, ", because the input ", ShapeText(input), " has ",
                                      rank - start, " axes from axis_start on, or -1 for all of them"),
                         absl::StrCat(count));
  }
  if (count == -1) count = rank - start;
  ASSIGN_OR_RETURN(const Extents middle, SubstituteExtents(input, start, count, call.integers("shape")));
  Extents result(input.begin(), input.begin() + start);
  result.insert(result.end(), middle.begin(), middle.end());
  result.insert(result.end(), input.begin() + start + count, input.end());
  return std::vector<Extents>{result};
}

Inferred InferSqueeze(const OperationCall& call) {
  const Extents& input = call.extents("input");
  const std::vector<int64_t> axes = call.integers("axes");
  RETURN_IF_ERROR(CheckAxes(axes, call.rank("input"), "the input"));
  for (const int64_t axis : axes) {
    if (input[axis] != 1) {
      return WrongArgument("axes", "axes of extent 1", absl::StrCat("axis ", axis, " of ", ShapeText(input)));
    }
  }
  Extents result;
  for (const int64_t axis : OtherAxes(call.rank("input"), axes)) result.push_back(input[axis]);
  return std::vector<Extents>{result};
}

Inferred InferUnsqueeze(const OperationCall& call) {
  const Extents& input = call.extents("input");
  const std::vector<int64_t> axes = call.integers("axes");
  const int64_t rank = call.rank("input") + static_cast<int64_t>(axes.size());
  RETURN_IF_ERROR(CheckAxes(axes, rank, "the output"));
  Extents result(rank, 1);
  const std::vector<int64_t> kept = OtherAxes(rank, axes);
  for (size_t i = 0; i < kept.size(); ++i) result[kept[i]] = input[i];
  return std::vector<Extents>{result};
}

std::vector<XlaOp> LowerReshape(const LoweringCall& call) {
  return {call.builder().Reshape(call.operand("input"), call.result_extents())};
}

// ---- transpose

// The axes are a permutation of the leading dimensions; trailing ones stay.
Inferred InferTranspose(const OperationCall& call) {
  const Extents& input = call.extents("input");
  const std::vector<int64_t> axes = call.integers("axes");
  if (axes.size() > input.size()) {
    return WrongArgument("axes", absl::StrCat("at most ", input.size(), ", the rank of the input"),
                         absl::StrCat(axes.size()));
  }
  std::vector<bool> seen(axes.size());
  for (const int64_t axis : axes) {
    if (axis < 0 || axis >= static_cast<int64_t>(axes.size()) || seen[axis]) {
      return WrongArgument("axes",
                           absl::StrCat("a permutation of 0 to ", axes.size() - 1, ", because there are ", axes.size(),
                                        " axes"),
                           ShapeText(axes));
    }
    seen[axis] = true;
  }
  Extents result = input;
  for (size_t k = 0; k < axes.size(); ++k) result[k] = input[axes[k]];
  return std::vector<Extents>{result};
}

std::vector<XlaOp> LowerTranspose(const LoweringCall& call) {
  std::vector<int64_t> permutation(call.rank("input"));
  std::iota(permutation.begin(), permutation.end(), 0);
  const std::vector<int64_t> axes = call.integers("axes");
  std::copy(axes.begin(), axes.end(), permutation.begin());
  if (std::is_sorted(permutation.begin(), permutation.end())) return {call.operand("input")};
  return {call.builder().Transpose(call.operand("input"), permutation)};
}

// ---- split, concat, stack, unstack

// Ratios are parts of the whole: their sum must divide the extent.
Inferred InferSplit(const OperationCall& call) {
  const Extents& value = call.extents("value");
  const int64_t axis = call.integer("axis");
  RETURN_IF_ERROR(CheckAxis("axis", axis, call.rank("value"), "the value"));
  const std::vector<int64_t> ratios = call.integers("ratios");
  RETURN_IF_ERROR(CheckResultCount("ratios", static_cast<int64_t>(ratios.size()), value.size()));
  RETURN_IF_ERROR(CheckAtLeast("ratios", ratios, 1));
  int64_t sum = 0;
  for (const int64_t ratio : ratios) {
    if (!CheckedAdd(sum, ratio, &sum)) return WrongArgument("ratios", "a sum of less than 2^63", ShapeText(ratios));
  }
  if (value[axis] % sum != 0) {
    return WrongArgument("ratios", absl::StrCat("a sum that divides the extent of axis ", axis, ", ", value[axis]),
                         absl::StrCat(sum, "; ratios are parts of the whole"));
  }
  std::vector<Extents> parts(ratios.size(), value);
  for (size_t i = 0; i < ratios.size(); ++i) parts[i][axis] = value[axis] / sum * ratios[i];
  return parts;
}

std::vector<XlaOp> LowerSplit(const LoweringCall& call) {
  const int64_t axis = call.integer("axis");
  const std::vector<int64_t> ratios = call.integers("ratios");
  const int64_t unit = call.extents("value")[axis] / std::accumulate(ratios.begin(), ratios.end(), int64_t{0});
  std::vector<int64_t> sizes;
  for (const int64_t ratio : ratios) sizes.push_back(unit * ratio);
  return SplitBySizes(call.operand("value"), sizes, axis);
}

std::string ItemsThatDiffer(const Extents& first, const Extents& other, size_t i) {
  return absl::StrCat(ShapeText(first), " for item 0 and ", ShapeText(other), " for item ", i);
}

// Extents agree except at the axis, where they add up.
Inferred InferConcat(const OperationCall& call) {
  const std::vector<const Tensor*> values = call.tensors("values");
  if (values.empty()) return WrongArgument("values", "at least one tensor", "[]");
  Extents result = *values[0]->extents;
  const int64_t axis = call.integer("axis");
  RETURN_IF_ERROR(CheckAxis("axis", axis, static_cast<int64_t>(result.size()), "each value"));
  for (size_t i = 1; i < values.size(); ++i) {
    const Extents& extents = *values[i]->extents;
    bool fits = extents.size() == result.size();
    for (size_t d = 0; fits && d < extents.size(); ++d) {
      fits = static_cast<int64_t>(d) == axis || extents[d] == result[d];
    }
    if (!fits) {
      return WrongArgument("values", absl::StrCat("extents that differ at axis ", axis, " only"),
                           ItemsThatDiffer(*values[0]->extents, extents, i));
    }
    if (!CheckedAdd(result[axis], extents[axis], &result[axis])) {
      return WrongArgument("values", absl::StrCat("a sum of extents at axis ", axis, " of less than 2^63"), "more");
    }
  }
  return std::vector<Extents>{result};
}

std::vector<XlaOp> LowerConcat(const LoweringCall& call) {
  const std::vector<XlaOp> values = call.operands("values");
  if (values.size() == 1) return values;
  return {call.builder().Concatenate(values, call.integer("axis"))};
}

Inferred InferStack(const OperationCall& call) {
  const std::vector<const Tensor*> values = call.tensors("values");
  if (values.empty()) return WrongArgument("values", "at least one tensor", "[]");
  Extents result = *values[0]->extents;
  for (size_t i = 1; i < values.size(); ++i) {
    if (*values[i]->extents != result) {
      return WrongArgument("values", "tensors of equal extents", ItemsThatDiffer(result, *values[i]->extents, i));
    }
  }
  const int64_t axis = call.integer("axis");
  RETURN_IF_ERROR(CheckAxis("axis", axis, static_cast<int64_t>(result.size()) + 1, "the output"));
  result.insert(result.begin() + axis, static_cast<int64_t>(values.size()));
  return std::vector<Extents>{result};
}

std::vector<XlaOp> LowerStack(const LoweringCall& call) {
  return {Stack(call.operands("values"), call.integer("axis"))};
}

Inferred InferUnstack(const OperationCall& call) {
  Extents result = call.extents("value");
  const int64_t axis = call.integer("axis");
  RETURN_IF_ERROR(CheckAxis("axis", axis, call.rank("value"), "the value"));
  const int64_t count = result[axis];
  RETURN_IF_ERROR(CheckResultCount("value", count, result.size()));
  result.erase(result.begin() + axis);
  return std::vector<Extents>(count, result);
}

std::vector<XlaOp> LowerUnstack(const LoweringCall& call) {
  return Unstack(call.operand("value"), call.integer("axis"));
}

// ---- slice

// What is taken of one axis: items begin, begin + stride, ..., `count` of them.
struct AxisSlice {
  int64_t begin = 0, stride = 1, count = 0;
};

// begin or end within an axis: from the end if it is negative; what lies in front of the first item is -1 then.
int64_t Normalized(int64_t position, int64_t extent) {
  if (position < 0) position += extent;
  return std::min(std::max(position, int64_t{-1}), extent);
}

// One axis of a slice: negative bounds count from the end, and a negative stride goes backwards. The bounds must fit
// the direction.
absl::StatusOr<AxisSlice> SliceAxis(int64_t axis, int64_t extent, int64_t begin, int64_t end, int64_t stride) {
  if (stride == 0) return WrongArgument("stride", "strides other than 0", absl::StrCat("0 for axis ", axis));
  const std::string given = absl::StrCat("begin ", begin, ", end ", end, " and stride ", stride, " for axis ", axis,
                                         " of extent ", extent);
  const int64_t first = Normalized(begin, extent);
  // Deprecated, and only without a stride: 0 is the end of the axis.
  const int64_t last = end == 0 && stride == 1 ? extent : Normalized(end, extent);
  if (stride > 0 && !(0 <= first && first <= last)) {
    return WrongArgument("begin, end",
                         "a begin inside the axis and an end not before it, because the stride is positive", given);
  }
  if (stride < 0 && !(last <= first && first < extent)) {
    return WrongArgument("begin, end",
                         "a begin inside the axis and an end not after it, because the stride is negative", given);
  }
  const int64_t distance = stride > 0 ? last - first : first - last;
  // A step over everything is as good as a longer one, and does not overflow.
  const int64_t longest = std::max(extent, int64_t{1});
  const int64_t step = stride > 0 ? std::min(stride, longest) : -std::max(stride, -longest);
  return AxisSlice{first, stride > 0 ? step : -step, CeilDiv(distance, step)};
}

// One for each dimension of the input.
absl::StatusOr<std::vector<AxisSlice>> SlicesOf(const OperationCall& call) {
  const Extents& input = call.extents("input");
  const std::vector<int64_t> axes = call.integers("axes"), begin = call.integers("begin"), end = call.integers("end");
  std::vector<int64_t> stride = call.integers("stride");
  if (begin.size() != axes.size() || end.size() != axes.size() || (!stride.empty() && stride.size() != axes.size())) {
    return WrongArgument("axes, begin, end, stride", "equal lengths, or [] as stride",
                         absl::StrCat(axes.size(), ", ", begin.size(), ", ", end.size(), " and ", stride.size()));
  }
  RETURN_IF_ERROR(CheckAxes(axes, call.rank("input"), "the input"));
  if (stride.empty()) stride.assign(axes.size(), 1);
  std::vector<AxisSlice> slices(input.size());
  for (size_t d = 0; d < input.size(); ++d) slices[d].count = input[d];
  for (size_t i = 0; i < axes.size(); ++i) {
    ASSIGN_OR_RETURN(slices[axes[i]], SliceAxis(axes[i], input[axes[i]], begin[i], end[i], stride[i]));
  }
  return slices;
}

Inferred InferSlice(const OperationCall& call) {
  ASSIGN_OR_RETURN(const std::vector<AxisSlice> slices, SlicesOf(call));
  Extents result;
  for (const AxisSlice& slice : slices) result.push_back(slice.count);
  return std::vector<Extents>{result};
}

// A slice of HLO, after a reversal of the axes that are taken backwards.
std::vector<XlaOp> LowerSlice(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  XlaOp x = call.operand("input");
  const Extents& input = call.extents("input");
  const absl::StatusOr<std::vector<AxisSlice>> slices = SlicesOf(call);
  if (!slices.ok()) return {b.ReportError(slices.status())};
  std::vector<int64_t> reversed, starts, limits, strides;
  for (size_t d = 0; d < input.size(); ++d) {
    const AxisSlice& slice = (*slices)[d];
    const int64_t step = std::abs(slice.stride);
    if (slice.stride < 0) reversed.push_back(static_cast<int64_t>(d));
    // In a reversed axis, item i is item extent - 1 - i.
    starts.push_back(slice.stride < 0 ? input[d] - 1 - slice.begin : slice.begin);
    limits.push_back(slice.count == 0 ? starts[d] : starts[d] + (slice.count - 1) * step + 1);
    strides.push_back(step);
  }
  if (!reversed.empty()) x = b.Rev(x, reversed);
  if (call.result_extents() == input) return {x};
  return {b.Slice(x, starts, limits, strides)};
}

// ---- pad

// Padding may be negative, which crops, but must leave an item.
Inferred InferPad(const OperationCall& call) {
  Extents result = call.extents("input");
  const std::vector<Reach> padding = call.integer_pairs("padding");
  RETURN_IF_ERROR(CheckCount("padding", padding.size(), call.rank("input"), "dimension of the input"));
  ASSIGN_OR_RETURN(const Border border, BorderOf(call, /*allow_ignore=*/false));
  RETURN_IF_ERROR(CheckReach(border, result, padding));
  for (size_t d = 0; d < result.size(); ++d) {
    const int64_t extent = result[d];
    const auto given = [&] {
      return absl::StrCat(" for dimension ", d, " of extent ", extent, " with padding (", padding[d].first, ",",
                          padding[d].second, ")");
    };
    int64_t cropped;
    if (!CheckedAdd(extent, padding[d].first, &result[d]) || !CheckedAdd(result[d], padding[d].second, &result[d]) ||
        !CheckedSub(0, std::min(padding[d].first, padding[d].second), &cropped)) {
      return WrongArgument("padding", "an extent of less than 2^63", absl::StrCat("more", given()));
    }
    if (result[d] <= 0) return WrongArgument("padding", "an extent of at least 1", absl::StrCat(result[d], given()));
  }
  return std::vector<Extents>{result};
}

std::vector<XlaOp> LowerPad(const LoweringCall& call) {
  const absl::StatusOr<Border> border = BorderOf(call, /*allow_ignore=*/false);
  if (!border.ok()) return {call.builder().ReportError(border.status())};
  return {PadBorder(call.operand("input"), *border, call.integer_pairs("padding"), call.scalar("value"))};
}

// ---- tile

Inferred InferTile(const OperationCall& call) {
  Extents result = call.extents("input");
  const std::vector<int64_t> repeats = call.integers("repeats");
  RETURN_IF_ERROR(CheckCount("repeats", repeats.size(), call.rank("input"), "dimension of the input"));
  RETURN_IF_ERROR(CheckAtLeast("repeats", repeats, 1));
  for (size_t d = 0; d < result.size(); ++d) {
    if (!CheckedMul(result[d], repeats[d], &result[d])) {
      return WrongArgument("repeats", "extents of less than 2^63", absl::StrCat(repeats[d], " for dimension ", d));
    }
  }
  return std::vector<Extents>{result};
}

std::vector<XlaOp> LowerTile(const LoweringCall& call) {
  return {Tile(call.operand("input"), call.integers("repeats"))};
}

// ---- gather

std::string AxisOfInput(int64_t axis) { return absl::StrCat("axis ", axis, " of the input"); }

Inferred InferGather(const OperationCall& call) {
  const Extents& input = call.extents("input");
  const Extents& indices = call.extents("indices");
  const int64_t axis = call.integer("axis");
  RETURN_IF_ERROR(CheckAxis("axis", axis, call.rank("input"), "the input"));
  if (input[axis] == 0) return WrongArgument("input", absl::StrCat("items along axis ", axis), ShapeText(input));
  RETURN_IF_ERROR(CheckConstantIndices(call, "indices", input[axis], AxisOfInput(axis)));
  Extents result(input.begin(), input.begin() + axis);
  result.insert(result.end(), indices.begin(), indices.end());
  result.insert(result.end(), input.begin() + axis + 1, input.end());
  return std::vector<Extents>{result};
}

std::vector<XlaOp> LowerGather(const LoweringCall& call) {
  const int64_t axis = call.integer("axis");
  CheckIndicesInRun(call, "indices", call.extents("input")[axis], AxisOfInput(axis));
  return {Take(call.operand("input"), call.operand("indices"), axis)};
}

// ---- cast

Inferred InferCast(const OperationCall& call) {
  const Primitive from = call.tensor("input").primitive, to = call.node().generic;
  if (from == Primitive::kString || to == Primitive::kString) {
    return WrongArgument("input", "a cast between scalar, integer and logical",
                         absl::StrCat("one of ", PrimitiveName(from), " to ", PrimitiveName(to)));
  }
  return std::vector<Extents>{call.extents("input")};
}

// Fractions are dropped, towards zero.
std::vector<XlaOp> LowerCast(const LoweringCall& call) {
  const XlaOp x = call.operand("input");
  const Primitive from = call.tensor("input").primitive, to = call.node().generic;
  if (from == to) return {x};
  if (to == Primitive::kLogical) return {call.builder().Ne(x, ZerosLike(x))};
  return {call.builder().ConvertElementType(x, call.types().Of(to))};
}

}  // namespace

std::vector<OperationDefinition> ShapeOperations() {
  return {
      {"fragment reshape<?>( input: tensor<?>, shape: integer[], axis_start: integer = 0, axis_count: integer = -1 )"
       " -> ( output: tensor<?> );",
       "4.5.1", InferReshape, LowerReshape},
      {"fragment squeeze<?>( input: tensor<?>, axes: integer[] ) -> ( output: tensor<?> );", "4.5.1", InferSqueeze,
       LowerReshape},
      {"fragment unsqueeze<?>( input: tensor<?>, axes: integer[] ) -> ( output: tensor<?> );", "4.5.1", InferUnsqueeze,
       LowerReshape},
      {"fragment transpose<?>( input: tensor<?>, axes: integer[] ) -> ( output: tensor<?> );", "4.5.2", InferTranspose,
       LowerTranspose},
      {"fragment split<?>( value: tensor<?>, axis: integer, ratios: integer[] ) -> ( values: tensor<?>[] );", "4.5.3",
       InferSplit, LowerSplit},
      {"fragment concat<?>( values: tensor<?>[], axis: integer ) -> ( value: tensor<?> );", "4.5.3", InferConcat,
       LowerConcat},
      {"fragment stack<?>( values: tensor<?>[], axis: integer ) -> ( value: tensor<?> );", "4.5.3", InferStack,
       LowerStack},
      {"fragment unstack<?>( value: tensor<?>, axis: integer ) -> ( values: tensor<?>[] );", "4.5.3", InferUnstack,
       LowerUnstack},
      {"fragment slice<?>( input: tensor<?>, axes: integer[], begin: integer[], end: integer[], stride: integer[] = [] "
       ")"
       " -> ( output: tensor<?> );",
       "4.5.4", InferSlice, LowerSlice},
      {"fragment pad( input: tensor<scalar>, padding: (integer,integer)[], border: string = 'constant',"
       " value: scalar = 0.0 ) -> ( output: tensor<scalar> );",
       "4.5.5", InferPad, LowerPad},
      {"fragment tile<?>( input: tensor<?>, repeats: integer[] ) -> ( output: tensor<?> );", "4.5.6", InferTile,
       LowerTile},
      {"fragment gather<?>( input: tensor<?>, indices: tensor<integer>, axis: integer = 0 ) -> ( output: tensor<?> );",
       "4.5.7", InferGather, LowerGather},
      {"fragment cast<?>( input: tensor<> ) -> ( output: tensor<?> );", "4.5.8", InferCast, LowerCast},
  };
}

}  // namespace nnef1
}  // namespace xla
