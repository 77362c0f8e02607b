// Ways to run one program on a backend, of which all must give the same bits.
#ifndef TESTS_CONFORMANCE_BACKEND_VARIANTS_H_
#define TESTS_CONFORMANCE_BACKEND_VARIANTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/options.h"

namespace xla {

struct BackendVariant {
  int threads = 1;
  int optimization_level = 1;
  // CompileOptions::settings.
  BackendSettings settings;

  std::string Text() const;  // "3 threads at level 1", "1 thread at level 0 with cache=/tmp/c"
};

// Each number of `threads` ("1,3") with each of `levels` ("0,1"), at least one, all with `settings` ("NAME=VALUE").
// InvalidArgument, which names the flag --backend-threads, --levels or --setting.
absl::StatusOr<std::vector<BackendVariant>> ReadVariants(absl::string_view threads, absl::string_view levels,
                                                         const std::vector<std::string>& settings);

// Adds, for the backend `cpu`, a variant like variants[like], but with memory that is poisoned and a plan that is
// verified (the settings poison-memory and verify-plan), and for the others nothing.
void AddCheckedVariant(absl::string_view backend, size_t like, std::vector<BackendVariant>* variants);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_BACKEND_VARIANTS_H_
