// ProcessGroup: the processes that run one program together, and how they reach each other.
//
// Rank 0 keeps the store by which the processes find each other and the control channel, on which every process says
// that it lives, at what it waits, that it has ended or failed. Arrays travel between the processes themselves.
#ifndef BACKENDS_REPLICATED_PROCESS_GROUP_H_
#define BACKENDS_REPLICATED_PROCESS_GROUP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "backends/collectives.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/memory_budget.h"
#include "xla_core/support/thread_pool.h"

namespace xla {

struct ProcessGroupOptions {
  int64_t process_index = 0;  // the rank
  int64_t process_count = 1;
  // Where the processes find each other: "file:DIR", a folder that all can write to, or "tcp:HOST:PORT", where rank 0
  // listens.
  std::string rendezvous;
  // Keeps jobs apart that meet at the same place: who has another one is refused.
  std::string launch_token;
  // By which the others reach this process; "": found out.
  std::string host_name;
  // For all processes to come.
  absl::Duration connect_timeout = absl::Seconds(60);
};

// What a launch needs to know of its program and its devices.
struct LaunchDescription {
  // Launches of all processes pair up by it; each is used once in the life of a group.
  int64_t launch_id = 0;
  // Of the executable: all processes must run the same program with the same options.
  std::string fingerprint;
  // The rank that owns each device, by flattened id; in ascending order within a rank.
  std::vector<int64_t> process_of_device;
  // What runs. Instructions are named in messages, and told to the others by their place in it.
  const HloModule* module = nullptr;
  // How long a device may wait at one collective.
  absl::Duration collective_timeout = absl::Seconds(60);
  ThreadPool* pool = nullptr;
  MemoryBudget* memory = nullptr;
};

// Thread-safe. When the object goes, the others see that this process has left in order.
class ProcessGroup {
 public:
  // Waits for all processes. Errors: InvalidArgument for options that do not fit; DeadlineExceeded, naming the ranks
  // that are missing; AlreadyExists for a rank that is there already, a port that is taken; PermissionDenied for
  // another launch token; what `check` says, which is asked at least every 20 ms or so.
  static absl::StatusOr<std::shared_ptr<ProcessGroup>> Connect(const ProcessGroupOptions& options,
                                                               absl::FunctionRef<absl::Status()> check);
  virtual ~ProcessGroup() = default;

  virtual int64_t process_index() const = 0;
  virtual int64_t process_count() const = 0;

  // Where the devices of one launch meet. Waits until all processes have begun it. FailedPrecondition if another one
  // has another fingerprint or another launch, naming both ranks; Unavailable if a process has died, naming its rank
  // and host; DeadlineExceeded after the collective timeout. The group outlives it.
  virtual absl::StatusOr<std::unique_ptr<Collectives>> Begin(const LaunchDescription& launch,
                                                             absl::FunctionRef<absl::Status()> check) = 0;

  // Every process gives bytes; rank 0 gets those of all, by rank, the others nothing. All must call it in the same
  // order. For results, reports and errors that rank 0 shows for all.
  virtual absl::StatusOr<std::vector<std::string>> GatherToFirst(std::string mine,
                                                                 absl::FunctionRef<absl::Status()> check) = 0;
};

}  // namespace xla

#endif  // BACKENDS_REPLICATED_PROCESS_GROUP_H_
