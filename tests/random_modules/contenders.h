// Contenders: the programs that a backend makes of one random module, each of which must give the same results.
//
// Beside the usual variants (numbers of threads, levels), and on cpu one that is checked, some modules have one in
// another *way*, which the seed chooses: loaded from the serialized executable, from the cache, with weights, fast math
// and so on. The seed also chooses the processor that all of them are for.
#ifndef TESTS_RANDOM_MODULES_CONTENDERS_H_
#define TESTS_RANDOM_MODULES_CONTENDERS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tests/conformance/backend_variants.h"
#include "tools/shared/run_module.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

// Of a contender's results, with the first one's or with the interpreter's.
enum class ContenderAgreement {
  kWithinTolerance,  // with the interpreter's, by the tolerance of the types; what is exact has the same bits
  kMostly,           // with the interpreter's, at most of the elements that are finite, and coarsely
  kAny,              // it only has to run
  kButForNan,        // with the first one's: the same bits, except that a NaN is a NaN: rewrites change the bits of those
  kSameBits,         // with the first one's
};

struct Contender {
  std::string name;
  ContenderAgreement agreement;
  std::unique_ptr<RunnableModule> runnable;
  // Only for ordinary arguments: others may give other results.
  bool ordinary_only = false;
  // Times that it runs with the same arguments: the first run with weights keeps what it computes from them.
  int runs = 1;
};

// A module for the interpreter or a backend, with limits that no reasonable module reaches.
absl::StatusOr<std::unique_ptr<RunnableModule>> CompileVariant(const HloModule& module, const std::string& backend,
                                                               const BackendVariant& variant);

// The first one is usual[0], with kWithinTolerance. Unimplemented: the backend cannot run the module; other errors name
// the contender.
absl::StatusOr<std::vector<Contender>> MakeContenders(const HloModule& module, const std::string& backend,
                                                      absl::Span<const BackendVariant> usual, uint64_t seed);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_CONTENDERS_H_
