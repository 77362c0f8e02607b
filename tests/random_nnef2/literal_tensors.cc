#include "tests/random_nnef2/literal_tensors.h"

#include <cstring>
#include <utility>
#include <vector>

#include "builders/nnef2/diagnostics.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {

absl::StatusOr<DirectTensor> TensorOf(const Literal& literal) {
  const PrimitiveType type = literal.shape().element_type();
  DirectTensor tensor;
  tensor.base = type == PRED ? BaseType::kBool : IsFloat(type) ? BaseType::kReal : BaseType::kInt;
  ASSIGN_OR_RETURN(const Literal numbers, LiteralUtil::Convert(literal, F64));
  const int rank = static_cast<int>(literal.shape().rank());
  for (int d = 0; d < rank; ++d) tensor.extents.push_back(literal.dynamic_size(d));
  const int64_t count = VolumeOf(tensor.extents);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, offset = 0, stride = 1;
    for (int d = rank - 1; d >= 0; --d) {
      offset += rest % tensor.extents[static_cast<size_t>(d)] * stride;
      rest /= tensor.extents[static_cast<size_t>(d)];
      stride *= literal.shape().dimension(d);
    }
    tensor.elements.push_back(numbers.data<double>()[offset]);
  }
  return tensor;
}

absl::StatusOr<Literal> LiteralOf(const DirectTensor& tensor) {
  const Literal numbers = Literal::FromValues<double>(tensor.extents, tensor.elements);
  return LiteralUtil::Convert(numbers, tensor.base == BaseType::kReal  ? F32
                                       : tensor.base == BaseType::kInt ? S32
                                                                       : PRED);
}

absl::StatusOr<Literal> ArgumentOf(const DirectTensor& tensor, const xla::Shape& shape) {
  ASSIGN_OR_RETURN(Literal literal, LiteralOf(tensor));
  if (!shape.IsDynamic()) return std::move(literal);
  ASSIGN_OR_RETURN(Literal argument, Literal::Zeros(shape));
  const size_t rank = tensor.extents.size();
  const size_t width = static_cast<size_t>(ByteWidth(shape.element_type()));
  std::vector<int64_t> index(rank, 0);
  for (int64_t i = 0; i < literal.element_count(); ++i) {
    int64_t rest = i, place = 0, stride = 1;
    for (size_t d = rank; d > 0; --d) {
      if (tensor.extents[d - 1] > shape.dimensions()[d - 1]) {
        return ClassifiedError(ErrorClass::kRuntimeBound, "an extent is above its bound");
      }
      place += rest % tensor.extents[d - 1] * stride;
      rest /= tensor.extents[d - 1];
      stride *= shape.dimensions()[d - 1];
    }
    std::memcpy(static_cast<char*>(argument.untyped_mutable_data()) + place * width,
                static_cast<const char*>(literal.untyped_data()) + i * width, width);
  }
  for (size_t d = 0; d < rank; ++d) {
    if (shape.is_dynamic_dimension(static_cast<int>(d))) {
      argument.SetDynamicSize(static_cast<int>(d), tensor.extents[d]);
    }
  }
  return std::move(argument);
}

}  // namespace nnef2
}  // namespace xla
