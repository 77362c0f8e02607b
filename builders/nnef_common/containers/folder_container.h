// Folders: each member is a file.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_FOLDER_CONTAINER_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_FOLDER_CONTAINER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "builders/nnef_common/containers/container.h"

namespace xla {
namespace nnef {

// Symbolic links are followed as long as they stay within the folder; it may itself be reached by one. Errors: E0.
absl::StatusOr<std::unique_ptr<Container>> OpenFolder(const std::string& path, const ModelFormat& format);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_FOLDER_CONTAINER_H_
