// The names that XLA gives its passes, for those whose work a pass here does too: users of XLA know `dce` and
// `algsimp`.
#ifndef PASSES_XLA_PASS_NAMES_H_
#define PASSES_XLA_PASS_NAMES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace xla {

struct XlaPassName {
  absl::string_view xla;   // what HloPassInterface::name() returns, or the name of the file where users say that
  absl::string_view pass;  // a row of the pass table
};

// Sorted by XLA's name. A pass with the same name in both is not listed.
absl::Span<const XlaPassName> XlaPassNames();

// The pass that does the work of XLA's pass `name`, in which '-' and '_' are alike; "" if there is none.
absl::string_view PassOfXlaName(absl::string_view name);

// XLA's names of a pass; mostly one or none.
std::vector<absl::string_view> XlaNamesOfPass(absl::string_view pass);

}  // namespace xla

#endif  // PASSES_XLA_PASS_NAMES_H_
