// Tensor files (.dat): a header of 128 bytes, then items. Source: NNEF 1.0.4, section 5.2.
#ifndef BUILDERS_NNEF1_CONTAINERS_TENSOR_FILE_H_
#define BUILDERS_NNEF1_CONTAINERS_TENSOR_FILE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef1/operation.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef1 {

// The item-type code of the header, bytes 48 and 49 (vendor 0). The quantised ones are codes that graph.quant gives a
// meaning.
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
// `file_bytes`: the size of the file, or -1 for a stream. Errors: E4.
absl::StatusOr<TensorHeader> ParseTensorHeader(absl::string_view bytes, int64_t file_bytes, absl::string_view name);

// A member as a literal of the element type that `types` gives for `declared`, of exactly `extents` (nullptr: any).
// Items that are stored as they are needed are read into the literal, without a second copy. `quantization` decodes
// item types 2 and 3; without it (nullptr) item type 2 is decoded by the deprecated range in the header, if there is
// one. Errors: E4, also for a member that is missing or cannot be read; E5 for codes without a quantisation, or with
// one that cannot decode them. Surplus bytes are a warning.
absl::StatusOr<Literal> ReadTensor(const Container& container, absl::string_view member, Primitive declared,
                                   const Extents* extents, const NumberTypes& types, const Quantization* quantization,
                                   Diagnostics* diagnostics);

// The same for bytes in memory, one file of a stream of them; `*consumed` says how many bytes it took.
absl::StatusOr<Literal> ParseTensor(absl::string_view bytes, Primitive declared, const NumberTypes& types,
                                    absl::string_view name, int64_t* consumed);

// The bytes of a literal as a tensor file: f64, f32 and f16 (bf16 as f32) as floats, integers as signed or unsigned of
// their width, PRED as bool of 1 bit. Errors: element types that have no item type; rank over 8; extents of 0 or beyond
// 32 bits; more than 4 GiB of data.
absl::StatusOr<std::string> SerializeTensor(const Literal& literal);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_CONTAINERS_TENSOR_FILE_H_
