#include "builders/computation_builder/lib/slicing.h"

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/lib_call.h"

namespace xla {
namespace {

// That `count` indices fit the dimensions of x. Sets how many dimensions precede theirs.
bool CheckMinorCount(LibCall& call, absl::string_view what, size_t count, XlaOp x, int64_t* major) {
  if (!call.CheckRank("x", x, 0)) return false;
  const Shape shape = call.shape(x);
  *major = shape.rank() - static_cast<int64_t>(count);
  if (*major >= 0) return true;
  call.Fail(absl::StrCat(what, " must have at most one entry for each dimension of ", shape.ToString(), ", got ", count,
                         " entries"));
  return false;
}

bool CheckCount(LibCall& call, absl::string_view what, size_t count, absl::string_view of_what, size_t expected) {
  if (count == expected) return true;
  call.Fail(absl::StrCat(what, " must have as many entries as ", of_what, ", ", expected, ", got ", count));
  return false;
}

// Zeros in front of `starts`, so that there is one for each dimension.
std::vector<XlaOp> WithMajorStarts(LibCall& call, ArraySlice<XlaOp> starts, int64_t major) {
  const PrimitiveType type = starts.empty() ? S32 : call.type(starts[0]);
  std::vector<XlaOp> all;
  for (int64_t d = 0; d < major; ++d) all.push_back(call.Integer(IsInt(type) ? type : S32, 0));
  all.insert(all.end(), starts.begin(), starts.end());
  return all;
}

// An update at known places, which must lie inside: the operation itself would move it there without a word.
XlaOp UpdateConstantPlace(LibCall& call, XlaOp x, XlaOp update, ArraySlice<int64_t> start, int64_t major) {
  const Shape shape = call.shape(x);
  const Shape update_shape = call.shape(update);
  if (shape.rank() != update_shape.rank()) {
    return call.Fail(
        absl::StrCat("update must have the rank of x, ", shape.ToString(), ", got ", update_shape.ToString()));
  }
  std::vector<XlaOp> starts;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const int64_t from = d < major ? 0 : start[d - major];
    // The operation would move it inside, silently.
    if (from < 0 || from > shape.dimension(d) - update_shape.dimension(d)) {
      return call.Fail(absl::StrCat("update must lie within x: in dimension ", d, " it has size ",
                                    update_shape.dimension(d), " and starts at ", from, ", but x has size ",
                                    shape.dimension(d)));
    }
    starts.push_back(call.Integer(S64, from));
  }
  return call->DynamicUpdateSlice(x, update, starts);
}

std::vector<XlaOp> OperandsAnd(XlaOp x, XlaOp update, ArraySlice<XlaOp> starts) {
  std::vector<XlaOp> operands = {x};
  if (update.builder() != nullptr) operands.push_back(update);
  operands.insert(operands.end(), starts.begin(), starts.end());
  return operands;
}

}  // namespace

XlaOp SliceInMinorDims(XlaOp x, ArraySlice<int64_t> start, ArraySlice<int64_t> end, SourceLocation loc) {
  LibCall call("SliceInMinorDims", {x}, loc);
  int64_t major;
  if (!CheckMinorCount(call, "start", start.size(), x, &major)) return XlaOp();
  if (!CheckCount(call, "end", end.size(), "start", start.size())) return XlaOp();
  const Shape shape = call.shape(x);
  std::vector<int64_t> starts(major, 0);
  std::vector<int64_t> limits(shape.dimensions().begin(), shape.dimensions().begin() + major);
  starts.insert(starts.end(), start.begin(), start.end());
  limits.insert(limits.end(), end.begin(), end.end());
  return call->Slice(x, starts, limits);
}

XlaOp DynamicSliceInMinorDims(XlaOp x, ArraySlice<XlaOp> starts, ArraySlice<int64_t> sizes, SourceLocation loc) {
  LibCall call("DynamicSliceInMinorDims", OperandsAnd(x, XlaOp(), starts), loc);
  int64_t major;
  if (!CheckMinorCount(call, "starts", starts.size(), x, &major)) return XlaOp();
  if (!CheckCount(call, "sizes", sizes.size(), "starts", starts.size())) return XlaOp();
  const Shape shape = call.shape(x);
  std::vector<int64_t> all_sizes(shape.dimensions().begin(), shape.dimensions().begin() + major);
  all_sizes.insert(all_sizes.end(), sizes.begin(), sizes.end());
  return call->DynamicSlice(x, WithMajorStarts(call, starts, major), all_sizes);
}

XlaOp UpdateSliceInMinorDims(XlaOp x, XlaOp update, ArraySlice<int64_t> start, SourceLocation loc) {
  LibCall call("UpdateSliceInMinorDims", {x, update}, loc);
  int64_t major;
  if (!CheckMinorCount(call, "start", start.size(), x, &major)) return XlaOp();
  return UpdateConstantPlace(call, x, update, start, major);
}

XlaOp DynamicUpdateSliceInMinorDims(XlaOp x, XlaOp update, ArraySlice<XlaOp> starts, SourceLocation loc) {
  LibCall call("DynamicUpdateSliceInMinorDims", OperandsAnd(x, update, starts), loc);
  int64_t major;
  if (!CheckMinorCount(call, "starts", starts.size(), x, &major)) return XlaOp();
  return call->DynamicUpdateSlice(x, update, WithMajorStarts(call, starts, major));
}

XlaOp UpdateSlice(XlaOp x, XlaOp update, ArraySlice<int64_t> start, SourceLocation loc) {
  LibCall call("UpdateSlice", {x, update}, loc);
  if (!call.CheckRank("x", x, 0)) return XlaOp();
  if (!CheckCount(call, "start", start.size(), "x has dimensions", call.shape(x).rank())) return XlaOp();
  return UpdateConstantPlace(call, x, update, start, 0);
}

}  // namespace xla
