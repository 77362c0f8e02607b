// DirectTensors and literals.
#ifndef TESTS_RANDOM_NNEF2_LITERAL_TENSORS_H_
#define TESTS_RANDOM_NNEF2_LITERAL_TENSORS_H_

#include "absl/status/statusor.h"
#include "tests/random_nnef2/direct_tensor.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef2 {

// Of a literal with dynamic sizes, the elements inside of them.
absl::StatusOr<DirectTensor> TensorOf(const Literal& literal);
// f32, s32 or pred.
absl::StatusOr<Literal> LiteralOf(const DirectTensor& tensor);
// As an argument of this shape, whose dynamic dimensions it may fill in part. Errors: class runtime-bound.
absl::StatusOr<Literal> ArgumentOf(const DirectTensor& tensor, const xla::Shape& shape);

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_LITERAL_TENSORS_H_
