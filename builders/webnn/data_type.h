// What the data types of operands are to the rest of Halo, and sets of them.
#ifndef BUILDERS_WEBNN_DATA_TYPE_H_
#define BUILDERS_WEBNN_DATA_TYPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "builders/webnn/enums.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace webnn {

// float32 -> F32, uint4 -> U4 ...
PrimitiveType PrimitiveTypeOf(MLOperandDataType type);
// nullopt for element types of HLO that WebNN does not have.
absl::optional<MLOperandDataType> DataTypeOf(PrimitiveType type);
// 4 for int4 and uint4.
int BitsOf(MLOperandDataType type);

inline bool IsFloat(MLOperandDataType type) {
  return type == MLOperandDataType::kFloat32 || type == MLOperandDataType::kFloat16;
}

// A set of data types: what an operator admits.
class DataTypeSet {
 public:
  constexpr DataTypeSet() = default;
  constexpr DataTypeSet(MLOperandDataType type) : bits_(1u << static_cast<int>(type)) {}  // NOLINT: implicit
  constexpr DataTypeSet operator|(DataTypeSet other) const { return DataTypeSet(bits_ | other.bits_); }
  constexpr bool Contains(MLOperandDataType type) const { return (bits_ >> static_cast<int>(type)) & 1; }
  constexpr bool operator==(DataTypeSet other) const { return bits_ == other.bits_; }
  // In the order of the IDL.
  std::vector<MLOperandDataType> types() const;
  // "float32 or float16".
  std::string ToString() const;

 private:
  constexpr explicit DataTypeSet(uint32_t bits) : bits_(bits) {}
  uint32_t bits_ = 0;
};

constexpr DataTypeSet operator|(MLOperandDataType a, MLOperandDataType b) { return DataTypeSet(a) | DataTypeSet(b); }

// F, S and "any" of the tables of operators.
constexpr DataTypeSet kFloatTypes = MLOperandDataType::kFloat32 | MLOperandDataType::kFloat16;
constexpr DataTypeSet kSignedTypes = kFloatTypes | MLOperandDataType::kInt32 | MLOperandDataType::kInt8;
constexpr DataTypeSet kSignedTypesAndInt64 = kSignedTypes | MLOperandDataType::kInt64;
constexpr DataTypeSet kFloatsAnd32BitIntegers = kFloatTypes | MLOperandDataType::kInt32 | MLOperandDataType::kUint32;
constexpr DataTypeSet kFloatsAnd32And64BitIntegers =
    kFloatsAnd32BitIntegers | MLOperandDataType::kInt64 | MLOperandDataType::kUint64;
constexpr DataTypeSet kIndexTypes = MLOperandDataType::kInt32 | MLOperandDataType::kUint32 | MLOperandDataType::kInt64;
constexpr DataTypeSet kDraftTypes = kFloatsAnd32And64BitIntegers | MLOperandDataType::kInt8 | MLOperandDataType::kUint8;
constexpr DataTypeSet kAllTypes = kDraftTypes | MLOperandDataType::kInt4 | MLOperandDataType::kUint4;

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_DATA_TYPE_H_
