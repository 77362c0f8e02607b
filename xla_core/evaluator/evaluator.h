// Evaluator: the reference interpreter. It runs a verified module on one device, or on replicas x partitions of them at
// once, and defines what every backend and every pass must compute.
#ifndef XLA_CORE_EVALUATOR_EVALUATOR_H_
#define XLA_CORE_EVALUATOR_EVALUATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "xla_core/evaluator/feed_queues.h"
#include "xla_core/evaluator/profile_sink.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// How a run is executed and limited. Pointers are not owned and must stay valid as long as the evaluator runs.
struct EvaluatorOptions {
  int threads = 1;  // for loops inside of operations; results do not depend on it
  int64_t replica_count = 1;
  int64_t partition_count = 1;
  uint64_t seed = 0;  // of rng; device d uses its own stream
  // Limits of one run; reaching one ends it with ResourceExhausted (steps, memory) or DeadlineExceeded.
  // Instructions per device, without those that only pass values on; an iteration of a loop counts as one at least. 0:
  // no limit.
  int64_t max_steps = 0;
  int64_t max_memory_bytes = MemoryBudget::kUnlimited;  // for values, all devices together
  absl::Duration timeout = absl::InfiniteDuration();    // of each run
  // Limits besides these, and who may stop the runs: Cancelled. nullptr: none.
  const ResourceContext* resources = nullptr;
  ProfileSink* profile = nullptr;
  // (instructions of the entry computation that are done, all of them), from device 0.
  std::function<void(int64_t done, int64_t total)> progress;
};

// The interface that tests and tools use for a whole program. The client around it is backends/interpreter.
class Evaluator {
 public:
  // `module` must have passed VerifyModule and outlive the evaluator.
  static absl::StatusOr<std::unique_ptr<Evaluator>> Create(const HloModule& module, EvaluatorOptions options = {});
  virtual ~Evaluator() = default;

  // Runs the entry computation on every device. arguments[d] are those of device d = replica * partition_count +
  // partition, one literal for each parameter; the result has one literal for each device. May be called again and
  // again, from one thread at a time. Errors: InvalidArgument if the arguments do not fit or the program is wrong at
  // run time, FailedPrecondition for a deadlock, an empty infeed queue or a constant without value; the limits above.
  // Messages name the instruction.
  virtual absl::StatusOr<std::vector<Literal>> Run(std::vector<std::vector<Literal>> arguments,
                                                   FeedQueues* queues = nullptr) = 0;
  // For one device.
  absl::StatusOr<Literal> RunOne(std::vector<Literal> arguments);

  // The most bytes that values held at once during the last run, and the instructions it evaluated on all devices.
  virtual int64_t peak_memory_bytes() const = 0;
  virtual int64_t steps() const = 0;
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_EVALUATOR_H_
