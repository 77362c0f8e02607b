// Reads attributes: what they say as C++ values. Each function takes an attribute that may be missing, not ok().
#ifndef BUILDERS_STABLEHLO_IR_ATTRIBUTE_VALUES_H_
#define BUILDERS_STABLEHLO_IR_ATTRIBUTE_VALUES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/stablehlo/ir/module.h"

namespace xla {
namespace stablehlo {

// Of a kInteger of up to 64 bits, or a kBool. An unsigned one above 2^63 wraps.
absl::optional<int64_t> IntegerValue(const Module& module, AttributeId attribute);
// Of a kFloat.
absl::optional<double> FloatValue(const Module& module, AttributeId attribute);
// A flag: missing is false, kUnit is true. nullopt: it is not a kBool or a kUnit.
absl::optional<bool> FlagValue(const Module& module, AttributeId attribute);
// Of a kString, kSymbol or kEnum.
absl::optional<absl::string_view> TextValue(const Module& module, AttributeId attribute);
// Of a kDenseArray or kDenseElements of integers or indices of up to 64 bits, row-major, splats written out; of a
// kArray of what has an IntegerValue. nullopt too for splats of more than a million elements.
absl::optional<std::vector<int64_t>> IntegerList(const Module& module, AttributeId attribute);
// The entry of a kDictionary or kStruct. Not ok(): there is none.
AttributeId FieldOf(const Module& module, AttributeId attribute, absl::string_view name);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_IR_ATTRIBUTE_VALUES_H_
