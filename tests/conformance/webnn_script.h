// Scripts of the WebNN corpus: steps that make contexts, builders, operands and graphs, and run these.
#ifndef TESTS_CONFORMANCE_WEBNN_SCRIPT_H_
#define TESTS_CONFORMANCE_WEBNN_SCRIPT_H_

#include <string>

#include "absl/status/status.h"
#include "backends/options.h"
#include "xla_core/support/json.h"

namespace xla {

// Runs the steps in order on `backend`, whose clients have these settings. With "throws", the one at "at_step" must
// fail with that error and all before it succeed; without, all must.
absl::Status RunWebnnScript(const JsonValue& json, const std::string& backend, const BackendSettings& client_settings);

// DataLoss unless `status` is an error of the kind that the case has as "throws", with the name of a rule.
absl::Status CheckThrown(const JsonValue& json, const absl::Status& status);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_WEBNN_SCRIPT_H_
