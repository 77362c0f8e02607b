// What NNEF 1 calls the parts of a model, for the containers and tensor files that both versions have (nnef_common).
#ifndef BUILDERS_NNEF1_CONTAINERS_MODEL_FORMAT_H_
#define BUILDERS_NNEF1_CONTAINERS_MODEL_FORMAT_H_

#include "absl/strings/string_view.h"
#include "builders/nnef_common/model_format.h"

namespace xla {
namespace nnef1 {

// Names of members with a meaning.
inline constexpr absl::string_view kDescriptionMember = "graph.nnef";
inline constexpr absl::string_view kQuantizationMember = "graph.quant";
using nnef::kTensorFileSuffix;

const nnef::ModelFormat& Nnef1Format();

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_CONTAINERS_MODEL_FORMAT_H_
