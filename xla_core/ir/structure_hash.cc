#include "xla_core/ir/structure_hash.h"

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace xla {

uint64_t HashOfElements(const Literal& array) {
  return absl::Hash<absl::string_view>()(
      absl::string_view(static_cast<const char*>(array.untyped_data()), array.size_bytes()));
}

}  // namespace xla
