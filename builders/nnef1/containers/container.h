// The containers of NNEF 1 models: a folder, a tar archive of it, or the bare description (nnef_common).
#ifndef BUILDERS_NNEF1_CONTAINERS_CONTAINER_H_
#define BUILDERS_NNEF1_CONTAINERS_CONTAINER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef1/containers/model_format.h"
#include "builders/nnef_common/containers/container.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace nnef1 {

using nnef::Container;
using nnef::DefaultMaxContainerBytes;

inline bool LooksLikeNnef1(const std::string& path) { return nnef::LooksLikeModel(path, Nnef1Format()); }

inline bool LooksLikeNnef1InMemory(absl::string_view contents) {
  return nnef::LooksLikeModelInMemory(contents, Nnef1Format());
}

inline absl::StatusOr<std::unique_ptr<Container>> OpenContainer(const std::string& path,
                                                                int64_t max_inflated_bytes = DefaultMaxContainerBytes(),
                                                                const ResourceContext* resources = nullptr) {
  return nnef::OpenContainer(path, Nnef1Format(), max_inflated_bytes, resources);
}

inline absl::StatusOr<std::unique_ptr<Container>> OpenContainerInMemory(
    absl::string_view contents, const std::string& name, int64_t max_inflated_bytes = DefaultMaxContainerBytes(),
    const ResourceContext* resources = nullptr) {
  return nnef::OpenContainerInMemory(contents, name, Nnef1Format(), max_inflated_bytes, resources);
}

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_CONTAINERS_CONTAINER_H_
