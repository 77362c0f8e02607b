#include "builders/nnef_common/containers/model_texts.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef {
namespace {

// Larger texts are not descriptions of anything.
constexpr int64_t kMaxTextBytes = int64_t{256} << 20;

}  // namespace

absl::StatusOr<std::shared_ptr<const Source>> ReadSource(const Container& container, absl::string_view member,
                                                         std::string module) {
  auto source = std::make_shared<Source>();
  source->name = container.NameOf(member);
  source->module = std::move(module);
  ASSIGN_OR_RETURN(source->text, container.ReadAll(member, kMaxTextBytes));
  return std::shared_ptr<const Source>(std::move(source));
}

absl::Status NoDescription(const Container& container) {
  constexpr int64_t kEnoughForASuggestion = 2000;
  const absl::string_view description = container.format().description;
  const ErrorClass error_class = container.format().container_error;
  const std::vector<std::string> members = container.Members(kEnoughForASuggestion);
  for (const std::string& member : members) {
    if (!absl::EndsWith(member, absl::StrCat("/", description))) continue;
    return ClassifiedError(error_class, absl::StrCat(container.name(), ": expected ", description, " at the top, got ",
                                                     member, "; open or pack that folder itself"));
  }
  const std::vector<absl::string_view> known(members.begin(), members.end());
  return ClassifiedError(error_class,
                         absl::StrCat(container.name(), ": there is no ", description, DidYouMean(description, known)));
}

}  // namespace nnef
}  // namespace xla
