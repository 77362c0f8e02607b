// Tensor files (.dat) of NNEF 1, whose format is that of nnef_common: with its types, and with codes that graph.quant
// gives a meaning. Source: NNEF 1.0.4, section 5.2.
#ifndef BUILDERS_NNEF1_CONTAINERS_TENSOR_FILE_H_
#define BUILDERS_NNEF1_CONTAINERS_TENSOR_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/diagnostics.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef_common/containers/tensor_file.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef1 {

using nnef::ItemType;
using nnef::kTensorHeaderBytes;
using nnef::TensorHeader;

// Errors: E4.
absl::StatusOr<TensorHeader> ParseTensorHeader(absl::string_view bytes, int64_t file_bytes, absl::string_view name);

// What is declared of a tensor of the type, with any extents: read as the element type that `types` gives.
nnef::DeclaredTensor DeclaredAs(Primitive primitive, const NumberTypes& types);

// A member as a literal of the element type that `types` gives for `declared`, of exactly `extents` (nullptr: any).
// `quantization` decodes item types 2 and 3; without it (nullptr) item type 2 is decoded by the deprecated range in the
// header, if there is one. Errors: E4, also for a member that is missing or cannot be read; E5 for codes without a
// quantisation, or with one that cannot decode them. Surplus bytes are a warning.
absl::StatusOr<Literal> ReadTensor(const Container& container, absl::string_view member, Primitive declared,
                                   const Extents* extents, const NumberTypes& types, const Quantization* quantization,
                                   Diagnostics* diagnostics);

// The same for bytes in memory, one file of a stream of them; `*consumed` says how many bytes it took.
absl::StatusOr<Literal> ParseTensor(absl::string_view bytes, Primitive declared, const NumberTypes& types,
                                    absl::string_view name, int64_t* consumed);

// The bytes of a literal as a tensor file, as nnef::SerializeTensor has them.
absl::StatusOr<std::string> SerializeTensor(const Literal& literal);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_CONTAINERS_TENSOR_FILE_H_
