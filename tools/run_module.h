// A module ready to run on a backend chosen by name.
#ifndef TOOLS_RUN_MODULE_H_
#define TOOLS_RUN_MODULE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {

struct RunSettings : EvaluatorOptions {
  std::string backend = "interpreter";
};

// 80 % of the machine's memory.
int64_t DefaultMemoryLimit();

// InvalidArgument for numbers of devices that no machine has.
absl::Status CheckDeviceCount(int64_t replica_count, int64_t partition_count);

class RunnableModule {
 public:
  // `module` must have passed VerifyModule and outlive the object. InvalidArgument for an unknown backend.
  static absl::StatusOr<std::unique_ptr<RunnableModule>> Create(const HloModule& module, const RunSettings& settings);

  // As Evaluator::Run.
  absl::StatusOr<std::vector<Literal>> Run(std::vector<std::vector<Literal>> arguments, FeedQueues* queues) {
    return evaluator_->Run(std::move(arguments), queues);
  }
  int64_t peak_memory_bytes() const { return evaluator_->peak_memory_bytes(); }
  int64_t steps() const { return evaluator_->steps(); }

 private:
  explicit RunnableModule(std::unique_ptr<Evaluator> evaluator) : evaluator_(std::move(evaluator)) {}

  const std::unique_ptr<Evaluator> evaluator_;
};

}  // namespace xla

#endif  // TOOLS_RUN_MODULE_H_
