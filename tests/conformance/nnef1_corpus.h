// The cases of the NNEF 1 corpus: a manifest in JSON, and a folder with files for each.
#ifndef TESTS_CONFORMANCE_NNEF1_CORPUS_H_
#define TESTS_CONFORMANCE_NNEF1_CORPUS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace xla {

struct Nnef1Case {
  enum class Expect {
    kSuccess,    // it runs and gives the expected results
    kError,      // it is refused
    kStructure,  // it is read, and has tensors of the expected shapes
  };
  // A tensor that is fed or expected. Without a file, its items are given by a formula.
  struct TensorFile {
    std::string name;
    std::string path;
  };

  std::string name;
  std::string group;  // "operation", "language", "container", "quantization", "network", "invalid E2.3"
  Expect expect = Expect::kSuccess;
  std::string folder;
  std::string model;  // the path of the folder or of the archive
  // By cycle, then in the order of the graph's lists.
  std::vector<std::vector<TensorFile>> inputs;
  std::vector<std::vector<TensorFile>> outputs;
  double atol = 0;
  double rtol = 0;
  bool has_formula_weights = false;
  bool has_quantization_file = false;
  // The specification is ambiguous here, and the case is not to be counted.
  bool is_disputed = false;
  // Of an error: the classes that are right ("E2.3").
  std::vector<std::string> error_classes;
  std::string rule;
  std::string structure;  // the path of a file with shapes
};

// All cases of the manifest in `folder`, in its order. NotFound if there is none; InvalidArgument if it is malformed.
absl::StatusOr<std::vector<Nnef1Case>> ReadNnef1Corpus(const std::string& folder);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_NNEF1_CORPUS_H_
