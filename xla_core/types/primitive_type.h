// The element types of HLO: their names, widths and classes, from one table.
#ifndef XLA_CORE_TYPES_PRIMITIVE_TYPE_H_
#define XLA_CORE_TYPES_PRIMITIVE_TYPE_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace xla {

// The numbers are those of XLA's protobuf enum `PrimitiveType`.
enum PrimitiveType : uint8_t {
  PRIMITIVE_TYPE_INVALID = 0,
  PRED = 1,
  S8 = 2,
  S16 = 3,
  S32 = 4,
  S64 = 5,
  U8 = 6,
  U16 = 7,
  U32 = 8,
  U64 = 9,
  F16 = 10,
  F32 = 11,
  F64 = 12,
  TUPLE = 13,
  OPAQUE_TYPE = 14,
  C64 = 15,
  BF16 = 16,
  TOKEN = 17,
  C128 = 18,
  F8E5M2 = 19,
  F8E4M3FN = 20,
  S4 = 21,
  U4 = 22,
  F8E4M3B11FNUZ = 23,
  F8E5M2FNUZ = 24,
  F8E4M3FNUZ = 25,
  S2 = 26,
  U2 = 27,
  F8E4M3 = 28,
  F8E3M4 = 29,
  S1 = 30,
  U1 = 31,
  F4E2M1FN = 32,
  F8E8M0FNU = 33,
  BUFFER = 34,
  F6E3M2FN = 35,
  F6E2M3FN = 36,
};
inline constexpr int kNumPrimitiveTypes = 37;

// How values of a type behave. kOther: tuple, token, opaque and buffer, which have no elements.
enum class TypeClass : uint8_t { kInvalid, kPred, kSigned, kUnsigned, kFloat, kComplex, kOther };

// A row of the table of types.
struct PrimitiveTypeInfo {
  PrimitiveType type;
  const char* name;  // as HLO text spells it
  TypeClass type_class;
  uint8_t bits;   // logical width; 0 for types without elements
  uint8_t bytes;  // width of one element in a Literal (sub-byte types take one byte each)
};

// The row of `type`; a value outside the enumeration gives the row of PRIMITIVE_TYPE_INVALID.
const PrimitiveTypeInfo& GetPrimitiveTypeInfo(PrimitiveType type);

// PRIMITIVE_TYPE_INVALID if `name` is no type of HLO text ("tuple", "opaque" and "token" are known here too).
PrimitiveType PrimitiveTypeFromName(absl::string_view name);

inline const char* PrimitiveTypeName(PrimitiveType type) { return GetPrimitiveTypeInfo(type).name; }
inline int BitWidth(PrimitiveType type) { return GetPrimitiveTypeInfo(type).bits; }
inline int ByteWidth(PrimitiveType type) { return GetPrimitiveTypeInfo(type).bytes; }

inline bool IsSignedInt(PrimitiveType type) { return GetPrimitiveTypeInfo(type).type_class == TypeClass::kSigned; }
inline bool IsUnsignedInt(PrimitiveType type) { return GetPrimitiveTypeInfo(type).type_class == TypeClass::kUnsigned; }
inline bool IsInt(PrimitiveType type) { return IsSignedInt(type) || IsUnsignedInt(type); }
inline bool IsFloat(PrimitiveType type) { return GetPrimitiveTypeInfo(type).type_class == TypeClass::kFloat; }
inline bool IsComplex(PrimitiveType type) { return GetPrimitiveTypeInfo(type).type_class == TypeClass::kComplex; }
// True for types whose values live in arrays: everything but tuple, token, opaque, buffer and invalid.
inline bool IsArrayType(PrimitiveType type) { return GetPrimitiveTypeInfo(type).bytes != 0; }
// Floats narrower than f32: f16, bf16 and all f8, f6, f4 kinds.
inline bool IsNarrowFloatType(PrimitiveType type) { return IsFloat(type) && BitWidth(type) < 32; }
inline bool IsSubByte(PrimitiveType type) { return IsArrayType(type) && BitWidth(type) < 8 && type != PRED; }

// c64 -> f32, c128 -> f64, anything else itself.
PrimitiveType ComplexComponentType(PrimitiveType type);

}  // namespace xla

#endif  // XLA_CORE_TYPES_PRIMITIVE_TYPE_H_
