#include "tests/random_nnef2/random_document.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/library/library.h"
#include "gtest/gtest.h"
#include "tests/random_nnef2/compose_document.h"
#include "tests/random_nnef2/direct_evaluator.h"

namespace xla {
namespace nnef2 {
namespace {

void ExpectRuns(const RandomDocument& document, const absl::StatusOr<ComposedGraph>& graph) {
  ASSERT_TRUE(graph.ok()) << graph.status() << "\n" << document.text;
  DirectArguments arguments;
  arguments.inputs = document.inputs;
  const absl::StatusOr<DirectResults> results = RunDirectly(*graph, arguments);
  // Some are fed with extents that do not fit.
  const absl::optional<ErrorClass> error_class = ErrorClassOf(results.status());
  const bool is_misfit = error_class == ErrorClass::kRuntimeShape || error_class == ErrorClass::kRuntimeBound;
  EXPECT_TRUE(results.ok() || is_misfit) << results.status() << "\n" << document.text;
}

TEST(RandomDocumentTest, StatementsAreValid) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const RandomDocument document = RandomStatement(seed, static_cast<int>(seed % 4) + 1);
    ExpectRuns(document, ComposeDocument(document.text, "", {}));
  }
}

TEST(RandomDocumentTest, SearchesAreValid) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const RandomDocument document = RandomArgument(seed);
    ExpectRuns(document, ComposeDocument(document.text, "", {}));
  }
}

TEST(RandomDocumentTest, CallsAreValid) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const RandomDocument document = RandomLibraryCall(seed);
    ExpectRuns(document, ComposeCall(document));
  }
}

// All that can be run, except for those that only others invoke.
TEST(RandomDocumentTest, AllOperatorsAreCalled) {
  std::set<std::string> called;
  for (const std::string& name : CalledOperators()) called.insert(name.substr(0, name.find('<')));
  for (const LibraryModule& module : StandardLibrary()) {
    for (size_t place = module.text.find("\noperator "); place != absl::string_view::npos;
         place = module.text.find("\noperator ", place + 1)) {
      const absl::string_view rest = module.text.substr(place + 10);
      const std::string name = absl::StrCat(module.name, ".", rest.substr(0, rest.find(' ')));
      const bool is_private = rest[0] == '_';
      const bool has_no_meaning = name == "image.max_roi_pool" || name == "image.avg_roi_pool";
      EXPECT_TRUE(is_private || has_no_meaning || called.count(name) > 0) << name;
    }
  }
}

}  // namespace
}  // namespace nnef2
}  // namespace xla
