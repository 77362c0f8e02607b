// From stored items to elements: widths of 1 to 64 bits, and codes that something gives a meaning.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_ITEM_DECODING_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_ITEM_DECODING_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef_common/containers/tensor_file.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef {

// Whether items are stored just as a literal of `type` has its elements.
bool IsStoredAsElements(const TensorHeader& header, PrimitiveType type);

// Decodes items of one tensor file, any number of times. Items narrower than a byte are packed, the first one in the
// highest bits; pieces must begin at a byte.
class ItemDecoder {
 public:
  // `meaning` is for quantised item types only. The header's item type fits `type`.
  ItemDecoder(const TensorHeader& header, PrimitiveType type, CodeMeaning meaning);

  // The `count` items at `bytes` as an array type[count]. `first` is the number of the first of them, for messages.
  // Errors (without class or name): an integer that does not fit the type.
  absl::StatusOr<Literal> Decode(const char* bytes, int64_t count, int64_t first) const;

 private:
  absl::StatusOr<Literal> DecodeCodes(const char* bytes, int64_t count) const;

  const TensorHeader header_;
  const PrimitiveType type_;
  const CodeMeaning meaning_;
  Literal elements_of_codes_;  // type[256]: of each code of 8 bits
};

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_ITEM_DECODING_H_
