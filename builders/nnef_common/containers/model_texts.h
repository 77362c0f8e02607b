// The texts of a model: its description and what else is written in the language.
#ifndef BUILDERS_NNEF_COMMON_CONTAINERS_MODEL_TEXTS_H_
#define BUILDERS_NNEF_COMMON_CONTAINERS_MODEL_TEXTS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef_common/containers/container.h"
#include "builders/nnef_common/diagnostics.h"

namespace xla {
namespace nnef {

// A member as a source, for a module of that name. Errors: those of Container::ReadAll, also for what is too large to
// be a text.
absl::StatusOr<std::shared_ptr<const Source>> ReadSource(const Container& container, absl::string_view member,
                                                         std::string module = "");

// The error of a model that lacks its description: where it is instead, or what is named nearly like it.
absl::Status NoDescription(const Container& container);

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_CONTAINERS_MODEL_TEXTS_H_
