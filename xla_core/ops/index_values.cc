#include "xla_core/ops/index_values.h"

#include <limits>
#include <type_traits>

#include "xla_core/types/type_dispatch.h"

namespace xla {

IndexReader IndexReaderFor(PrimitiveType type) {
  return DispatchInt(type, [](auto tag) -> IndexReader {
    using T = TagType<decltype(tag)>;
    return [](const void* data, int64_t i) -> int64_t {
      const T value = static_cast<const T*>(data)[i];
      if constexpr (std::is_same_v<T, uint64_t>) {
        constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();
        return static_cast<int64_t>(std::min(value, kLargest));
      }
      return static_cast<int64_t>(value);
    };
  });
}

}  // namespace xla
