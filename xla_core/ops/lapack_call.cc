#include "xla_core/ops/lapack_call.h"

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

absl::Status Invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

}  // namespace

Shape LapackSizes::Result(PrimitiveType type, std::initializer_list<int64_t> dims) const {
  DimensionVector all = batch_dims;
  all.insert(all.end(), dims.begin(), dims.end());
  return Shape::Array(type, all);
}

absl::StatusOr<LapackCall> LapackCall::Make(const CustomCall& call, int operands, PrimitiveType type) {
  if (call.operands.size() != operands) {
    return Invalid(absl::StrCat("expected ", operands, " operands, got ", call.operands.size()));
  }
  ASSIGN_OR_RETURN(FfiAttributes attributes, FfiAttributes::Parse(call.instruction.annotations().backend_config));
  LapackCall made(call, std::move(attributes));
  const Shape& shape = call.operands[0].shape();
  const int rank = shape.rank();
  if (shape.element_type() != type || rank < 2) {
    return Invalid(
        absl::StrCat("operand 0 must hold matrices of ", PrimitiveTypeName(type), ", got ", shape.ToString()));
  }
  constexpr int64_t kMaxElements = std::numeric_limits<int>::max();
  const int64_t m = shape.dimension(rank - 2), n = shape.dimension(rank - 1);
  if (m > kMaxElements || n > kMaxElements || m * n > kMaxElements) {
    return Invalid(absl::StrCat("LAPACK counts elements in 32 bits, too few for ", shape.ToString()));
  }
  made.sizes_.m = static_cast<int>(m);
  made.sizes_.n = static_cast<int>(n);
  made.sizes_.batch_dims.assign(shape.dimensions().begin(), shape.dimensions().end() - 2);
  for (const int64_t size : made.sizes_.batch_dims) {
    if (size == 0) made.sizes_.batch = 0;
  }
  for (const int64_t size : made.sizes_.batch_dims) made.sizes_.batch *= made.sizes_.batch == 0 ? 0 : size;
  // Copies of the results, and what the hungriest routines want: a few matrices like the operand and a few squares.
  const double elements = static_cast<double>(m) * n + static_cast<double>(made.sizes_.min()) * made.sizes_.min();
  const double bytes = 10 * elements * ByteWidth(type) + static_cast<double>(call.instruction.shape().ByteSize());
  ASSIGN_OR_RETURN(auto reservation, ScratchReservation::Make(bytes, 1, call.context));
  made.reservation_.emplace(std::move(reservation));
  return made;
}

absl::Status LapackCall::CheckSquare() const {
  if (sizes_.m == sizes_.n) return absl::OkStatus();
  return Invalid(absl::StrCat("operand 0 must hold square matrices, got ", operand(0).shape().ToString()));
}

absl::Status LapackCall::CheckOperand(int i, const Shape& shape) const {
  if (operand(i).shape().Compatible(shape)) return absl::OkStatus();
  return Invalid(absl::StrCat("operand ", i, " must be ", shape.ToString(), ", got ", operand(i).shape().ToString()));
}

absl::Status LapackCall::SetResults(std::vector<Shape> shapes) {
  const Shape expected = shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
  const Shape& written = call_.instruction.shape();
  if (!expected.Compatible(written)) {
    return Invalid(absl::StrCat("the result must be ", expected.ToString(), ", got ", written.ToString()));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Shape& shape = shapes.size() == 1 ? written : written.tuple_shape(static_cast<int>(i));
    ASSIGN_OR_RETURN(Literal result, call_.context.AllocateZeros(shape));
    results_.push_back(std::move(result));
  }
  return absl::OkStatus();
}

Literal LapackCall::Finish() {
  if (results_.size() == 1) return std::move(results_[0]);
  return Literal::Tuple(std::move(results_));
}

std::vector<BuiltinCustomCall> LapackCustomCalls() {
  std::vector<BuiltinCustomCall> calls;
  AddFactorizations(calls);
  AddSolvers(calls);
  AddDecompositions(calls);
  return calls;
}

}  // namespace xla
