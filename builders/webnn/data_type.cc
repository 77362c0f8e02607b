#include "builders/webnn/data_type.h"

#include "absl/strings/str_join.h"

namespace xla {
namespace webnn {
namespace {

// By MLOperandDataType.
constexpr PrimitiveType kPrimitiveTypes[] = {F32, F16, S32, U32, S64, U64, S8, U8, S4, U4};

}  // namespace

PrimitiveType PrimitiveTypeOf(MLOperandDataType type) { return kPrimitiveTypes[static_cast<int>(type)]; }

absl::optional<MLOperandDataType> DataTypeOf(PrimitiveType type) {
  int index = 0;
  for (PrimitiveType candidate : kPrimitiveTypes) {
    if (candidate == type) return static_cast<MLOperandDataType>(index);
    ++index;
  }
  return absl::nullopt;
}

int BitsOf(MLOperandDataType type) { return BitWidth(PrimitiveTypeOf(type)); }

std::vector<MLOperandDataType> DataTypeSet::types() const {
  std::vector<MLOperandDataType> types;
  for (size_t i = 0; i < EnumNamesOf<MLOperandDataType>().values.size(); ++i) {
    const auto type = static_cast<MLOperandDataType>(i);
    if (Contains(type)) types.push_back(type);
  }
  return types;
}

std::string DataTypeSet::ToString() const {
  std::vector<absl::string_view> names;
  for (MLOperandDataType type : types()) names.push_back(webnn::ToString(type));
  if (names.size() < 2) return absl::StrJoin(names, "");
  const absl::string_view last = names.back();
  names.pop_back();
  return absl::StrCat(absl::StrJoin(names, ", "), " or ", last);
}

}  // namespace webnn
}  // namespace xla
