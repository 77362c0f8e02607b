// CHLO: operations above those of StableHLO.
#include "builders/stablehlo/lowering/ops/chlo.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/constant_literals.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/chlo_functions.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/words.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status LowerFunctionNamed(OperationCall& call, absl::string_view name) {
  const ChloFunction& function = *FindChloFunction(name);
  for (int i = 0; i < call.operand_count(); ++i) RETURN_IF_ERROR(CheckElementType(call, i, function.classes));
  RETURN_IF_ERROR(CheckSameShapes(call, ""));
  return call.Return(WriteChloFunction(function, call.builder(), call.operands()), "");
}

absl::Status LowerChloFunction(OperationCall& call) { return LowerFunctionNamed(call, call.operation().name); }

// mhlo.erf is what chlo.erf is.
absl::Status LowerMhloFunction(OperationCall& call) {
  const absl::string_view name = call.operation().name;
  return LowerFunctionNamed(call, absl::StrCat("chlo.", name.substr(name.find('.') + 1)));
}

// ---- Selection

absl::Status LowerTopKOf(OperationCall& call, const AttributeReader& attributes) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kPredClass | kIntClass | kFloatClass));
  ASSIGN_OR_RETURN(const int64_t k, attributes.Int("k"));
  const Shape& operand = call.shape(0);
  if (operand.rank() == 0 || k < 0 || k > operand.dimension(operand.rank() - 1)) {
    return Broken(
        "", absl::StrCat("k must be at least 0 and at most the last dimension of ", operand.ToString(), ", got ", k));
  }
  return call.ReturnBundle(call.builder().TopK(call.operand(0), k), "");
}

absl::Status LowerTopK(OperationCall& call) { return LowerTopKOf(call, call.attributes()); }

// ---- Constants

absl::Status LowerChloConstant(OperationCall& call) {
  const AttributeId value = call.attributes().FindId("value");
  if (!value.ok()) return absl::InvalidArgumentError("requires attribute 'value'");
  ASSIGN_OR_RETURN(const ConstantValue constant, ConstantValueOf(call.scope().program(), value));
  const XlaOp literal = call.builder().ConstantLiteral(*constant.literal);
  return call.Return(constant.literal->shape().Compatible(constant.shape)
                         ? literal
                         : call.builder().Broadcast(literal, constant.shape.dimensions()),
                     "");
}

// `value` in all elements of an array with the operand's dimensions.
absl::Status LowerConstantLike(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kAnyClass));
  const PrimitiveType type = call.result_shape().element_type();
  const Attribute* const value = call.attributes().Find("value");
  if (value == nullptr || !IsArrayType(type)) return absl::InvalidArgumentError("requires attribute 'value'");
  absl::StatusOr<Literal> number;
  if (value->kind == AttributeKind::kFloat) {
    number = LiteralUtil::Number(type, value->real);
  } else if (value->kind == AttributeKind::kInteger || value->kind == AttributeKind::kBool) {
    number = LiteralUtil::Number(type, value->integer);
  } else {
    return absl::InvalidArgumentError("the attribute 'value' must be a number");
  }
  return call.Return(BroadcastLike(call.builder().ConstantLiteral(number), call.operand(0)), "");
}

// ---- Products and loops

absl::Status LowerRaggedDot(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kAnyClass));
  RETURN_IF_ERROR(CheckElementType(call, 1, kAnyClass));
  RETURN_IF_ERROR(CheckElementType(call, 2, kIntClass));
  ASSIGN_OR_RETURN(const AttributeReader fields, call.attributes().Struct("ragged_dot_dimension_numbers"));
  RaggedDotDimensionNumbers dims;
  ASSIGN_OR_RETURN(dims.dot.lhs_batch_dims, fields.IntsOr("lhs_batching_dimensions", {}));
  ASSIGN_OR_RETURN(dims.dot.rhs_batch_dims, fields.IntsOr("rhs_batching_dimensions", {}));
  ASSIGN_OR_RETURN(dims.dot.lhs_contracting_dims, fields.IntsOr("lhs_contracting_dimensions", {}));
  ASSIGN_OR_RETURN(dims.dot.rhs_contracting_dims, fields.IntsOr("rhs_contracting_dimensions", {}));
  ASSIGN_OR_RETURN(dims.lhs_ragged_dims, fields.IntsOr("lhs_ragged_dimensions", {}));
  ASSIGN_OR_RETURN(dims.rhs_group_dims, fields.IntsOr("rhs_group_dimensions", {}));
  DotOptions options;
  ASSIGN_OR_RETURN(options.precision, PrecisionConfigOf(call, ""));
  options.preferred_element_type = call.result_shape().element_type();
  return call.Return(call.builder().RaggedDot(call.operand(0), call.operand(1), call.operand(2), dims, options), "");
}

