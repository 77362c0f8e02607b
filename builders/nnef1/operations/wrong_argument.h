// The errors of operations in one wording: the parameter, what was expected of it, what came.
#ifndef BUILDERS_NNEF1_OPERATIONS_WRONG_ARGUMENT_H_
#define BUILDERS_NNEF1_OPERATIONS_WRONG_ARGUMENT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace xla {
namespace nnef1 {

// "axes: expected each axis once, got 1 twice", InvalidArgument. `parameter` may be several that do not fit together:
// "begin, end".
absl::Status WrongArgument(absl::string_view parameter, absl::string_view expected, absl::string_view got);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_WRONG_ARGUMENT_H_
