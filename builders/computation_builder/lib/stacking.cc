// Split, Stack, Unstack, Tile and Repeat of slicing.h.
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/lib/slicing.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// Each part is an instruction of its own: millions of them would be too many, and a size that is wrong may say so.
constexpr int64_t kMaxParts = int64_t{1} << 20;

bool CheckPartCount(LibCall& call, int64_t parts) {
  if (parts <= kMaxParts) return true;
  call.Fail(absl::StrCat("there can be at most ", kMaxParts, " parts, got ", parts));
  return false;
}

std::vector<XlaOp> SplitAt(LibCall& call, XlaOp x, ArraySlice<int64_t> sizes, int64_t axis) {
  std::vector<XlaOp> parts;
  int64_t start = 0;
  for (const int64_t size : sizes) {
    parts.push_back(call->SliceInDim(x, start, start + size, 1, axis));
    start += size;
  }
  return call.ok() ? parts : std::vector<XlaOp>();
}

// Each dimension d becomes (d, n_d) or (n_d, d), by broadcasting, and the two are made one.
XlaOp RepeatDimensions(LibCall& call, XlaOp x, ArraySlice<int64_t> repetitions, bool whole_array) {
  const Shape shape = call.shape(x);
  DimensionVector pairs, kept, sizes;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (repetitions[d] < 0) {
      return call.Fail(absl::StrCat("repetitions must be at least 0, got ", repetitions[d]));
    }
    int64_t size;
    if (!CheckedMul(shape.dimension(d), repetitions[d], &size)) {
      return call.Fail(
          absl::StrCat("dimension ", d, " of ", shape.ToString(), " repeated ", repetitions[d], " times is too large"));
    }
    kept.push_back(2 * d + (whole_array ? 1 : 0));
    pairs.push_back(whole_array ? repetitions[d] : shape.dimension(d));
    pairs.push_back(whole_array ? shape.dimension(d) : repetitions[d]);
    sizes.push_back(size);
  }
  return call->Reshape(call->BroadcastInDim(x, pairs, kept), sizes);
}

}  // namespace

std::vector<XlaOp> Split(XlaOp x, int64_t parts, int64_t axis, SourceLocation loc) {
  LibCall call("Split", {x}, loc);
  if (!call.CheckDimension("axis", axis, x)) return {};
  const int64_t size = call.shape(x).dimension(axis);
  if (parts < 1 || size % parts != 0) {
    call.Fail(absl::StrCat("parts must divide dimension ", axis, " of ", call.shape(x).ToString(), ", got ", parts));
    return {};
  }
  if (!CheckPartCount(call, parts)) return {};
  return SplitAt(call, x, std::vector<int64_t>(parts, size / parts), axis);
}

std::vector<XlaOp> SplitBySizes(XlaOp x, ArraySlice<int64_t> sizes, int64_t axis, SourceLocation loc) {
  LibCall call("SplitBySizes", {x}, loc);
  if (!call.CheckDimension("axis", axis, x)) return {};
  int64_t rest = call.shape(x).dimension(axis);
  for (const int64_t size : sizes) {
    if (size < 0) {
      call.Fail(absl::StrCat("sizes must be at least 0, got ", size));
      return {};
    }
    rest = size > rest ? -1 : rest - size;
    if (rest < 0) break;
  }
  if (rest != 0) {
    call.Fail(absl::StrCat("sizes must add up to dimension ", axis, " of ", call.shape(x).ToString(),
                           ", they add up to ", rest < 0 ? "more" : "less"));
    return {};
  }
  return SplitAt(call, x, sizes, axis);
}

XlaOp Stack(ArraySlice<XlaOp> operands, int64_t axis, SourceLocation loc) {
  LibCall call("Stack", operands, loc);
  if (operands.empty() || !call.CheckRank("operand 0", operands[0], 0)) return XlaOp();
  const Shape shape = call.shape(operands[0]);
  if (axis < 0 || axis > shape.rank()) {
    return call.Fail(absl::StrCat("axis must be a dimension of the result, that is at least 0 and at most ",
                                  shape.rank(), ", got ", axis));
  }
  DimensionVector dimensions(shape.dimensions().begin(), shape.dimensions().end());
  dimensions.insert(dimensions.begin() + axis, 1);
  std::vector<XlaOp> rows;
  for (const XlaOp operand : operands) {
    if (!call.shape(operand).Compatible(shape)) {
      return call.Fail(absl::StrCat("operands must have one shape, got ", shape.ToString(), " and ",
                                    call.shape(operand).ToString()));
    }
    rows.push_back(call->Reshape(operand, dimensions));
  }
  return call->Concatenate(rows, axis);
}

std::vector<XlaOp> Unstack(XlaOp x, int64_t axis, SourceLocation loc) {
  LibCall call("Unstack", {x}, loc);
  if (!call.CheckDimension("axis", axis, x)) return {};
  Shape element = call.shape(x);
  if (!CheckPartCount(call, element.dimension(axis))) return {};
  const std::vector<int64_t> ones(element.dimension(axis), 1);
  element.DeleteDimension(axis);
  std::vector<XlaOp> elements;
  for (const XlaOp slice : SplitAt(call, x, ones, axis)) {
    elements.push_back(call->Reshape(slice, element.dimensions()));
  }
  return elements;
}

XlaOp Tile(XlaOp x, ArraySlice<int64_t> repetitions, SourceLocation loc) {
  LibCall call("Tile", {x}, loc);
  if (!call.CheckRank("x", x, 0)) return XlaOp();
  if (static_cast<int>(repetitions.size()) != call.shape(x).rank()) {
    return call.Fail(absl::StrCat("repetitions must have one entry for each dimension of ", call.shape(x).ToString(),
                                  ", got ", repetitions.size(), " entries"));
  }
  return RepeatDimensions(call, x, repetitions, /*whole_array=*/true);
}

XlaOp Repeat(XlaOp x, int64_t repetitions, int64_t axis, SourceLocation loc) {
  LibCall call("Repeat", {x}, loc);
  if (!call.CheckDimension("axis", axis, x)) return XlaOp();
  std::vector<int64_t> all(call.shape(x).rank(), 1);
  all[axis] = repetitions;
  return RepeatDimensions(call, x, all, /*whole_array=*/false);
}

}  // namespace xla
