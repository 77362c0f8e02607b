// Names of members: paths within a model, with `/`, that never lead out of it.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_MEMBER_NAME_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_MEMBER_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace xla {
namespace nnef {

// The name without `.` components and doubled slashes: "./conv1//filter.dat" is "conv1/filter.dat", "./" is "".
// nullopt for one that is absolute or has `..` in it, whether or not that leads outside. `\` is a character as others.
absl::optional<std::string> NormalizeMemberName(absl::string_view name);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_MEMBER_NAME_H_
