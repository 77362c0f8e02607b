// LocalCollectives: the devices of one run meet in this process, in shared memory.
//
// It is a Rendezvous whose members bring calls. The last one to come to a meeting begins its work; work that is worth
// it is cut into parts. Members who wait at the meeting take parts, and as many threads of the pool as there are more
// than those; the others compute meanwhile. Whoever does the last part ends the meeting. Members who help look at
// deadlines and Ctrl-C between parts.
#ifndef BACKENDS_HOST_LOCAL_COLLECTIVES_H_
#define BACKENDS_HOST_LOCAL_COLLECTIVES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/collectives.h"
#include "xla_core/evaluator/rendezvous.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/support/thread_pool.h"

namespace xla {

// One object serves one run, and outlives what it has started.
class LocalCollectives : public Collectives {
 public:
  // Values that were sent and not received yet count in `memory`. Both outlive the object.
  LocalCollectives(int64_t device_count, ThreadPool* pool, MemoryBudget* memory)
      : rendezvous_(device_count), pool_(pool), memory_(memory) {}

  std::shared_ptr<StartedCollective> Start(CollectiveCall call) override;
  void DeviceEnded(int64_t device, const absl::Status& status) override { rendezvous_.DeviceEnded(device, status); }
  bool failed() const override { return rendezvous_.failed(); }
  bool shares_values() const override { return true; }

 private:
  class Part;
  class Started;

  absl::StatusOr<Rendezvous::MeetingPtr> Come(const std::shared_ptr<Part>& part);
  void Hold(const Rendezvous::Attendance& attendance);
  absl::Status ShareValues(const std::vector<const CollectiveCall*>& calls);
  void Help(Rendezvous::Meeting& meeting, absl::FunctionRef<absl::Status()> check);
  void End(Rendezvous::Meeting& meeting, const absl::Status& status);

  Rendezvous rendezvous_;
  ThreadPool* const pool_;
  MemoryBudget* const memory_;
};

}  // namespace xla

#endif  // BACKENDS_HOST_LOCAL_COLLECTIVES_H_
