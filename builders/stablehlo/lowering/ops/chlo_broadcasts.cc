// Operations of CHLO that broadcast their operands first, by numpy's rules.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/broadcast_in_dim.h"
#include "builders/stablehlo/lowering/ops/chlo_functions.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/words.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// The dimensions of both operands together; the shorter one is aligned right or as broadcast_dimensions says.
absl::StatusOr<std::vector<XlaOp>> BroadcastTogether(OperationCall& call, int first) {
  const Shape& lhs = call.shape(first);
  const Shape& rhs = call.shape(first + 1);
  const int rank = std::max(lhs.rank(), rhs.rank());
  const bool lhs_is_shorter = lhs.rank() < rhs.rank();
  const Shape& shorter = lhs_is_shorter ? lhs : rhs;
  DimensionVector mapping;
  for (int i = 0; i < shorter.rank(); ++i) mapping.push_back(rank - shorter.rank() + i);
  ASSIGN_OR_RETURN(mapping, call.attributes().IntsOr("broadcast_dimensions", mapping));
  RETURN_IF_ERROR(CheckSize("broadcast_dimensions", mapping.size(), shorter.rank(), ""));
  RETURN_IF_ERROR(CheckDimensions("broadcast_dimensions", mapping, rank, "", ""));
  DimensionVector all;
  for (int i = 0; i < rank; ++i) all.push_back(i);
  const DimensionVector& lhs_map = lhs_is_shorter ? mapping : all;
  const DimensionVector& rhs_map = lhs_is_shorter ? all : mapping;
  DimensionVector sizes(rank, 1);
  for (const auto& [shape, map] : {std::make_pair(&lhs, &lhs_map), std::make_pair(&rhs, &rhs_map)}) {
    for (int i = 0; i < shape->rank(); ++i) {
      int64_t& size = sizes[(*map)[i]];
      const int64_t other = shape->dimension(i);
      if (size == 1) size = other;
      if (size == other || other == 1) continue;
      return Broken(
          "", absl::StrCat("the operands ", lhs.ToString(), " and ", rhs.ToString(),
                           " cannot be broadcast: they have the sizes ", size, " and ", other, " in one dimension"));
    }
  }
  const Shape target = Shape::Array(lhs.element_type(), sizes);
  return std::vector<XlaOp>{BroadcastInto(call.builder(), call.operand(first), target, lhs_map),
                            BroadcastInto(call.builder(), call.operand(first + 1), target, rhs_map)};
}

absl::Status LowerBroadcastBinary(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  RETURN_IF_ERROR(CheckSameElementType(call, 0, 1, ""));
  ASSIGN_OR_RETURN(const std::vector<XlaOp> operands, BroadcastTogether(call, 0));
  const absl::string_view name = call.operation().name;
  const ChloFunction* const function =
      FindChloFunction(absl::StrCat("chlo.", name.substr(absl::string_view("chlo.broadcast_").size())));
  return call.Return(function != nullptr ? WriteChloFunction(*function, call.builder(), operands)
                                         : call.builder().AddOp(call.row().opcode, operands),
                     "");
}

absl::Status LowerBroadcastCompare(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  RETURN_IF_ERROR(CheckSameElementType(call, 0, 1, ""));
  ASSIGN_OR_RETURN(const std::string word, call.attributes().Word("comparison_direction"));
  ASSIGN_OR_RETURN(const ComparisonDirection direction, DirectionFromWord(word));
  ASSIGN_OR_RETURN(const std::string type, call.attributes().WordOr("compare_type", "NOTYPE"));
  ASSIGN_OR_RETURN(const std::vector<XlaOp> operands, BroadcastTogether(call, 0));
  const PrimitiveType element = call.shape(0).element_type();
  const ComparisonType comparison =
      type == "TOTALORDER" && IsFloat(element) ? ComparisonType::kTotalOrder : DefaultComparisonType(element);
  return call.Return(call.builder().Compare(operands[0], operands[1], direction, {}, comparison), "");
}

