// Results of a backend that have no excuse for other bits than the interpreter's.
//
// The tolerance of a case is for those who made what it expects. What depends neither on the order of a sum nor on how
// a function is rounded (passes/analyses/exactness.h) is the same on all backends.
#ifndef TESTS_CONFORMANCE_EXACT_RESULTS_H_
#define TESTS_CONFORMANCE_EXACT_RESULTS_H_

#include <vector>

#include "absl/status/status.h"
#include "tools/shared/write_results.h"

namespace xla {

// Whether any is.
bool AnyIsExact(const std::vector<bool>& exact);

// Compares the arrays of which `exact` says so; it is for one device, the arrays are of all in their order. One NaN is
// as good as another. DataLoss, with a line for each array that was compared.
absl::Status CheckExactResults(const std::vector<bool>& exact, const std::vector<NamedArray>& got,
                               const std::vector<NamedArray>& of_interpreter);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_EXACT_RESULTS_H_
