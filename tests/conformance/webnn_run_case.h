// Runs one case of the WebNN corpus and says whether it did what it must.
#ifndef TESTS_CONFORMANCE_WEBNN_RUN_CASE_H_
#define TESTS_CONFORMANCE_WEBNN_RUN_CASE_H_

#include <string>
#include <vector>

#include "tests/conformance/backend_variants.h"
#include "tests/conformance/corpus_run.h"
#include "tests/conformance/webnn_corpus.h"

namespace xla {

struct WebnnRun {
  std::string backend = "interpreter";
  // How each graph runs; the results must have the same bits.
  std::vector<BackendVariant> variants = {BackendVariant()};
};

// A numeric case is read as the JSON form of a graph, must survive being written and read again, and is run as a
// program would run it: with compute(), or with tensors and dispatch() if it belongs to later editions.
CaseResult RunWebnnCase(const WebnnCase& webnn_case, const WebnnRun& run);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_WEBNN_RUN_CASE_H_
