// The errors of WebNN: an absl::Status that also tells the kind that JavaScript would see, and the rule that was
// broken.
//
//   absl::StatusOr<MLOperand> y = builder.conv2d(x, filter);
//   ErrorKindOf(y.status())     // MLErrorKind::kTypeError
//   RuleOf(y.status())          // "input rank 4"
//   OperatorOf(y.status())      // "conv2d"
#ifndef BUILDERS_WEBNN_ERRORS_H_
#define BUILDERS_WEBNN_ERRORS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace xla {
namespace webnn {

// By their names in JavaScript: TypeError is an exception of the language, the others are DOMExceptions.
enum class MLErrorKind : int {
  kNone,  // OK
  kTypeError,
  kNotSupportedError,
  kSecurityError,
  kOperationError,
  kInvalidStateError,
  kUnknownError,
  kDataError,
  kAbortError,
};

// "TypeError", ...; "" for kNone.
absl::string_view ErrorKindName(MLErrorKind kind);

// An error. `rule` is a short text that names what was broken, the same for all breaches of it ("bias: shape", "axes:
// duplicate"); `message` says what was expected, what was found and what to do. The builder adds operator and label.
absl::Status MakeError(MLErrorKind kind, absl::string_view rule, absl::string_view message);
inline absl::Status TypeError(absl::string_view rule, absl::string_view message) {
  return MakeError(MLErrorKind::kTypeError, rule, message);
}
inline absl::Status OperationError(absl::string_view rule, absl::string_view message) {
  return MakeError(MLErrorKind::kOperationError, rule, message);
}
inline absl::Status InvalidStateError(absl::string_view rule, absl::string_view message) {
  return MakeError(MLErrorKind::kInvalidStateError, rule, message);
}

// kUnknownError for an error that was not made here.
MLErrorKind ErrorKindOf(const absl::Status& status);
// "" if the error has none.
std::string RuleOf(const absl::Status& status);
// The method that reported it, as the specification spells it; "" if it is not known.
std::string OperatorOf(const absl::Status& status);

// The same error with `method`, and `where` if given (a label, or the operands), in front of the message. An error
// that has a method already, and OK, come back unchanged.
absl::Status InMethod(const absl::Status& status, absl::string_view method, absl::string_view where = "");
// An error that was not made here (of the ComputationBuilder, of a backend) as one of `kind`; one that was, and OK,
// come back unchanged.
absl::Status AsError(const absl::Status& status, MLErrorKind kind, absl::string_view rule);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_ERRORS_H_
