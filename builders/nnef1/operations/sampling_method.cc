#include "builders/nnef1/operations/sampling_method.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef1 {
namespace {

// In the order of SamplingMethod.
constexpr absl::string_view kNames[] = {"symmetric", "asymmetric", "aligned"};

}  // namespace

absl::StatusOr<SamplingMethod> SamplingMethodOf(const OperationCall& call) {
  const std::string& name = call.string("method");
  const auto* const found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found != std::end(kNames)) return static_cast<SamplingMethod>(found - std::begin(kNames));
  return WrongArgument("method", "'symmetric', 'asymmetric' or 'aligned'",
                       absl::StrCat("'", name, "'", DidYouMean(name, kNames)));
}

}  // namespace nnef1
}  // namespace xla
