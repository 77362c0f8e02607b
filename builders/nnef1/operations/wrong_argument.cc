#include "builders/nnef1/operations/wrong_argument.h"

#include "absl/strings/str_cat.h"

namespace xla {
namespace nnef1 {

absl::Status WrongArgument(absl::string_view parameter, absl::string_view expected, absl::string_view got) {
  return absl::InvalidArgumentError(absl::StrCat(parameter, ": expected ", expected, ", got ", got));
}

}  // namespace nnef1
}  // namespace xla
