#include "xla_core/ops/lapack_call.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/checked_math.h"

namespace xla {

// Come before any routine: @syslibs//:blas, @syslibs//:lapack.
absl::Status LoadBlas();
absl::Status LoadLapack();

namespace {

absl::Status Invalid(std::string message) { return absl::InvalidArgumentError(std::move(message)); }

// Elements between neighbours in each dimension. Of an array without elements they may be any numbers.
DimensionVector StridesOf(const Shape& array, ArrayOrder order) {
  DimensionVector strides(array.rank(), 0);
  uint64_t stride = 1;
  const auto add = [&](int d) {
    strides[d] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(array.dimension(d));
  };
  if (order == ArrayOrder::kAsWritten && array.layout() != nullptr) {
    for (const int64_t d : array.layout()->minor_to_major) add(static_cast<int>(d));
  } else {
    for (int d = array.rank() - 1; d >= 0; --d) add(d);
  }
  return strides;
}

}  // namespace

PrimitiveType ElementTypeOfOperand(const HloInstruction& call, int i) {
  const bool is_array = call.operand_count() > i && call.operand(i)->shape().IsArray();
  return is_array ? call.operand(i)->shape().element_type() : PRIMITIVE_TYPE_INVALID;
}

Shape LapackSizes::Result(PrimitiveType type, std::initializer_list<int64_t> dims) const {
  DimensionVector all = batch_dims;
  all.insert(all.end(), dims.begin(), dims.end());
  return Shape::Array(type, all);
}

// A vector has one column, a scalar one row and one column.
MatrixBatch::MatrixBatch(const Shape& array, int batch_rank, ArrayOrder order) {
  const DimensionVector strides = StridesOf(array, order);
  for (int d = 0; d < batch_rank; ++d) {
    batch_sizes.push_back(array.dimension(d));
    batch_strides.push_back(strides[d]);
  }
  if (array.rank() > batch_rank) {
    rows = array.dimension(batch_rank);
    row_stride = strides[batch_rank];
  }
  if (array.rank() > batch_rank + 1) {
    columns = array.dimension(batch_rank + 1);
    column_stride = strides[batch_rank + 1];
  }
}

int64_t MatrixBatch::Offset(int64_t b) const {
  int64_t offset = 0;
  for (size_t d = batch_sizes.size(); d-- > 0;) {
    offset += b % batch_sizes[d] * batch_strides[d];
    b /= batch_sizes[d];
  }
  return offset;
}

bool MatrixBatch::IsInColumns() const {
  return (rows <= 1 || row_stride == 1) && (columns <= 1 || column_stride == std::max<int64_t>(1, rows));
}

bool MatrixBatch::LiesLike(const MatrixBatch& o) const {
  return batch_sizes == o.batch_sizes && batch_strides == o.batch_strides && rows == o.rows && columns == o.columns &&
         row_stride == o.row_stride && column_stride == o.column_stride;
}

absl::Status LapackCall::Begin(const HloInstruction& call, ArrayOrder order) {
  call_ = &call;
  order_ = order;
  RETURN_IF_ERROR(LoadBlas());
  RETURN_IF_ERROR(LoadLapack());
  if (!absl::StartsWith(call.attributes<CustomCallAttributes>().custom_call_target, "lapack_")) return absl::OkStatus();
  ASSIGN_OR_RETURN(attributes_, FfiAttributes::Parse(call.annotations().backend_config));
  return absl::OkStatus();
}

// Also refuses what LAPACK's 32-bit integers cannot count, before anything calls it.
absl::Status LapackCall::TakeOperands(int count, PrimitiveType type, int matrix) {
  if (call_->operand_count() != count) {
    return Invalid(absl::StrCat("expected ", count, " operands, got ", call_->operand_count()));
  }
  for (int i = 0; i < count; ++i) {
    if (operand_shape(i).IsArray()) continue;
    return Invalid(absl::StrCat("operand ", i, " must be an array, got ", operand_shape(i).ToString()));
  }
  const Shape& shape = operand_shape(matrix);
  const int rank = shape.rank();
  if (shape.element_type() != type || rank < 2) {
    return Invalid(absl::StrCat("operand ", matrix, " must hold matrices of ", PrimitiveTypeName(type), ", got ",
                                shape.ToString()));
  }
  constexpr int64_t kMaxElements = std::numeric_limits<int>::max();
  const int64_t m = shape.dimension(rank - 2), n = shape.dimension(rank - 1);
  if (m > kMaxElements || n > kMaxElements || m * n > kMaxElements) {
    return Invalid(absl::StrCat("LAPACK counts elements in 32 bits, too few for ", shape.ToString()));
  }
  sizes_.m = static_cast<int>(m);
  sizes_.n = static_cast<int>(n);
  sizes_.batch_dims.assign(shape.dimensions().begin(), shape.dimensions().end() - 2);
  const bool is_empty = std::find(sizes_.batch_dims.begin(), sizes_.batch_dims.end(), 0) != sizes_.batch_dims.end();
  part_count_ = is_empty ? 0 : 1;
  for (const int64_t size : sizes_.batch_dims) {
    if (!CheckedMul(part_count_, size, &part_count_)) {
      return Invalid(absl::StrCat("64 bits are too few to count the matrices of ", shape.ToString()));
    }
  }
  operands_.resize(count);
  operands_[matrix] = Place(shape, rank - 2);
  return absl::OkStatus();
}

absl::Status LapackCall::CheckSquare() const {
  if (sizes_.m == sizes_.n) return absl::OkStatus();
  return Invalid(absl::StrCat("operand 0 must hold square matrices, got ", operand_shape(0).ToString()));
}

absl::Status LapackCall::CheckShape(int i, const Shape& shape) const {
  if (operand_shape(i).Compatible(shape)) return absl::OkStatus();
  return Invalid(absl::StrCat("operand ", i, " must be ", shape.ToString(), ", got ", operand_shape(i).ToString()));
}

absl::Status LapackCall::CheckOperand(int i, const Shape& shape) {
  RETURN_IF_ERROR(CheckShape(i, shape));
  operands_[i] = Place(operand_shape(i), static_cast<int>(sizes_.batch_dims.size()));
  return absl::OkStatus();
}

absl::Status LapackCall::CheckSharedOperand(int i, const Shape& shape) {
  RETURN_IF_ERROR(CheckShape(i, shape));
  operands_[i] = Place(operand_shape(i), 0);
  return absl::OkStatus();
}

bool LapackCall::HasResults(const std::vector<Shape>& shapes) const {
  return (shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes)).Compatible(call_->shape());
}

