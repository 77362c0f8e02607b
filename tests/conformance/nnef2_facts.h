// What a case of the NNEF 2 corpus says of a composed graph or a tensor file, and errors that it expects.
#ifndef TESTS_CONFORMANCE_NNEF2_FACTS_H_
#define TESTS_CONFORMANCE_NNEF2_FACTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "builders/nnef2/composition/composed_graph.h"
#include "builders/nnef2/data/tensor_file.h"
#include "tests/conformance/nnef2_corpus.h"
#include "xla_core/support/json.h"

namespace xla {

// DataLoss: one of the facts (outputs, variables, quantization, graphs) does not hold.
absl::Status CheckNnef2Facts(const nnef2::ComposedGraph& graph, const JsonValue& facts);

// The same for a tensor file (dtype, bits, signed, shape, values).
absl::Status CheckNnef2TensorFacts(const nnef2::StoredTensor& tensor, const JsonValue& facts);

// How well a status that refuses a case is what the case expects, of all errors in its message.
struct Nnef2Refusal {
  bool has_class = false;  // that of the case or one that it accepts, too
  bool has_line = false;   // also if the case names none
  bool has_message = false;
};
Nnef2Refusal JudgeNnef2Refusal(const absl::Status& status, const Nnef2Description& description);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_NNEF2_FACTS_H_