absl::Status LowerBroadcastSelect(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kPredClass));
  RETURN_IF_ERROR(CheckSameElementType(call, 1, 2, ""));
  ASSIGN_OR_RETURN(std::vector<XlaOp> operands, BroadcastTogether(call, 1));
  // pred joins the two that are broadcast, aligned right.
  ComputationBuilder& b = call.builder();
  const Shape values = b.ShapeOrInvalid(operands[0]);
  XlaOp pred = call.operand(0);
  if (call.shape(0).rank() > values.rank()) {
    return Broken("", "pred must not have more dimensions than the values");
  }
  if (!call.shape(0).IsScalar()) {
    DimensionVector map;
    for (int i = 0; i < call.shape(0).rank(); ++i) {
      map.push_back(values.rank() - call.shape(0).rank() + i);
      const int64_t size = values.dimension(static_cast<int>(map.back()));
      if (call.shape(0).dimension(i) != 1 && call.shape(0).dimension(i) != size) {
        return Broken("",
                      absl::StrCat("pred ", call.shape(0).ToString(), " cannot be broadcast to ", values.ToString()));
      }
    }
    pred = BroadcastInto(b, pred, Shape::Array(PRED, values.dimensions()), map);
  }
  return call.Return(b.Select(pred, operands[0], operands[1]), "");
}

OperationRow BroadcastRow(absl::string_view name, HloOpcode opcode, uint8_t classes) {
  OperationRow row = Row(name, 2, LowerBroadcastBinary).WithClasses(classes);
  row.opcode = opcode;
  return row;
}

}  // namespace

std::vector<OperationRow> ChloBroadcastOperations() {
  constexpr uint8_t kReal = kFloatClass;
  constexpr uint8_t kRealOrComplex = kFloatClass | kComplexClass;
  return {
      BroadcastRow("chlo.broadcast_add", HloOpcode::kAdd, kAnyClass),
      BroadcastRow("chlo.broadcast_and", HloOpcode::kAnd, kPredClass | kIntClass),
      BroadcastRow("chlo.broadcast_atan2", HloOpcode::kAtan2, kRealOrComplex),
      BroadcastRow("chlo.broadcast_complex", HloOpcode::kComplex, kFloatClass),
      BroadcastRow("chlo.broadcast_divide", HloOpcode::kDivide, kIntClass | kRealOrComplex),
      BroadcastRow("chlo.broadcast_maximum", HloOpcode::kMaximum, kPredClass | kIntClass | kFloatClass),
      BroadcastRow("chlo.broadcast_minimum", HloOpcode::kMinimum, kPredClass | kIntClass | kFloatClass),
      BroadcastRow("chlo.broadcast_multiply", HloOpcode::kMultiply, kAnyClass),
      BroadcastRow("chlo.broadcast_next_after", HloOpcode::kParameter, kReal),
      BroadcastRow("chlo.broadcast_or", HloOpcode::kOr, kPredClass | kIntClass),
      BroadcastRow("chlo.broadcast_polygamma", HloOpcode::kParameter, kReal),
      BroadcastRow("chlo.broadcast_power", HloOpcode::kPower, kIntClass | kRealOrComplex),
      BroadcastRow("chlo.broadcast_remainder", HloOpcode::kRemainder, kIntClass | kFloatClass),
      BroadcastRow("chlo.broadcast_shift_left", HloOpcode::kShiftLeft, kIntClass),
      BroadcastRow("chlo.broadcast_shift_right_arithmetic", HloOpcode::kShiftRightArithmetic, kIntClass),
      BroadcastRow("chlo.broadcast_shift_right_logical", HloOpcode::kShiftRightLogical, kIntClass),
      BroadcastRow("chlo.broadcast_subtract", HloOpcode::kSubtract, kIntClass | kRealOrComplex),
      BroadcastRow("chlo.broadcast_xor", HloOpcode::kXor, kPredClass | kIntClass),
      BroadcastRow("chlo.broadcast_zeta", HloOpcode::kParameter, kReal),
      Row("chlo.broadcast_compare", 2, LowerBroadcastCompare),
      Row("chlo.broadcast_select", 3, LowerBroadcastSelect),
  };
}

}  // namespace stablehlo
}  // namespace xla
