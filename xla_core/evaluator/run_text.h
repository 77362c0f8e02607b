// For the tests of the evaluator: runs programs that are written as HLO text.
#ifndef XLA_CORE_EVALUATOR_RUN_TEXT_H_
#define XLA_CORE_EVALUATOR_RUN_TEXT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"

namespace xla {

// The module, read and verified; ends the process if it is wrong.
std::unique_ptr<HloModule> ModuleFromText(absl::string_view text);

// The value on one device.
absl::StatusOr<Literal> RunText(absl::string_view text, std::vector<Literal> arguments = {},
                                const EvaluatorOptions& options = {});
// The values on replicas x partitions devices; no arguments, or one list for each device.
absl::StatusOr<std::vector<Literal>> RunTextOnDevices(absl::string_view text, int64_t replicas, int64_t partitions,
                                                      std::vector<std::vector<Literal>> arguments = {},
                                                      FeedQueues* queues = nullptr, EvaluatorOptions options = {});

// The elements of an array.
template <typename T>
std::vector<T> ValuesOf(const Literal& literal) {
  const auto span = literal.span<T>();
  return std::vector<T>(span.begin(), span.end());
}

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_RUN_TEXT_H_
