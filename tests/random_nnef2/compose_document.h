// Composes a document of NNEF 2 for tests.
#ifndef TESTS_RANDOM_NNEF2_COMPOSE_DOCUMENT_H_
#define TESTS_RANDOM_NNEF2_COMPOSE_DOCUMENT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef2/composition/compose_graph.h"
#include "tests/random_nnef2/random_document.h"

namespace xla {
namespace nnef2 {

// The first graph of `text` with the standard library and, unless it is empty, the other modules of `folder`.
absl::StatusOr<ComposedGraph> ComposeDocument(absl::string_view text, const std::string& folder,
                                              const ComposeOptions& options);

// That of a RandomLibraryCall, with the type of its output.
absl::StatusOr<ComposedGraph> ComposeCall(const RandomDocument& call);

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_COMPOSE_DOCUMENT_H_
