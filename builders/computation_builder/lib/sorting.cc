#include "builders/computation_builder/lib/sorting.h"

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/lib_call.h"
#include "builders/computation_builder/scalar_computations.h"

namespace xla {
namespace {

// Makes -1 the last dimension.
bool ResolveAxis(LibCall& call, XlaOp keys, int64_t* axis) {
  if (!call.CheckReal("keys", keys) || !call.CheckRank("keys", keys, 1)) return false;
  if (*axis == -1) *axis = call.shape(keys).rank() - 1;
  return call.CheckDimension("axis", *axis, keys);
}

bool CheckIndexType(LibCall& call, PrimitiveType index_type) {
  if (IsInt(index_type)) return true;
  call.Fail(absl::StrCat("index_type must be an integer type, got ", PrimitiveTypeName(index_type)));
  return false;
}

XlaOp SortByFirst(LibCall& call, ArraySlice<XlaOp> operands, int64_t axis, bool descending) {
  std::vector<PrimitiveType> types;
  for (const XlaOp operand : operands) types.push_back(call.type(operand));
  const XlaComputation comparator = descending ? CreateScalarGtComputation(types) : CreateScalarLtComputation(types);
  return call->Sort(operands, comparator, axis, /*is_stable=*/true);
}

}  // namespace

XlaOp SortKeys(XlaOp keys, int64_t axis, bool descending, SourceLocation loc) {
  LibCall call("SortKeys", {keys}, loc);
  if (!ResolveAxis(call, keys, &axis)) return XlaOp();
  return SortByFirst(call, {keys}, axis, descending);
}

XlaOp ArgSort(XlaOp keys, int64_t axis, bool descending, PrimitiveType index_type, SourceLocation loc) {
  LibCall call("ArgSort", {keys}, loc);
  if (!ResolveAxis(call, keys, &axis) || !CheckIndexType(call, index_type)) return XlaOp();
  Shape indices = call.shape(keys);
  indices.set_element_type(index_type);
  return call->GetTupleElement(SortByFirst(call, {keys, call->Iota(indices, axis)}, axis, descending), 1);
}

std::vector<XlaOp> SortByKey(XlaOp keys, ArraySlice<XlaOp> values, int64_t axis, bool descending, SourceLocation loc) {
  std::vector<XlaOp> operands = {keys};
  operands.insert(operands.end(), values.begin(), values.end());
  LibCall call("SortByKey", operands, loc);
  if (!ResolveAxis(call, keys, &axis)) return {};
  const XlaOp sorted = SortByFirst(call, operands, axis, descending);
  if (!call.ok()) return {};
  if (values.empty()) return {sorted};
  std::vector<XlaOp> results;
  for (size_t i = 0; i < operands.size(); ++i) {
    results.push_back(call->GetTupleElement(sorted, static_cast<int64_t>(i)));
  }
  return results;
}

XlaOp TopK(XlaOp input, int64_t k, PrimitiveType index_type, SourceLocation loc) {
  LibCall call("TopK", {input}, loc);
  if (!call.CheckReal("input", input) || !CheckIndexType(call, index_type)) return XlaOp();
  const XlaOp found = call->TopK(input, k);
  if (index_type == S32) return found;
  return call->Tuple(
      {call->GetTupleElement(found, 0), call->ConvertElementType(call->GetTupleElement(found, 1), index_type)});
}

}  // namespace xla
