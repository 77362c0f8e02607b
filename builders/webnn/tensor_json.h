// The elements of an array in JSON, as they stand in files of graphs and of conformance cases.
//
//   {"data": [1, 2.5, "NaN"]}   row-major; or
//   {"fill": 0}                 one value for every element
//
// A float is the decimal number that is rounded to binary64 and then to the type, or one of the strings "NaN",
// "Infinity", "-Infinity" and "-0". An integer is a JSON integer or a decimal string, which is what 64-bit ones are
// written as, because many readers of JSON round them.
#ifndef BUILDERS_WEBNN_TENSOR_JSON_H_
#define BUILDERS_WEBNN_TENSOR_JSON_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/json.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace webnn {

// The array of `shape`, a valid one of floats or integers, whose elements the object `json` gives. `where` begins the
// message of an error. InvalidArgument: there is neither "data" nor "fill" or there are both, not as many elements as
// the shape has, or one that is not a number of the type. ResourceExhausted: there is no memory for this many.
absl::StatusOr<Literal> ReadJsonElements(const JsonValue& json, const Shape& shape, absl::string_view where);

// Writes the member "data" of the object that `json` has begun, or "fill" if all of many elements are equal, so that
// ReadJsonElements gives the same bits, except for those of NaNs.
void WriteJsonElements(const Literal& array, JsonWriter& json);

// A number with the fewest digits that, rounded to `type` (f16, f32 or f64), give it again; NaN, infinities and -0 as
// strings.
void WriteFloat(double value, PrimitiveType type, JsonWriter& json);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_TENSOR_JSON_H_
