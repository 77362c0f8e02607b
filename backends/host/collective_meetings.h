// CollectiveMeetings: lets an evaluator meet other devices where those of all backends do.
#ifndef BACKENDS_HOST_COLLECTIVE_MEETINGS_H_
#define BACKENDS_HOST_COLLECTIVE_MEETINGS_H_

#include <cstdint>
#include <vector>

#include "backends/collectives.h"
#include "xla_core/evaluator/program.h"
#include "xla_core/support/memory_budget.h"

namespace xla {

// The evaluator takes the operands of all members and computes its results itself.
class CollectiveMeetings : public DeviceMeetings {
 public:
  // What others bring counts in `memory`, unless it is shared with them. Both outlive the object.
  CollectiveMeetings(Collectives* collectives, MemoryBudget* memory) : collectives_(collectives), memory_(memory) {}

  absl::StatusOr<Contributions> Exchange(int64_t device, const HloInstruction& instruction,
                                         absl::Span<const int64_t> group, std::vector<Literal> mine,
                                         absl::FunctionRef<absl::Status()> check) override;
  absl::Status Send(int64_t device, int64_t to, int64_t channel, Literal value) override;
  absl::StatusOr<Literal> Receive(int64_t device, int64_t from, int64_t channel, const HloInstruction& instruction,
                                  absl::FunctionRef<absl::Status()> check) override;
  void DeviceEnded(int64_t device, const absl::Status& status) override { collectives_->DeviceEnded(device, status); }
  bool failed() const override { return collectives_->failed(); }

 private:
  absl::StatusOr<Contributions> ExchangeShared(CollectiveCall call, std::vector<Literal> mine,
                                               absl::FunctionRef<absl::Status()> check);

  Collectives* const collectives_;
  MemoryBudget* const memory_;
};

}  // namespace xla

#endif  // BACKENDS_HOST_COLLECTIVE_MEETINGS_H_
