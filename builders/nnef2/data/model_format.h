// What NNEF 2 calls the parts of a model, for the containers and tensor files that both versions have (nnef_common).
#ifndef BUILDERS_NNEF2_DATA_MODEL_FORMAT_H_
#define BUILDERS_NNEF2_DATA_MODEL_FORMAT_H_

#include "absl/strings/string_view.h"
#include "builders/nnef_common/model_format.h"

namespace xla {
namespace nnef2 {

// The member that holds the graphs, and what the names of all modules end with.
inline constexpr absl::string_view kMainModuleMember = "main.sknd";
inline constexpr absl::string_view kModuleSuffix = ".sknd";
using nnef::kTensorFileSuffix;

// A text is a document if it begins with an import, an operator or a graph. Errors of containers and data are of class
// data, those of what is fed of the classes runtime-shape and runtime-bound.
const nnef::ModelFormat& Nnef2Format();

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_DATA_MODEL_FORMAT_H_
