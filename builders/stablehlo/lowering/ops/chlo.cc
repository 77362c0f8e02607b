// CHLO: operations above those of StableHLO.
#include "builders/stablehlo/lowering/ops/chlo.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/lib/math.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/constant_literals.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/broadcast_in_dim.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/ops/products.h"
#include "builders/stablehlo/lowering/ops/region_types.h"
#include "builders/stablehlo/lowering/ops/special_functions.h"
#include "builders/stablehlo/lowering/words.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

using Operands = absl::Span<const XlaOp>;

// A function of one or two numbers.
struct Function {
  absl::string_view name;
  int operands;
  uint8_t classes;
  // Narrow floats are computed in f32.
  bool in_f32;
  XlaOp (*write)(ComputationBuilder& b, Operands x);
};

template <HloOpcode kOpcode>
XlaOp WriteOp(ComputationBuilder& b, Operands x) {
  return b.AddOp(kOpcode, x);
}

constexpr uint8_t kReal = kFloatClass;
constexpr uint8_t kRealOrComplex = kFloatClass | kComplexClass;

const std::vector<Function>& Functions() {
  static const auto& functions = *new std::vector<Function>{
      {"chlo.acos", 1, kRealOrComplex, false, WriteOp<HloOpcode::kAcos>},
      {"chlo.acosh", 1, kRealOrComplex, false, WriteOp<HloOpcode::kAcosh>},
      {"chlo.asin", 1, kRealOrComplex, false, WriteOp<HloOpcode::kAsin>},
      {"chlo.asinh", 1, kRealOrComplex, false, WriteOp<HloOpcode::kAsinh>},
      {"chlo.atan", 1, kRealOrComplex, false, [](ComputationBuilder& b, Operands x) { return b.Atan(x[0]); }},
      {"chlo.atanh", 1, kRealOrComplex, false, WriteOp<HloOpcode::kAtanh>},
      {"chlo.cosh", 1, kRealOrComplex, false, WriteOp<HloOpcode::kCosh>},
      {"chlo.sinh", 1, kRealOrComplex, false, WriteOp<HloOpcode::kSinh>},
      {"chlo.tan", 1, kRealOrComplex, false, WriteOp<HloOpcode::kTan>},
      {"chlo.conj", 1, kRealOrComplex, false, [](ComputationBuilder& b, Operands x) { return b.Conj(x[0]); }},
      {"chlo.square", 1, kIntClass | kRealOrComplex, false,
       [](ComputationBuilder& b, Operands x) { return b.Mul(x[0], x[0]); }},
      {"chlo.mulhi", 2, kIntClass, false, WriteOp<HloOpcode::kMulhi>},
      {"chlo.erf", 1, kReal, false, WriteOp<HloOpcode::kErf>},
      {"chlo.erfc", 1, kReal, true, [](ComputationBuilder&, Operands x) { return Erfc(x[0]); }},
      {"chlo.erf_inv", 1, kReal, true, [](ComputationBuilder&, Operands x) { return ErfInv(x[0]); }},
      {"chlo.lgamma", 1, kReal, true, [](ComputationBuilder&, Operands x) { return Lgamma(x[0]); }},
      {"chlo.digamma", 1, kReal, true, [](ComputationBuilder&, Operands x) { return Digamma(x[0]); }},
      {"chlo.bessel_i1e", 1, kReal, true, [](ComputationBuilder& b, Operands x) { return BesselI1e(b, x[0]); }},
      {"chlo.zeta", 2, kReal, true, [](ComputationBuilder& b, Operands x) { return HurwitzZeta(b, x[0], x[1]); }},
      {"chlo.polygamma", 2, kReal, true, [](ComputationBuilder& b, Operands x) { return Polygamma(b, x[0], x[1]); }},
      {"chlo.next_after", 2, kReal, false, [](ComputationBuilder&, Operands x) { return NextAfter(x[0], x[1]); }},
      {"chlo.is_inf", 1, kReal, false, [](ComputationBuilder&, Operands x) { return IsInf(x[0]); }},
      {"chlo.is_pos_inf", 1, kReal, false, [](ComputationBuilder&, Operands x) { return IsPosInf(x[0]); }},
      {"chlo.is_neg_inf", 1, kReal, false, [](ComputationBuilder&, Operands x) { return IsNegInf(x[0]); }},
  };
  return functions;
}

