// Ways to run one program on a backend, of which all must give the same bits.
#ifndef TESTS_CONFORMANCE_BACKEND_VARIANTS_H_
#define TESTS_CONFORMANCE_BACKEND_VARIANTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace xla {

struct BackendVariant {
  int threads = 1;
  int optimization_level = 1;

  std::string Text() const;  // "3 threads at level 1"
};

// Each number of `threads` ("1,3") with each of `levels` ("0,1"), at least one. InvalidArgument, which names the flag
// --backend-threads or --levels.
absl::StatusOr<std::vector<BackendVariant>> ReadVariants(absl::string_view threads, absl::string_view levels);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_BACKEND_VARIANTS_H_
