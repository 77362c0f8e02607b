// Which folder may include which: the diagram of docs/architecture.md as data.
#ifndef TESTS_LAYERING_LAYERS_H_
#define TESTS_LAYERING_LAYERS_H_

#include <vector>

#include "absl/strings/string_view.h"

namespace xla {

// A folder with what is in it, or a single file that stands on a level of its own.
struct Layer {
  absl::string_view path;
  // The layers right below. What is below those may be included too.
  std::vector<absl::string_view> below;
  // Whether the folders within it belong to it; otherwise each of them is a layer.
  bool with_subfolders = false;
};

// The project's layers, lowest first. A path belongs to the layer with the longest `path` that leads to it.
const std::vector<Layer>& ProjectLayers();

}  // namespace xla

#endif  // TESTS_LAYERING_LAYERS_H_
