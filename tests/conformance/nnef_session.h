// Sessions of NNEF models of both versions on a backend.
#ifndef TESTS_CONFORMANCE_NNEF_SESSION_H_
#define TESTS_CONFORMANCE_NNEF_SESSION_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "builders/nnef_common/session.h"
#include "tests/conformance/backend_variants.h"

namespace xla {

// The clients of a process are made once.
absl::StatusOr<std::unique_ptr<nnef::Session>> NnefSession(nnef::LoweredModel lowered, const std::string& backend,
                                                           const BackendVariant& variant);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_NNEF_SESSION_H_