const Function* FindFunction(absl::string_view name) {
  for (const Function& function : Functions()) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

// The function of operands of one shape and of its types.
XlaOp WriteFunction(const Function& function, ComputationBuilder& b, Operands operands) {
  const PrimitiveType type = b.ShapeOrInvalid(operands[0]).element_type();
  if (!function.in_f32 || !IsNarrowFloatType(type)) return function.write(b, operands);
  std::vector<XlaOp> wide;
  for (const XlaOp operand : operands) wide.push_back(b.ConvertElementType(operand, F32));
  return ConvertTo(b, function.write(b, wide), type);
}

absl::Status LowerFunctionNamed(OperationCall& call, absl::string_view name) {
  const Function& function = *FindFunction(name);
  for (int i = 0; i < call.operand_count(); ++i) RETURN_IF_ERROR(CheckElementType(call, i, function.classes));
  RETURN_IF_ERROR(CheckSameShapes(call, call.Constraint("c1")));
  return call.Return(WriteFunction(function, call.builder(), call.operands()), call.Constraint("c1"));
}

absl::Status LowerChloFunction(OperationCall& call) { return LowerFunctionNamed(call, call.operation().name); }

// ---- Selection

absl::Status LowerTopKOf(OperationCall& call, const AttributeReader& attributes) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kPredClass | kIntClass | kFloatClass));
  ASSIGN_OR_RETURN(const int64_t k, attributes.Int("k"));
  const Shape& operand = call.shape(0);
  if (operand.rank() == 0 || k < 0 || k > operand.dimension(operand.rank() - 1)) {
    return Broken("top_k_c1", absl::StrCat("k must be at least 0 and at most the last dimension of ",
                                           operand.ToString(), ", got ", k));
  }
  return call.ReturnBundle(call.builder().TopK(call.operand(0), k), "top_k_c2");
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
                     "constant_c1");
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
  return call.Return(BroadcastLike(call.builder().ConstantLiteral(number), call.operand(0)), "constant_like_c1");
}

// ---- Numpy's broadcasting

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
  RETURN_IF_ERROR(CheckSize("broadcast_dimensions", mapping.size(), shorter.rank(), call.Constraint("c1")));
  RETURN_IF_ERROR(CheckDimensions("broadcast_dimensions", mapping, rank, call.Constraint("c1"), call.Constraint("c1")));
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
      return Broken(call.Constraint("c2"), absl::StrCat("the operands ", lhs.ToString(), " and ", rhs.ToString(),
                                                        " cannot be broadcast: they have the sizes ", size, " and ",
                                                        other, " in one dimension"));
    }
  }
  const Shape target = Shape::Array(lhs.element_type(), sizes);
  return std::vector<XlaOp>{BroadcastInto(call.builder(), call.operand(first), target, lhs_map),
                            BroadcastInto(call.builder(), call.operand(first + 1), target, rhs_map)};
}

absl::Status LowerBroadcastBinary(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  RETURN_IF_ERROR(CheckSameElementType(call, 0, 1, call.Constraint("c3")));
  ASSIGN_OR_RETURN(const std::vector<XlaOp> operands, BroadcastTogether(call, 0));
  const absl::string_view name = call.operation().name;
  const Function* const function =
      FindFunction(absl::StrCat("chlo.", name.substr(absl::string_view("chlo.broadcast_").size())));
  return call.Return(function != nullptr ? WriteFunction(*function, call.builder(), operands)
                                         : call.builder().AddOp(call.row().opcode, operands),
                     call.Constraint("c4"));
}

absl::Status LowerBroadcastCompare(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  RETURN_IF_ERROR(CheckSameElementType(call, 0, 1, call.Constraint("c3")));
  ASSIGN_OR_RETURN(const std::string word, call.attributes().Word("comparison_direction"));
  ASSIGN_OR_RETURN(const ComparisonDirection direction, DirectionFromWord(word));
  ASSIGN_OR_RETURN(const std::string type, call.attributes().WordOr("compare_type", "NOTYPE"));
  ASSIGN_OR_RETURN(const std::vector<XlaOp> operands, BroadcastTogether(call, 0));
  const PrimitiveType element = call.shape(0).element_type();
  const ComparisonType comparison =
      type == "TOTALORDER" && IsFloat(element) ? ComparisonType::kTotalOrder : DefaultComparisonType(element);
  return call.Return(call.builder().Compare(operands[0], operands[1], direction, {}, comparison),
                     call.Constraint("c4"));
}

