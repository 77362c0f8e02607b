#include "tests/random_nnef2/literal_tensors.h"

#include <vector>

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

}  // namespace nnef2
}  // namespace xla
