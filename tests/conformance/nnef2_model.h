// Models of the NNEF 2 corpus: read, and read once more from the text that they print.
#ifndef TESTS_CONFORMANCE_NNEF2_MODEL_H_
#define TESTS_CONFORMANCE_NNEF2_MODEL_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "builders/nnef2/model/model.h"
#include "builders/nnef_common/containers/container.h"
#include "tests/conformance/nnef2_corpus.h"

namespace xla {

absl::StatusOr<std::unique_ptr<nnef::Container>> OpenNnef2Case(const Nnef2Description& description);

// With the attributes of the case.
absl::StatusOr<nnef2::Model> LoadNnef2Case(const nnef::Container& container, const Nnef2Description& description);

// The members of `model`, in which modules are printed. It outlives the result.
std::unique_ptr<nnef::Container> PrintedModules(const nnef::Container& model, const nnef2::Program& program);

// DataLoss: the printed modules are refused, printed otherwise than they were, or composed to another graph. The model
// that they are is put into *again.
absl::Status CheckPrintedModules(const nnef::Container& container, const Nnef2Description& description,
                                 const nnef2::Model& model, nnef2::Model* again);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_NNEF2_MODEL_H_
