#include "builders/stablehlo/lowering/operation_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/known_integers.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "builders/stablehlo/lowering/quantized_values.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {

absl::Status Broken(absl::string_view constraint, absl::string_view message) {
  return absl::InvalidArgumentError(constraint.empty() ? std::string(message)
                                                       : absl::StrCat(constraint, ": ", message));
}

const Module& OperationCall::module() const { return scope_.module(); }

ComputationBuilder& OperationCall::builder() const { return scope_.builder(); }

std::string OperationCall::Constraint(absl::string_view label) const {
  if (label.empty()) return "";
  return absl::StrCat(operation_.name.substr(operation_.name.find('.') + 1), "_", label);
}

TypeId OperationCall::operand_type(int i) const { return module().value(operation_.operands[i]).type; }

TypeId OperationCall::result_type(int i) const { return module().value(operation_.results[i]).type; }

absl::Status OperationCall::FindOperands() {
  for (const ValueId value : operation_.operands) {
    ASSIGN_OR_RETURN(const XlaOp op, scope_.ValueOf(value));
    operands_.push_back(op);
  }
  return absl::OkStatus();
}

absl::Status OperationCall::Prepare() {
  for (size_t i = 0; i < operands_.size(); ++i) {
    const TypeId type = operand_type(static_cast<int>(i));
    if (QuantizationOf(module(), type) != nullptr && !row_.works_on_storage) {
      ASSIGN_OR_RETURN(operands_[i], Dequantize(module(), builder(), operands_[i], type));
    }
    operand_shapes_.push_back(builder().ShapeOrInvalid(operands_[i]));
  }
  for (const ValueId value : operation_.results) {
    const TypeId type = module().value(value).type;
    // The values of a future are those of its operation.
    if (module().type(type).kind == TypeKind::kFuture) {
      result_shapes_.emplace_back();
      continue;
    }
    ASSIGN_OR_RETURN(Shape shape, scope_.program().shapes().Of(type));
    if (QuantizationOf(module(), type) != nullptr && !row_.works_on_storage) {
      ASSIGN_OR_RETURN(const PrimitiveType expressed, ExpressedType(module(), type));
      shape.set_element_type(expressed);
    }
    result_shapes_.push_back(std::move(shape));
  }
  return builder().first_error();
}

absl::optional<DimensionVector> OperationCall::KnownIntegers(int i) const {
  return stablehlo::KnownIntegers(scope_, operation_.operands[i]);
}

absl::StatusOr<Shape> OperationCall::StaticResultShape(int i) const {
  const Shape& shape = result_shape(i);
  if (!shape.IsUnboundedDynamic()) return shape;
  return absl::UnimplementedError(absl::StrCat("the result is declared as ", shape.ToString(),
                                               ", and nothing says what its sizes are; ",
                                               "export the program for arguments of known sizes"));
}

// ---- Results

bool Allows(const Shape& declared, const Shape& found) {
  if (declared.element_type() != found.element_type() || declared.rank() != found.rank()) return false;
  if (declared.tuple_size() != found.tuple_size()) return false;
  for (int i = 0; i < declared.rank(); ++i) {
    if (declared.dimension(i) != Shape::kUnboundedSize && declared.dimension(i) != found.dimension(i)) return false;
  }
  for (int i = 0; i < declared.tuple_size(); ++i) {
    if (!Allows(declared.tuple_shape(i), found.tuple_shape(i))) return false;
  }
  return true;
}

absl::Status OperationCall::CheckResult(int i, const Shape& found, const ResultConstraints& constraints) const {
  if (module().type(result_type(i)).kind == TypeKind::kFuture || Allows(result_shape(i), found))
    return absl::OkStatus();
  Shape retyped = result_shape(i);
  if (retyped.IsArray() && found.IsArray()) retyped.set_element_type(found.element_type());
  return Broken(
      Allows(retyped, found) ? constraints.type : constraints.sizes,
      absl::StrCat("result ", i, " is declared as ", result_shape(i).ToString(), ", expected ", found.ToString()));
}

