// How near a result must be to the expected one, by the metric of the WebNN corpus (which is that of the web platform
// tests).
#ifndef TESTS_CONFORMANCE_WEBNN_METRIC_H_
#define TESTS_CONFORMANCE_WEBNN_METRIC_H_

#include <string>

#include "absl/status/status.h"
#include "xla_core/types/literal.h"

namespace xla {

struct WebnnTolerance {
  // kUlp: floats as the integers that their bit patterns are, negative ones negated, so that neighbours differ by 1, 0
  // and -0 by nothing, and the largest number and infinity by 1; integers as they are.
  // kAtol: the values; an infinity is near only to itself.
  // NaN matches only NaN.
  enum class Metric { kUlp, kAtol };

  Metric metric = Metric::kUlp;
  double value = 0;
};

// Compares two arrays of floats or integers that WebNN has. DataLoss, with the number of wrong elements and the worst
// one, unless shape and elements match.
absl::Status CheckWebnnResult(const std::string& name, const Literal& got, const Literal& want,
                              const WebnnTolerance& tolerance);

}  // namespace xla

#endif  // TESTS_CONFORMANCE_WEBNN_METRIC_H_
