// The conversions of Web IDL from JavaScript values to the types of the IDL: [EnforceRange], binary32, enumerations.
//
// All frontends (JSON, Node) use these and nothing else, so that NaN, fractions, negative and huge numbers do the same
// everywhere. `what` names the value in rules and messages. Errors are TypeErrors, with these rules:
//   "EnforceRange WHAT"          not a number, NaN, infinite or out of range once its fraction is cut off
//   "IDL float must be finite"   for float and double
//   "enum WHAT"                  a string that the enumeration does not have
//   "type of WHAT"               a value that cannot become one of the type
#ifndef BUILDERS_WEBNN_IDL_CONVERSIONS_H_
#define BUILDERS_WEBNN_IDL_CONVERSIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/webnn/edition.h"
#include "builders/webnn/graph_nodes.h"
#include "builders/webnn/number.h"
#include "builders/webnn/parameter.h"
#include "builders/webnn/value.h"

namespace xla {
namespace webnn {

// ToNumber of JavaScript: strings are read, booleans are 0 and 1, undefined is NaN. Objects and bigints are errors.
absl::StatusOr<double> ToJsNumber(const MLValue& value, absl::string_view what);
// ToBoolean of JavaScript.
bool ToBoolean(const MLValue& value);

absl::StatusOr<uint32_t> ToEnforcedUnsignedLong(const MLValue& value, absl::string_view what);
absl::StatusOr<int32_t> ToEnforcedLong(const MLValue& value, absl::string_view what);
// Without [EnforceRange]: modulo 2^32, what is not finite is 0.
absl::StatusOr<uint32_t> ToWrappedUnsignedLong(const MLValue& value, absl::string_view what);
absl::StatusOr<UnsignedList> ToUnsignedList(const MLValue& value, absl::string_view what);
// `float` of the draft, which is rounded to binary32; `double` of later editions.
absl::StatusOr<double> ToFloat(const MLValue& value, absl::string_view what, MLEdition edition);
// `float` of the draft; `MLNumber` (bigint or unrestricted double) of later editions. Bigints are taken under both.
absl::StatusOr<MLNumber> ToMLNumber(const MLValue& value, absl::string_view what, MLEdition edition);
// The index of the string in the enumeration.
absl::StatusOr<int> ToEnumIndex(const MLValue& value, const EnumNames& names, absl::string_view what);
template <typename E>
absl::StatusOr<E> ToEnum(const MLValue& value, absl::string_view what) {
  absl::StatusOr<int> index = ToEnumIndex(value, EnumNamesOf<E>(), what);
  if (!index.ok()) return index.status();
  return static_cast<E>(*index);
}

// What typed callers give instead of a JavaScript number: refused or rounded as above.
absl::StatusOr<double> CheckedFloat(double value, absl::string_view what, MLEdition edition);
absl::StatusOr<MLNumber> CheckedNumber(const MLNumber& value, absl::string_view what, MLEdition edition);

// A value for any parameter, by its kind; undefined where it is optional gives monostate. Names of activation functions
// become activations of `graph`.
absl::StatusOr<ParameterValue> ToParameterValue(const MLValue& value, const Parameter& parameter,
                                                const GraphNodes& graph);
// The way back, except that activations stay as they are.
MLValue FromParameterValue(const ParameterValue& value);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_IDL_CONVERSIONS_H_
