// The cases of the NNEF 2 corpus: a manifest in JSON, and for each case a file in JSON beside a document.
#ifndef TESTS_CONFORMANCE_NNEF2_CORPUS_H_
#define TESTS_CONFORMANCE_NNEF2_CORPUS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/support/json.h"

namespace xla {

struct Nnef2Case {
  enum class Kind {
    kExec,     // it is composed, runs and gives the expected results
    kCompile,  // it is composed, with the expected facts
    kInvalid,  // it is refused
    kData,     // a tensor file, read with the expected facts, or refused
  };

  std::string name;
  std::string group;  // "math", "invalid.type", "models", "data"
  Kind kind = Kind::kExec;
  std::string path;  // of the JSON file
};

// All cases of the manifest in `folder`, in its order. NotFound if there is none; InvalidArgument if it is malformed.
absl::StatusOr<std::vector<Nnef2Case>> ReadNnef2Corpus(const std::string& folder);

// What the JSON file of a case says.
struct Nnef2Description {
  JsonValue json;
  std::string source;         // the path of the document or of the tensor file
  bool is_folder = false;     // the document is main.sknd of a folder, the path that of the folder
  bool is_ambiguous = false;  // the standard can be read otherwise, and the case is not to be counted
};

absl::StatusOr<Nnef2Description> ReadNnef2Case(const Nnef2Case& nnef2_case);

// The text of a member; "" if there is none.
std::string TextMember(const JsonValue& json, absl::string_view key);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_NNEF2_CORPUS_H_
