// Tensor files (.dat) of NNEF 2, whose format is that of NNEF 1 (nnef_common): extents may be 0, and what follows the
// data is an error. The document leaves the format open (1.2).
#ifndef BUILDERS_NNEF2_DATA_TENSOR_FILE_H_
#define BUILDERS_NNEF2_DATA_TENSOR_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef_common/containers/container.h"
#include "builders/nnef_common/containers/tensor_file.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef2 {

// A file as it is: floats of their width, integers of theirs (of 64 bits, if it is not a power of two), PRED.
struct StoredTensor {
  nnef::TensorHeader header;
  Literal value;
};

// A whole file. Errors: class data, also for quantised codes, which nothing in a model of NNEF 2 gives a meaning.
absl::StatusOr<StoredTensor> ParseStoredTensor(absl::string_view bytes, absl::string_view name);

// A member as the value of a variable that the document declares: of this kind (real: floats, int: integers, bool), in
// exactly these extents, as elements of `element_type`. Errors: class data, also for a missing file and for an integer
// that does not fit.
absl::StatusOr<Literal> ReadVariable(const nnef::Container& container, absl::string_view member, nnef::ItemKind kind,
                                     PrimitiveType element_type, const nnef::Extents& extents,
                                     Diagnostics* diagnostics);

// The bytes of a literal as a tensor file, as nnef::SerializeTensor has them; extents may be 0.
absl::StatusOr<std::string> SerializeTensor(const Literal& literal);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_DATA_TENSOR_FILE_H_