// Inputs, then the first carries; the region takes an element of each input and the carries.
absl::Status LowerScan(OperationCall& call) {
  ASSIGN_OR_RETURN(const int64_t dimension, call.attributes().Int("dimension"));
  ASSIGN_OR_RETURN(const bool is_reverse, call.attributes().Flag("is_reverse"));
  ASSIGN_OR_RETURN(const DimensionVector segments, call.attributes().Ints("operandSegmentSizes"));
  const bool fits = segments.size() == 2 && segments[0] >= 0 && segments[1] >= 0 &&
                    segments[0] <= call.operand_count() && segments[1] == call.operand_count() - segments[0];
  if (!fits) return Broken("", "operandSegmentSizes must have the numbers of inputs and of initial values");
  const int inputs = static_cast<int>(segments[0]);
  std::vector<Shape> arguments;
  for (int i = 0; i < call.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckElementType(call, i, kAnyClass));
    Shape shape = call.shape(i).WithoutLayout();
    if (i < inputs) {
      if (dimension < 0 || dimension >= shape.rank()) {
        return Broken("", absl::StrCat("dimension must be one of ", shape.ToString(), ", got ", dimension));
      }
      shape.DeleteDimension(static_cast<int>(dimension));
    }
    arguments.push_back(std::move(shape));
  }
  ASSIGN_OR_RETURN(const XlaComputation body, call.FunctionOf(0, arguments, ""));
  return call.ReturnBundle(call.builder().Scan(call.operands().subspan(0, inputs), call.operands().subspan(inputs),
                                               body, dimension, is_reverse),
                           "");
}

}  // namespace

absl::StatusOr<bool> LowerKnownComposite(OperationCall& call, absl::string_view name, int64_t version,
                                         const AttributeReader& fields) {
  if (version != 1) return false;
  if (name == "chlo.top_k") {
    if (call.operand_count() != 1 || call.result_count() != 2 || fields.all().size() != 1 || !fields.Has("k")) {
      return false;
    }
    RETURN_IF_ERROR(LowerTopKOf(call, fields));
    return true;
  }
  const ChloFunction* const function = FindChloFunction(name);
  if (function == nullptr || function->operands != call.operand_count() || call.result_count() != 1 ||
      !fields.all().empty()) {
    return false;
  }
  RETURN_IF_ERROR(LowerFunctionNamed(call, name));
  return true;
}

std::vector<OperationRow> ChloOperations() {
  constexpr int kAny = OperationRow::kAny;
  std::vector<OperationRow> rows;
  for (const ChloFunction& function : ChloFunctions()) {
    rows.push_back(Row(function.name, function.operands, LowerChloFunction).WithClasses(function.classes));
  }
  const std::vector<OperationRow> others = {
      Row("chlo.top_k", 1, LowerTopK).WithResults(2),
      Row("chlo.constant", 0, LowerChloConstant),
      Row("chlo.constant_like", 1, LowerConstantLike),
      Row("chlo.ragged_dot", 3, LowerRaggedDot),
      Row("chlo.scan", kAny, LowerScan).WithResults(kAny).WithRegions(1),
  };
  rows.insert(rows.end(), others.begin(), others.end());
  for (const absl::string_view name :
       {"mhlo.acos", "mhlo.acosh", "mhlo.asin", "mhlo.asinh", "mhlo.atanh", "mhlo.cosh", "mhlo.erf", "mhlo.sinh"}) {
    rows.push_back(Row(name, 1, LowerMhloFunction));
  }
  return rows;
}

}  // namespace stablehlo
}  // namespace xla
