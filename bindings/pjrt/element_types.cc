#include "bindings/pjrt/element_types.h"

#include "absl/strings/str_cat.h"

namespace xla {
namespace pjrt {
namespace {

// By the number that the PJRT API gives a type.
constexpr PrimitiveType kTypes[] = {
    PRIMITIVE_TYPE_INVALID,
    PRED,
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
    BF16,
    C64,
    C128,
    F8E5M2,
    F8E4M3FN,
    F8E4M3B11FNUZ,
    F8E5M2FNUZ,
    F8E4M3FNUZ,
    S4,
    U4,
    TOKEN,
    S2,
    U2,
    F8E4M3,
    F8E3M4,
    F8E8M0FNU,
    F4E2M1FN,
    S1,
    U1,
    F6E2M3FN,
    F6E3M2FN,
};
constexpr int kTypeCount = sizeof(kTypes) / sizeof(kTypes[0]);
static_assert(kTypeCount == PJRT_Buffer_Type_F6E3M2FN + 1);

}  // namespace

absl::StatusOr<PrimitiveType> FromPjrt(PJRT_Buffer_Type type) {
  if (type > PJRT_Buffer_Type_INVALID && type < kTypeCount && IsArrayType(kTypes[type])) return kTypes[type];
  return absl::InvalidArgumentError(
      absl::StrCat("the element type is ", static_cast<int>(type), ", which is no type of an array's elements"));
}

PJRT_Buffer_Type ToPjrt(PrimitiveType type) {
  for (int i = 1; i < kTypeCount; ++i) {
    if (kTypes[i] == type) return static_cast<PJRT_Buffer_Type>(i);
  }
  return PJRT_Buffer_Type_INVALID;
}

}  // namespace pjrt
}  // namespace xla
