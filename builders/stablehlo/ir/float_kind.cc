#include "builders/stablehlo/ir/float_kind.h"

#include <cstring>

#include "xla_core/types/narrow_types.h"

namespace xla {
namespace stablehlo {
namespace {

constexpr FloatKindInfo kFloatKinds[] = {
    {FloatKind::kF16, "f16", 16, 2, F16},
    {FloatKind::kBF16, "bf16", 16, 2, BF16},
    {FloatKind::kF32, "f32", 32, 4, F32},
    {FloatKind::kF64, "f64", 64, 8, F64},
    {FloatKind::kTF32, "tf32", 19, 4, PRIMITIVE_TYPE_INVALID},
    {FloatKind::kF80, "f80", 80, 16, PRIMITIVE_TYPE_INVALID},
    {FloatKind::kF128, "f128", 128, 16, PRIMITIVE_TYPE_INVALID},
    {FloatKind::kF8E5M2, "f8E5M2", 8, 1, F8E5M2},
    {FloatKind::kF8E4M3, "f8E4M3", 8, 1, F8E4M3},
    {FloatKind::kF8E3M4, "f8E3M4", 8, 1, F8E3M4},
    {FloatKind::kF8E4M3FN, "f8E4M3FN", 8, 1, F8E4M3FN},
    {FloatKind::kF8E5M2FNUZ, "f8E5M2FNUZ", 8, 1, F8E5M2FNUZ},
    {FloatKind::kF8E4M3FNUZ, "f8E4M3FNUZ", 8, 1, F8E4M3FNUZ},
    {FloatKind::kF8E4M3B11FNUZ, "f8E4M3B11FNUZ", 8, 1, F8E4M3B11FNUZ},
    {FloatKind::kF8E8M0FNU, "f8E8M0FNU", 8, 1, F8E8M0FNU},
    {FloatKind::kF4E2M1FN, "f4E2M1FN", 4, 1, F4E2M1FN},
    {FloatKind::kF6E2M3FN, "f6E2M3FN", 6, 1, F6E2M3FN},
    {FloatKind::kF6E3M2FN, "f6E3M2FN", 6, 1, F6E3M2FN},
};

constexpr bool IsInOrder() {
  int i = 0;
  for (const FloatKindInfo& info : kFloatKinds) {
    if (static_cast<int>(info.kind) != i++) return false;
  }
  return true;
}
static_assert(IsInOrder());

}  // namespace

const FloatKindInfo& GetFloatKindInfo(FloatKind kind) { return kFloatKinds[static_cast<int>(kind)]; }

absl::optional<FloatKind> FloatKindFromName(absl::string_view name) {
  for (const FloatKindInfo& info : kFloatKinds) {
    if (name == info.name) return info.kind;
  }
  return absl::nullopt;
}

uint64_t FloatToBits(FloatKind kind, double value) {
  const PrimitiveType type = GetFloatKindInfo(kind).type;
  uint64_t bits = 0;
  if (type == F64) {
    std::memcpy(&bits, &value, sizeof(value));
  } else if (type == F32) {
    const float rounded = static_cast<float>(value);
    std::memcpy(&bits, &rounded, sizeof(rounded));
  } else if (IsNarrowFloatType(type)) {
    bits = EncodeNarrow(NarrowFormatOf(type), value);
  }
  return bits;
}

double FloatFromBits(FloatKind kind, uint64_t bits) {
  const PrimitiveType type = GetFloatKindInfo(kind).type;
  if (type == F64) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  if (type == F32) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  return IsNarrowFloatType(type) ? DecodeNarrow(NarrowFormatOf(type), static_cast<uint32_t>(bits)) : 0;
}

}  // namespace stablehlo
}  // namespace xla
