// Operators: the built-in operators and functions on values known at compile time (NNEF 1.0.4 section 3.3.3), and the
// operations that stand for them on tensors.
#ifndef BUILDERS_NNEF1_LANGUAGE_OPERATORS_H_
#define BUILDERS_NNEF1_LANGUAGE_OPERATORS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef1/document_tree.h"
#include "builders/nnef1/value.h"

namespace xla {
namespace nnef1 {

// "length_of".
absl::string_view BuiltinName(Builtin builtin);

// The standard operation that an operator is on tensors: "add". Empty where there is none.
absl::string_view OperationOfUnary(Operator op);
absl::string_view OperationOfBinary(Operator op);

// The most values in an array, arrays inside of it included, and the most characters in a string.
inline constexpr int64_t kMaxValues = int64_t{1} << 22;

// Operands have types that the checker has found right. Errors (InvalidArgument): integers that overflow, division by
// zero, arrays and strings that get too long.
absl::StatusOr<Value> ApplyUnary(Operator op, const Value& x);
absl::StatusOr<Value> ApplyBinary(Operator op, const Value& a, const Value& b);

// All functions but shape_of. Errors: strings that are not numbers, scalars that no integer can hold.
absl::StatusOr<Value> ApplyBuiltin(Builtin builtin, const Value& x);

// x[index], and x[begin:end], of an array, a tuple or a string. Errors: out of range.
absl::StatusOr<Value> ItemAt(const Value& x, int64_t index);
absl::StatusOr<Value> ItemsBetween(const Value& x, int64_t begin, int64_t end);
// Of an array or a string.
int64_t LengthOf(const Value& x);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_LANGUAGE_OPERATORS_H_
