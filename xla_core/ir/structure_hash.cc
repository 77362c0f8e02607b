#include "xla_core/ir/structure_hash.h"

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace xla {

uint64_t HashOfShape(const Shape& shape, uint64_t state) {
  state = MixHash(state, static_cast<uint64_t>(shape.element_type()));
  for (const int64_t size : shape.dimensions()) state = MixHash(state, static_cast<uint64_t>(size));
  for (const Shape& element : shape.tuple_shapes()) state = HashOfShape(element, state);
  return state;
}

uint64_t HashOfElements(const Literal& array) {
  return absl::Hash<absl::string_view>()(
      absl::string_view(static_cast<const char*>(array.untyped_data()), array.size_bytes()));
}

}  // namespace xla
