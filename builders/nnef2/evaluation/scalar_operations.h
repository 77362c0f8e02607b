// Operators and functions on single items (NNEF 2.0 section 2.4).
#ifndef BUILDERS_NNEF2_EVALUATION_SCALAR_OPERATIONS_H_
#define BUILDERS_NNEF2_EVALUATION_SCALAR_OPERATIONS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/nnef2/evaluation/value.h"

namespace xla {
namespace nnef2 {

// x op y. What is not known makes the result unknown. False with *error for a division by zero and the like.
bool ApplyBinary(SymbolTable& symbols, Operator op, const Scalar& x, const Scalar& y, Scalar* result,
                 std::string* error);
bool ApplyUnary(SymbolTable& symbols, Operator op, const Scalar& x, Scalar* result, std::string* error);

// x of type `from` as `to`, each int, real or bool. int(inf) and int(-inf) are the extreme values of the run-time type.
Scalar Convert(SymbolTable& symbols, const Scalar& x, BaseType from, BaseType to);

// Which functions there are: those of reals, and abs and sign.
absl::Span<const absl::string_view> BuiltinNames();
// `name` is one of them. Without a table, what is not known makes the result unknown.
Scalar ApplyBuiltin(absl::string_view name, const Scalar& x);
Scalar ApplyBuiltin(SymbolTable& symbols, absl::string_view name, const Scalar& x);

// An int, a bool or a real as an expression; nullptr: it is not known.
const Symbolic* AsSymbolic(SymbolTable& symbols, const Scalar& x);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_EVALUATION_SCALAR_OPERATIONS_H_
