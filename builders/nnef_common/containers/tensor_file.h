// Tensor files (.dat): a header of 128 bytes, then items. Source: NNEF 1.0.4, section 5.2; NNEF 2 has the same format.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_TENSOR_FILE_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_TENSOR_FILE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef_common/containers/container.h"
#include "builders/nnef_common/diagnostics.h"
#include "builders/nnef_common/model_format.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef {

// Dimension 0 first; empty for rank 0.
using Extents = std::vector<int64_t>;

// The item-type code of the header, bytes 48 and 49 (vendor 0). The quantised ones are codes that something outside of
// the file gives a meaning.
enum class ItemType { kFloat = 0, kUnsigned = 1, kQuantizedUnsigned = 2, kQuantizedSigned = 3, kSigned = 4, kBool = 5 };

// What the 128 bytes say, checked: data_bytes is enough for item_count() items of bits_per_item bits.
struct TensorHeader {
  int64_t data_bytes = 0;
  Extents extents;
  int64_t bits_per_item = 32;
  // The deprecated signed form of kUnsigned is kSigned here.
  ItemType item_type = ItemType::kFloat;
  // min and max of the deprecated linear quantisation, where the header holds them.
  absl::optional<std::pair<float, float>> deprecated_range;

  int64_t item_count() const;
};

inline constexpr int64_t kTensorHeaderBytes = 128;

// The header in the first 128 bytes of a file (fewer: an error), all checks that need no more than it.
// `file_bytes`: the size of the file, or -1 for a stream. Errors: the format's data errors.
absl::StatusOr<TensorHeader> ParseTensorHeader(absl::string_view bytes, int64_t file_bytes, absl::string_view name,
                                               const ModelFormat& format);

// What a document declares of a tensor.
enum class ItemKind { kReal, kInteger, kLogical };
struct DeclaredTensor {
  ItemKind kind = ItemKind::kReal;
  absl::string_view type;            // as the document calls the kind, for messages
  PrimitiveType element_type = F32;  // of the literal, one of the kind
  const Extents* extents = nullptr;  // nullptr: any
};

// The number that a stored code means, in double precision.
using CodeMeaning = std::function<double(double code)>;
// What the codes of a file mean. Errors (without class or name): nothing says so, or they cannot be decoded.
using FindCodeMeaning = absl::FunctionRef<absl::StatusOr<CodeMeaning>(const TensorHeader& header)>;

// A member as a literal. Items that are stored as they are needed are read into the literal, without a second copy.
// `find_meaning` is asked for item types 2 and 3. Errors: the format's data errors, also for a member that is missing
// or cannot be read; its quantization errors for codes without a meaning. Surplus bytes are a warning or an error.
absl::StatusOr<Literal> ReadTensor(const Container& container, absl::string_view member, const DeclaredTensor& declared,
                                   FindCodeMeaning find_meaning, Diagnostics* diagnostics);

// The same for bytes in memory, one file of a stream of them; `*consumed` says how many bytes it took.
absl::StatusOr<Literal> ParseTensor(absl::string_view bytes, const DeclaredTensor& declared,
                                    FindCodeMeaning find_meaning, absl::string_view name, const ModelFormat& format,
                                    int64_t* consumed);

// The bytes of a literal as a tensor file: f64, f32 and f16 (bf16 as f32) as floats, integers as signed or unsigned of
// their width, PRED as bool of 1 bit. Errors: element types that have no item type; rank over 8; extents of 0, if the
// format has no empty tensors, or beyond 32 bits; more than 4 GiB of data.
absl::StatusOr<std::string> SerializeTensor(const Literal& literal, const ModelFormat& format);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_TENSOR_FILE_H_
