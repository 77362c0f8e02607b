#include "xla_core/types/primitive_type.h"

#include <string>

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace {

constexpr PrimitiveTypeInfo kTypes[kNumPrimitiveTypes] = {
    {PRIMITIVE_TYPE_INVALID, "invalid", TypeClass::kInvalid, 0, 0},
    {PRED, "pred", TypeClass::kPred, 1, 1},
    {S8, "s8", TypeClass::kSigned, 8, 1},
    {S16, "s16", TypeClass::kSigned, 16, 2},
    {S32, "s32", TypeClass::kSigned, 32, 4},
    {S64, "s64", TypeClass::kSigned, 64, 8},
    {U8, "u8", TypeClass::kUnsigned, 8, 1},
    {U16, "u16", TypeClass::kUnsigned, 16, 2},
    {U32, "u32", TypeClass::kUnsigned, 32, 4},
    {U64, "u64", TypeClass::kUnsigned, 64, 8},
    {F16, "f16", TypeClass::kFloat, 16, 2},
    {F32, "f32", TypeClass::kFloat, 32, 4},
    {F64, "f64", TypeClass::kFloat, 64, 8},
    {TUPLE, "tuple", TypeClass::kOther, 0, 0},
    {OPAQUE_TYPE, "opaque", TypeClass::kOther, 0, 0},
    {C64, "c64", TypeClass::kComplex, 64, 8},
    {BF16, "bf16", TypeClass::kFloat, 16, 2},
    {TOKEN, "token", TypeClass::kOther, 0, 0},
    {C128, "c128", TypeClass::kComplex, 128, 16},
    {F8E5M2, "f8e5m2", TypeClass::kFloat, 8, 1},
    {F8E4M3FN, "f8e4m3fn", TypeClass::kFloat, 8, 1},
    {S4, "s4", TypeClass::kSigned, 4, 1},
    {U4, "u4", TypeClass::kUnsigned, 4, 1},
    {F8E4M3B11FNUZ, "f8e4m3b11fnuz", TypeClass::kFloat, 8, 1},
    {F8E5M2FNUZ, "f8e5m2fnuz", TypeClass::kFloat, 8, 1},
    {F8E4M3FNUZ, "f8e4m3fnuz", TypeClass::kFloat, 8, 1},
    {S2, "s2", TypeClass::kSigned, 2, 1},
    {U2, "u2", TypeClass::kUnsigned, 2, 1},
    {F8E4M3, "f8e4m3", TypeClass::kFloat, 8, 1},
    {F8E3M4, "f8e3m4", TypeClass::kFloat, 8, 1},
    {S1, "s1", TypeClass::kSigned, 1, 1},
    {U1, "u1", TypeClass::kUnsigned, 1, 1},
    {F4E2M1FN, "f4e2m1fn", TypeClass::kFloat, 4, 1},
    {F8E8M0FNU, "f8e8m0fnu", TypeClass::kFloat, 8, 1},
    {BUFFER, "b", TypeClass::kOther, 0, 0},
    {F6E3M2FN, "f6e3m2fn", TypeClass::kFloat, 6, 1},
    {F6E2M3FN, "f6e2m3fn", TypeClass::kFloat, 6, 1},
};

}  // namespace

const PrimitiveTypeInfo& GetPrimitiveTypeInfo(PrimitiveType type) {
  return kTypes[type < kNumPrimitiveTypes ? type : PRIMITIVE_TYPE_INVALID];
}

PrimitiveType PrimitiveTypeFromName(absl::string_view name) {
  static const auto* const by_name = [] {
    auto* map = new absl::flat_hash_map<std::string, PrimitiveType>;
    for (const PrimitiveTypeInfo& info : kTypes) {
      if (info.type != PRIMITIVE_TYPE_INVALID && info.type != BUFFER) map->emplace(info.name, info.type);
    }
    return map;
  }();
  const auto it = by_name->find(name);
  return it == by_name->end() ? PRIMITIVE_TYPE_INVALID : it->second;
}

PrimitiveType ComplexComponentType(PrimitiveType type) {
  if (type == C64) return F32;
  if (type == C128) return F64;
  return type;
}

}  // namespace xla
