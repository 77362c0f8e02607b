// ModelFormat: what one version of the standard calls the parts of a model, and where the versions differ in what they
// allow.
#ifndef BUILDERS_NNEF_COMMON_MODEL_FORMAT_H_
#define BUILDERS_NNEF_COMMON_MODEL_FORMAT_H_

#include "absl/strings/string_view.h"
#include "builders/nnef_common/diagnostics.h"

namespace xla {
namespace nnef {

inline constexpr absl::string_view kTensorFileSuffix = ".dat";

// Whether an archive is a model of one version, as far as the name of one of its members tells.
enum class MemberHint {
  kNone,
  kModel,   // it is
  kLikely,  // it is, unless another member says otherwise
  kOther,   // it is one of another version
};

// Each version has one, which is never destroyed.
struct ModelFormat {
  // The member that is the description; a text alone is a model that has nothing else.
  absl::string_view description;
  // Whether a text begins as a description does.
  bool (*begins_description)(absl::string_view text) = nullptr;
  // Whether a member is read to load the model: the others of a compressed archive are not kept. `kept` is which ones,
  // for messages: "graph.nnef, graph.quant and *.dat".
  bool (*is_kept)(absl::string_view member) = nullptr;
  absl::string_view kept;
  // What the name of a member says about the archive in which it is.
  MemberHint (*hint_of)(absl::string_view member) = nullptr;

  // Tensors may have extents of 0.
  bool has_empty_tensors = false;
  // Bytes after the data of a tensor file are a warning, not an error.
  bool ignores_surplus_bytes = false;
  // Labels of variables do not differ by case.
  bool ignores_case_of_labels = false;

  // What is wrong with a container, a tensor file, codes without a meaning, and what is fed.
  ErrorClass container_error;
  ErrorClass data_error;
  ErrorClass quantization_error;
  ErrorClass fed_error;
  // An extent of what is fed is above its bound; of a version that has bounds.
  ErrorClass bound_error;
};

}  // namespace nnef
}  // namespace xla

#endif  // BUILDERS_NNEF_COMMON_MODEL_FORMAT_H_