absl::Status LowerBroadcastSelect(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kPredClass));
  RETURN_IF_ERROR(CheckSameElementType(call, 1, 2, call.Constraint("c3")));
  ASSIGN_OR_RETURN(std::vector<XlaOp> operands, BroadcastTogether(call, 1));
  // pred joins the two that are broadcast, aligned right.
  ComputationBuilder& b = call.builder();
  const Shape values = b.ShapeOrInvalid(operands[0]);
  XlaOp pred = call.operand(0);
  if (call.shape(0).rank() > values.rank()) {
    return Broken(call.Constraint("c2"), "pred must not have more dimensions than the values");
  }
  if (!call.shape(0).IsScalar()) {
    DimensionVector map;
    for (int i = 0; i < call.shape(0).rank(); ++i) {
      map.push_back(values.rank() - call.shape(0).rank() + i);
      const int64_t size = values.dimension(static_cast<int>(map.back()));
      if (call.shape(0).dimension(i) != 1 && call.shape(0).dimension(i) != size) {
        return Broken(call.Constraint("c2"),
                      absl::StrCat("pred ", call.shape(0).ToString(), " cannot be broadcast to ", values.ToString()));
      }
    }
    pred = BroadcastInto(b, pred, Shape::Array(PRED, values.dimensions()), map);
  }
  return call.Return(b.Select(pred, operands[0], operands[1]), call.Constraint("c4"));
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
  ASSIGN_OR_RETURN(options.precision, PrecisionConfigOf(call.module(), call.attributes()));
  options.preferred_element_type = call.result_shape().element_type();
  return call.Return(call.builder().RaggedDot(call.operand(0), call.operand(1), call.operand(2), dims, options),
                     "ragged_dot_c1");
}

// Inputs, then the first carries; the region takes an element of each input and the carries.
absl::Status LowerScan(OperationCall& call) {
  ASSIGN_OR_RETURN(const int64_t dimension, call.attributes().Int("dimension"));
  ASSIGN_OR_RETURN(const bool is_reverse, call.attributes().Flag("is_reverse"));
  ASSIGN_OR_RETURN(const DimensionVector segments, call.attributes().Ints("operandSegmentSizes"));
  const bool fits = segments.size() == 2 && segments[0] >= 0 && segments[1] >= 0 &&
                    segments[0] <= call.operand_count() && segments[1] == call.operand_count() - segments[0];
  if (!fits) return Broken("scan_c1", "operandSegmentSizes must have the numbers of inputs and of initial values");
  const int inputs = static_cast<int>(segments[0]);
  std::vector<Shape> arguments;
  for (int i = 0; i < call.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckElementType(call, i, kAnyClass));
    Shape shape = call.shape(i).WithoutLayout();
    if (i < inputs) {
      if (dimension < 0 || dimension >= shape.rank()) {
        return Broken("scan_c2", absl::StrCat("dimension must be one of ", shape.ToString(), ", got ", dimension));
      }
      shape.DeleteDimension(static_cast<int>(dimension));
    }
    arguments.push_back(std::move(shape));
  }
  ASSIGN_OR_RETURN(const XlaComputation body, call.FunctionOf(0, arguments, "scan_c3"));
  return call.ReturnBundle(call.builder().Scan(call.operands().subspan(0, inputs), call.operands().subspan(inputs),
                                               body, dimension, is_reverse),
                           "scan_c4");
}

OperationRow BroadcastRow(absl::string_view name, HloOpcode opcode, uint8_t classes) {
  OperationRow row = Row(name, 2, LowerBroadcastBinary).WithClasses(classes);
  row.opcode = opcode;
  return row;
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
  const Function* const function = FindFunction(name);
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
  for (const Function& function : Functions()) {
    rows.push_back(Row(function.name, function.operands, LowerChloFunction).WithClasses(function.classes));
  }
  const std::vector<OperationRow> others = {
      Row("chlo.top_k", 1, LowerTopK).WithResults(2),
      Row("chlo.constant", 0, LowerChloConstant),
      Row("chlo.constant_like", 1, LowerConstantLike),
      Row("chlo.ragged_dot", 3, LowerRaggedDot),
      Row("chlo.scan", kAny, LowerScan).WithResults(kAny).WithRegions(1),
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
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace stablehlo
}  // namespace xla
