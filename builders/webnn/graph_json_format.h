// What the reader and the writer of the JSON form of a graph share.
#ifndef BUILDERS_WEBNN_GRAPH_JSON_FORMAT_H_
#define BUILDERS_WEBNN_GRAPH_JSON_FORMAT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace xla {
namespace webnn {

// The member "format" of files of this form.
inline constexpr char kGraphJsonFormat[] = "webnn-graph/1";

// A file of weights is next to the file that names it, or in a folder there. InvalidArgument for a name that leads
// elsewhere, or that ends neither in .npz nor in .safetensors. `where` begins the message.
absl::Status CheckWeightsFile(absl::string_view name, absl::string_view where);
// Of a name that CheckWeightsFile admits.
bool IsNpz(absl::string_view name);

// The folder of a file with a slash at its end; "" without one.
std::string FolderOf(absl::string_view path);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_GRAPH_JSON_FORMAT_H_
