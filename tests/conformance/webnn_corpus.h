// The cases of the WebNN corpus: files of JSON, each with many.
#ifndef TESTS_CONFORMANCE_WEBNN_CORPUS_H_
#define TESTS_CONFORMANCE_WEBNN_CORPUS_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/support/json.h"

namespace xla {

struct WebnnCase {
  enum class Kind {
    kNumeric,     // a graph, what goes in and what must come out
    kValidation,  // an operator that must be refused, or accepted with results of certain types and shapes
    kScript,      // steps with contexts, builders and graphs, of which one may have to fail
  };

  Kind kind = Kind::kNumeric;
  std::string group;  // the file's name
  std::string name;
  const JsonValue* json = nullptr;

  std::string title() const { return group + "/" + name; }
};

struct WebnnCorpus {
  std::deque<JsonValue> files;  // what the cases point into
  std::vector<WebnnCase> cases;
};

// All cases of the .json files in `folder`, sorted by file. NotFound if there is no such folder or no such file in it;
// InvalidArgument for a file that does not hold cases.
absl::StatusOr<WebnnCorpus> ReadWebnnCorpus(const std::string& folder);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_WEBNN_CORPUS_H_
