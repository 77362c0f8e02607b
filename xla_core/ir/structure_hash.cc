#include "xla_core/ir/structure_hash.h"

namespace xla {

uint64_t HashOfShape(const Shape& shape, uint64_t state) {
  state = MixHash(state, static_cast<uint64_t>(shape.element_type()));
  for (const int64_t size : shape.dimensions()) state = MixHash(state, static_cast<uint64_t>(size));
  for (const Shape& element : shape.tuple_shapes()) state = HashOfShape(element, state);
  return state;
}

}  // namespace xla