absl::Status OperationCall::ReturnAll(absl::Span<const XlaOp> results, const ResultConstraints& constraints) {
  RETURN_IF_ERROR(builder().first_error());
  if (static_cast<int>(results.size()) != result_count()) {
    return Broken(constraints.count, absl::StrCat("expected ", results.size(), " results, got ", result_count()));
  }
  for (int i = 0; i < result_count(); ++i) {
    RETURN_IF_ERROR(CheckResult(i, builder().ShapeOrInvalid(results[i]), constraints));
    const TypeId type = result_type(i);
    XlaOp value = results[i];
    if (QuantizationOf(module(), type) != nullptr && !row_.works_on_storage) {
      ASSIGN_OR_RETURN(value, Quantize(module(), builder(), value, type));
    }
    scope_.SetValue(operation_.results[i], value);
  }
  return builder().first_error();
}

absl::Status OperationCall::ReturnBundle(XlaOp bundle, const ResultConstraints& constraints) {
  RETURN_IF_ERROR(builder().first_error());
  const Shape shape = builder().ShapeOrInvalid(bundle);
  if (result_count() == 1) return Return(bundle, constraints);
  if (!shape.IsTuple() || shape.tuple_size() != result_count()) {
    return Broken(constraints.count, absl::StrCat("expected ", shape.IsTuple() ? shape.tuple_size() : 1,
                                                  " results, got ", result_count()));
  }
  set_bundle(bundle);
  return ReturnAll(Unbundle(builder(), bundle, result_count()), constraints);
}

// ---- Regions

const Region& OperationCall::region(int i) const { return module().region(operation_.regions[i]); }

absl::StatusOr<const Block*> OperationCall::BlockOf(int i) const {
  if (region(i).blocks.size() == 1) return &module().block(region(i).blocks[0]);
  return absl::InvalidArgumentError(absl::StrCat("region ", i, " must have one block, got ", region(i).blocks.size()));
}

absl::StatusOr<XlaComputation> OperationCall::FunctionOf(int i, absl::Span<const Shape> arguments,
                                                         absl::string_view constraint) {
  ASSIGN_OR_RETURN(const Block* const block, BlockOf(i));
  bool agrees = block->arguments.size() == arguments.size();
  std::vector<std::string> declared;
  for (size_t k = 0; k < block->arguments.size(); ++k) {
    ASSIGN_OR_RETURN(const Shape shape, scope_.program().shapes().Of(module().value(block->arguments[k]).type));
    agrees = agrees && Allows(shape, arguments[k]);
    declared.push_back(shape.ToString());
  }
  if (!agrees) {
    std::vector<std::string> expected;
    for (const Shape& shape : arguments) expected.push_back(shape.ToString());
    return Broken(constraint, absl::StrCat("region ", i, " must take (", absl::StrJoin(expected, ", "), "), got (",
                                           absl::StrJoin(declared, ", "), ")"));
  }
  RegionForm form;
  form.name = absl::StrCat(operation_.name.substr(operation_.name.find('.') + 1), "_",
                           operation_.regions.size() == 1 ? "body"
                           : i == 0                       ? "select"
                                                          : "scatter");
  form.arguments.assign(arguments.begin(), arguments.end());
  return scope_.LowerRegion(*block, form);
}

absl::StatusOr<XlaComputation> OperationCall::FunctionOf(int i, absl::Span<const Shape> arguments,
                                                         absl::Span<const Shape> results,
                                                         absl::string_view constraint) {
  ASSIGN_OR_RETURN(XlaComputation function, FunctionOf(i, arguments, constraint));
  ASSIGN_OR_RETURN(const ProgramShape signature, function.GetProgramShape());
  const Shape expected = results.size() == 1 ? results[0] : Shape::Tuple({results.begin(), results.end()});
  if (signature.result.Compatible(expected)) return function;
  return Broken(constraint, absl::StrCat("region ", i, " must return ", expected.ToString(), ", got ",
                                         signature.result.ToString()));
}

absl::Status CheckDimensions(absl::string_view what, absl::Span<const int64_t> dimensions, int64_t rank,
                             absl::string_view range_constraint, absl::string_view unique_constraint) {
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (const int64_t dimension : dimensions) {
    if (dimension < 0 || dimension >= rank) {
      return Broken(range_constraint,
                    absl::StrCat(what, " must be at least 0 and less than the rank ", rank, ", got ", dimension));
    }
    if (seen[dimension]) {
      return Broken(unique_constraint, absl::StrCat(what, " must name each dimension once, got ", dimension, " twice"));
    }
    seen[dimension] = true;
  }
  return absl::OkStatus();
}

}  // namespace stablehlo
}  // namespace xla
