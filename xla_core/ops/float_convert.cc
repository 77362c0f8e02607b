#include "xla_core/ops/float_convert.h"

#include "xla_core/ops/convert_elements.h"
#include "xla_core/support/status_macros.h"

namespace xla {
// Shares the array if it has that type already.
absl::StatusOr<Literal> ConvertFloats(const Literal& array, PrimitiveType to, EvalContext& context) {
  const PrimitiveType from = array.shape().element_type();
  if (from == to) return array;
  Shape shape = array.shape();
  shape.set_element_type(to);
  ASSIGN_OR_RETURN(Literal result, context.Allocate(shape));
  result.CopyDynamicSizesFrom(array);
  const char* source = array.data<char>();
  char* target = result.mutable_data<char>();
  constexpr int64_t kGrain = 1 << 15;
  RETURN_IF_ERROR(context.ParallelFor(array.element_count(), kGrain, [&](int64_t begin, int64_t end) {
    ConvertElements(from, to, end - begin, source + begin * ByteWidth(from), target + begin * ByteWidth(to));
  }));
  return result;
}

}  // namespace xla
