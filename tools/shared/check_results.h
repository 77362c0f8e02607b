// Results against expected ones.
#ifndef TOOLS_SHARED_CHECK_RESULTS_H_
#define TOOLS_SHARED_CHECK_RESULTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "tools/shared/write_results.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/support/json.h"

namespace xla {

// How close results must be. What is not set comes from the default of the element type.
struct ResultTolerance {
  absl::optional<double> rtol;
  absl::optional<double> atol;
  absl::optional<double> ulp;
  // Absolute tolerance of output k, where there is one; instead of atol.
  std::vector<double> atols;
  // The numbers come from a case, which leaves nothing to defaults and whose atol is absolute.
  bool is_from_case = false;
  bool zero_sign = false;
  // Arrays that must have the same bits, whatever is set above: of one device, by position. Empty: none.
  std::vector<bool> exact;

  // The tolerance for output `k` (of any device) with elements of `type`.
  Tolerance ForOutput(int k, PrimitiveType type) const;
};

// The tolerance that a case's JSON states as {"tolerance": {"rtol", "atol", "atols"}, "zero_sign"}; unset if it has
// none. InvalidArgument if it is malformed.
absl::StatusOr<absl::optional<ResultTolerance>> ParseCaseTolerance(const JsonValue& json, absl::string_view file_name);

// Which arrays of the program's results backends must give the same bits, NaNs aside: those that depend neither on the
// order of a sum nor on how a function is rounded that may be off by some units in the last place. Without fast math.
// An error once a limit of `resources`, which may be nullptr, has been reached.
absl::StatusOr<std::vector<bool>> ExactArrays(const HloModule& module, const ResourceContext* resources);

struct CheckedResults {
  bool match = true;
  std::string report;  // a line or more for each array
};

// Compares arrays pairwise by position.
CheckedResults CheckResults(const std::vector<NamedArray>& got, const std::vector<NamedArray>& want,
                            const ResultTolerance& tolerance);

// The expected arrays from a .npz file, in the order of `got` and under its names and shapes; an array of another shape
// comes as the file says, so that the comparison can say so. InvalidArgument if names are missing or left over. A limit
// of `resources`, which may be nullptr, is an error too.
absl::StatusOr<std::vector<NamedArray>> ReadExpectedResults(const std::vector<NamedArray>& got, const std::string& path,
                                                            const ResourceContext* resources = nullptr);

}  // namespace xla

#endif  // TOOLS_SHARED_CHECK_RESULTS_H_
