// The floating-point types of MLIR: names, widths, and HLO's type where it has one.
#ifndef BUILDERS_STABLEHLO_IR_FLOAT_KIND_H_
#define BUILDERS_STABLEHLO_IR_FLOAT_KIND_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace stablehlo {

// In the order of the table in float_kind.cc.
enum class FloatKind : uint8_t {
  kF16,
  kBF16,
  kF32,
  kF64,
  kTF32,
  kF80,
  kF128,
  kF8E5M2,
  kF8E4M3,
  kF8E3M4,
  kF8E4M3FN,
  kF8E5M2FNUZ,
  kF8E4M3FNUZ,
  kF8E4M3B11FNUZ,
  kF8E8M0FNU,
  kF4E2M1FN,
  kF6E2M3FN,
  kF6E3M2FN,
};

struct FloatKindInfo {
  FloatKind kind;
  const char* name;    // as MLIR spells it: "f8E4M3FN"
  int bits;            // of the value: tf32 has 19
  int bytes;           // of an element of a constant
  PrimitiveType type;  // PRIMITIVE_TYPE_INVALID: HLO has no such type
};

const FloatKindInfo& GetFloatKindInfo(FloatKind kind);
// nullopt if `name` is none.
absl::optional<FloatKind> FloatKindFromName(absl::string_view name);

// A number as the bits of a kind that HLO has, rounded to nearest even, and back.
uint64_t FloatToBits(FloatKind kind, double value);
double FloatFromBits(FloatKind kind, uint64_t bits);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_IR_FLOAT_KIND_H_
