#include "builders/computation_builder/lib/comparators.h"

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/finish.h"

namespace xla {
namespace {

absl::Status Check(ArraySlice<PrimitiveType> types, ArraySlice<absl::optional<ComparisonDirection>> directions) {
  if (types.size() != directions.size()) {
    return absl::InvalidArgumentError(absl::StrCat("a comparator needs one direction for each operand: expected ",
                                                   types.size(), ", got ", directions.size()));
  }
  bool any = false;
  for (const auto& direction : directions) {
    if (!direction.has_value()) continue;
    if (*direction != ComparisonDirection::kLt && *direction != ComparisonDirection::kGt) {
      return absl::InvalidArgumentError("the direction of a comparator must be kLt or kGt");
    }
    any = true;
  }
  return any ? absl::OkStatus() : absl::InvalidArgumentError("a comparator needs an operand that it compares");
}

}  // namespace

// A comparator of several operands in lexicographic order, each ascending or descending in total order. Operands
// without a direction are not compared.
XlaComputation CreateScalarComparisonComputation(const std::string& name, ArraySlice<PrimitiveType> operand_types,
                                                 ArraySlice<absl::optional<ComparisonDirection>> directions) {
  const absl::Status status = Check(operand_types, directions);
  if (!status.ok()) return XlaComputation::FromError(status);
  ComputationBuilder b(name);
  std::vector<XlaOp> parameters;
  for (size_t i = 0; i < 2 * operand_types.size(); ++i) {
    parameters.push_back(b.Parameter(static_cast<int64_t>(i), Shape::Scalar(operand_types[i / 2])));
  }
  // From the last operand to the first: what comes after counts only where this one is equal.
  XlaOp result;
  for (size_t i = operand_types.size(); i-- > 0;) {
    if (!directions[i].has_value()) continue;
    const XlaOp x = parameters[2 * i], y = parameters[2 * i + 1];
    const XlaOp before = *directions[i] == ComparisonDirection::kLt ? b.LtTotalOrder(x, y) : b.GtTotalOrder(x, y);
    result = result.valid() ? b.Select(b.EqTotalOrder(x, y), result, before) : before;
  }
  return Finish(b, result);
}

}  // namespace xla
