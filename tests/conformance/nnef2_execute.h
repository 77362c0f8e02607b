// Runs a model of the NNEF 2 corpus and compares what comes out.
#ifndef TESTS_CONFORMANCE_NNEF2_EXECUTE_H_
#define TESTS_CONFORMANCE_NNEF2_EXECUTE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "builders/nnef2/model/model.h"
#include "tests/conformance/nnef2_corpus.h"
#include "tests/conformance/nnef2_run_case.h"
#include "xla_core/support/json.h"
#include "xla_core/types/literal.h"

namespace xla {

// What one run gives: the tensors of the outputs, of the extents that they have, those of packs one after the other;
// and variables that it updates.
struct Nnef2Results {
  std::vector<Literal> outputs;
  std::vector<std::pair<std::string, Literal>> variables;
};

// The inputs of the case, those of packs one after the other.
absl::StatusOr<std::vector<Literal>> ReadNnef2Inputs(const nnef2::Model& model, const Nnef2Description& description);

absl::StatusOr<Nnef2Results> ExecuteNnef2(const nnef2::Model& model, const std::vector<Literal>& inputs,
                                          const Nnef2Run& run, const BackendVariant& variant);

// DataLoss: what came out is not what the case expects, or not what its alternatives do.
absl::Status CheckNnef2Results(const nnef2::Model& model, const Nnef2Description& description,
                               const Nnef2Results& results);

// DataLoss: some bits differ. `what`: "on 2 threads".
absl::Status CheckSameNnef2Results(const Nnef2Results& got, const Nnef2Results& want, absl::string_view what);

// DataLoss: outputs that have no reason for other bits than the interpreter's have others.
absl::Status CheckExactNnef2Results(const nnef2::Model& model, const std::vector<Literal>& inputs,
                                    const Nnef2Results& results, const Nnef2Run& run);

// DataLoss: the pass expand-dynamic-dimensions leaves dynamic dimensions, of which it warns.
absl::Status CheckNnef2Expands(const nnef2::Model& model, const Nnef2Run& run);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_NNEF2_EXECUTE_H_