absl::Status LapackCall::SetResults(const std::vector<Shape>& shapes) {
  if (!HasResults(shapes)) {
    const Shape expected = shapes.size() == 1 ? shapes[0] : Shape::Tuple(shapes);
    return Invalid(absl::StrCat("the result must be ", expected.ToString(), ", got ", call_->shape().ToString()));
  }
  for (size_t j = 0; j < shapes.size(); ++j) {
    const Shape& shape = shapes.size() == 1 ? call_->shape() : call_->shape().tuple_shape(static_cast<int>(j));
    results_.push_back(Place(shape, static_cast<int>(sizes_.batch_dims.size())));
  }
  return absl::OkStatus();
}

absl::Status LapackCall::CheckWorkspace(double words) const {
  if (words <= std::numeric_limits<int>::max()) return absl::OkStatus();
  return Invalid(absl::StrCat("LAPACK counts its workspaces in 32 bits, too few for ", operand_shape(0).ToString()));
}

absl::Status LapackCall::CheckBlockWorkspace() const {
  // LAPACK's blocks have 64 rows or columns at most, and a few routines want two of them and a square.
  constexpr double kRowsOfBlocks = 128, kSquares = 8192;
  return CheckWorkspace(kRowsOfBlocks * (static_cast<double>(sizes_.m) + sizes_.n) + kSquares);
}

void LapackCall::CopyOperand(int i) {
  Array& operand = operands_[i];
  if (operand.slot < 0) operand.slot = ReserveBytes(operand.matrices.element_count() * operand.width);
}

void LapackCall::InPlace(int i, int j) {
  if (operands_[i].matrices.LiesLike(results_[j].matrices)) in_place_.emplace_back(i, j);
}

int64_t LapackCall::ReserveBytes(int64_t bytes) {
  constexpr int64_t kAlignment = 64;
  const int64_t offset = scratch_bytes_;
  scratch_bytes_ += CeilDiv(std::max<int64_t>(1, bytes), kAlignment) * kAlignment;
  return offset;
}

LapackCall::Array LapackCall::Place(const Shape& shape, int batch_rank) {
  Array array;
  array.matrices = MatrixBatch(shape, batch_rank, order_);
  // Half floats are computed as f32.
  const int width = ByteWidth(shape.element_type());
  const bool is_converted = width < static_cast<int>(sizeof(float));
  array.width = is_converted ? static_cast<int>(sizeof(float)) : width;
  if (is_converted || !array.matrices.IsInColumns()) {
    array.slot = ReserveBytes(array.matrices.element_count() * array.width);
  }
  return array;
}

}  // namespace xla
