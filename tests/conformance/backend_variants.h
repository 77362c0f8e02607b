// Ways to run one program on a backend, of which all must give the same bits.
#ifndef TESTS_CONFORMANCE_BACKEND_VARIANTS_H_
#define TESTS_CONFORMANCE_BACKEND_VARIANTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "backends/options.h"

namespace xla {

struct BackendVariant {
  int threads = 1;
  int optimization_level = 1;
  int processes = 1;
  // CompileOptions::settings.
  BackendSettings settings;
  // ClientOptions::settings, the same for all variants.
  BackendSettings client_settings;

  // "3 threads at level 1", "1 thread at level 0 with cache=/tmp/c", "2 processes with 1 thread at level 1"
  std::string Text() const;
};

// Each number of `threads` ("1,3") with each of `levels` ("0,1"), at least one, all with `settings` and
// `client_settings` ("NAME=VALUE"). InvalidArgument, which names the flag --backend-threads, --levels, --setting or
// --client-setting.
absl::StatusOr<std::vector<BackendVariant>> ReadVariants(absl::string_view threads, absl::string_view levels,
                                                         const std::vector<std::string>& settings,
                                                         const std::vector<std::string>& client_settings = {});

// Numbers of processes ("1,2,4"). InvalidArgument, which names the flag --processes.
absl::StatusOr<std::vector<int>> ReadProcessCounts(absl::string_view list);

// Each of `variants` with each of `processes` that divides `devices`; with one process where none does.
std::vector<BackendVariant> WithProcesses(const std::vector<BackendVariant>& variants,
                                          const std::vector<int>& processes, int64_t devices);

// Adds, for the backend `cpu`, a variant like variants[like], but with memory that is poisoned and a plan that is
// verified (the settings poison-memory and verify-plan), and for the others nothing.
void AddCheckedVariant(absl::string_view backend, size_t like, std::vector<BackendVariant>* variants);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_BACKEND_VARIANTS_H_
