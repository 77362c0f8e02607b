// LiteralMeetings: the meetings of a run whose devices all are in this process, and hand each other literals.
#ifndef XLA_CORE_EVALUATOR_LITERAL_MEETINGS_H_
#define XLA_CORE_EVALUATOR_LITERAL_MEETINGS_H_

#include <cstdint>
#include <vector>

#include "xla_core/evaluator/program.h"
#include "xla_core/evaluator/rendezvous.h"

namespace xla {

// Values are shared, not copied.
class LiteralMeetings : public DeviceMeetings {
 public:
  explicit LiteralMeetings(int64_t device_count) : rendezvous_(device_count) {}

  absl::StatusOr<Contributions> Exchange(int64_t device, const HloInstruction& instruction,
                                         absl::Span<const int64_t> group, std::vector<Literal> mine,
                                         absl::FunctionRef<absl::Status()> check) override;
  absl::Status Send(int64_t device, int64_t to, int64_t channel, Literal value) override;
  absl::StatusOr<Literal> Receive(int64_t device, int64_t from, int64_t channel, const HloInstruction& instruction,
                                  absl::FunctionRef<absl::Status()> check) override;
  void DeviceEnded(int64_t device, const absl::Status& status) override { rendezvous_.DeviceEnded(device, status); }
  bool failed() const override { return rendezvous_.failed(); }

 private:
  Rendezvous rendezvous_;
};

// InvalidArgument, naming the instruction and two devices, unless all members of the group bring arrays of the same
// shapes. shapes[m] are those of the member at position m.
absl::Status CheckSameShapes(const HloInstruction& instruction, absl::Span<const int64_t> group,
                             const std::vector<std::vector<const Shape*>>& shapes);

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_LITERAL_MEETINGS_H_
