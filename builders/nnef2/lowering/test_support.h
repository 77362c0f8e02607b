// Documents for the tests of this folder.
#ifndef BUILDERS_NNEF2_LOWERING_TEST_SUPPORT_H_
#define BUILDERS_NNEF2_LOWERING_TEST_SUPPORT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "builders/nnef2/composition/composed_graph.h"

namespace xla {
namespace nnef2 {

// The first graph of a document, which may import the standard library; nothing after an error, which is reported.
absl::optional<ComposedGraph> ComposeText(const std::string& text, Diagnostics* diagnostics);

// A document of one operator with the inputs x: real[4], k: int[3] and xs: real[2]..(2), whose sizes are called n, m, s
// and c. Its output y, "real[n]" or "real[s]..(c)", is that of the graph.
std::string StatementText(absl::string_view output, absl::string_view statements);

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_LOWERING_TEST_SUPPORT_H_
