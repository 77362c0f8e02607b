#include "xla_core/types/narrow_types.h"

#include "xla_core/support/check.h"

namespace xla {

// The format of a float type narrower than f32; other types fail the check.
NarrowFormat NarrowFormatOf(PrimitiveType type) {
  CHECK(IsNarrowFloatType(type));
  switch (type) {
    case F16:
      return NarrowFormat::kF16;
    case BF16:
      return NarrowFormat::kBF16;
    case F8E5M2:
      return NarrowFormat::kF8E5M2;
    case F8E4M3:
      return NarrowFormat::kF8E4M3;
    case F8E4M3FN:
      return NarrowFormat::kF8E4M3FN;
    case F8E4M3B11FNUZ:
      return NarrowFormat::kF8E4M3B11FNUZ;
    case F8E3M4:
      return NarrowFormat::kF8E3M4;
    case F8E5M2FNUZ:
      return NarrowFormat::kF8E5M2FNUZ;
    case F8E4M3FNUZ:
      return NarrowFormat::kF8E4M3FNUZ;
    case F4E2M1FN:
      return NarrowFormat::kF4E2M1FN;
    case F6E2M3FN:
      return NarrowFormat::kF6E2M3FN;
    case F6E3M2FN:
      return NarrowFormat::kF6E3M2FN;
    default:
      return NarrowFormat::kF8E8M0FNU;
  }
}

}  // namespace xla
